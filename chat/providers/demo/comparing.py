"""The demo's answers about differences: between two objects, and between two versions of one."""

from collections.abc import Callable
from dataclasses import replace
from itertools import chain

from chat.providers.demo.holdings import USE_CASE
from chat.providers.demo.lookups import Answered, Item, Lookups, rows, together
from chat.providers.demo.matrix import SIDES, axis_names, matrix_at, ratings_of
from chat.providers.demo.naming import called, field_called
from chat.providers.demo.sentences import paragraphs, plain
from chat.providers.demo.values import changed, told

Words = dict[str, str]


def compared(looking: Lookups, words: Words) -> str:
    """What differs between two objects, field by field; of use cases their amounts in the matrix, too."""
    by_name = replace(looking, by_name=True)
    one, other = together(by_name.item, (words["x"], words["y"]))
    if one.is_node or other.is_node:
        raise Answered("only_objects", item=one if one.is_node else other)
    say, axes = looking.say, axis_names(looking, one, other)
    names = [name for name in looking.ordered(one, other) if one.fields.get(name) != other.fields.get(name)]
    lines = [
        say(
            "differs",
            name=plain(field_called(name, say.language)),
            x=told(one.fields.get(name), say, name, axes),
            y=told(other.fields.get(name), say, name, axes),
        )
        for name in names
    ]
    amounts = _amounts(looking, one, other) if axes else []
    return paragraphs(say("compared", x=one, y=other), say.lines([*amounts, *lines]) or say("same"))


def _amounts(looking: Lookups, one: Item, other: Item) -> list[str]:
    say, both = looking.say, [item for item in (one, other) if item.key.startswith(f"{USE_CASE}:")]
    if len(both) < 2:
        return []
    found = [
        [f"{matrix_at(looking, item)[side].amount(ratings_of(item.fields, side)):g}" for item in both] for side in SIDES
    ]
    return [
        say("differs", name=called("sides", side, say.language), x=x, y=y)
        for side, (x, y) in zip(SIDES, found, strict=True)
    ]


def versions(looking: Lookups, words: Words) -> str:
    """What differs between two versions of an object."""
    say, item = looking.say, looking.exactly(words.get("x", ""))
    a, b = _numbers(looking, item, words)
    shown = looking.one("compare_versions", object=item.key, a=a, b=b)
    if "error" in shown:
        raise Answered("refused", error=plain(shown["error"]))
    found, axes = rows(shown.get("differences")), axis_names(looking, item) if item.key.startswith(USE_CASE) else {}
    lines = [
        changed(row.get("a"), row.get("b"), say, row["field"], axes)
        if "field" in row
        else called("actions", plain(row.get("action")), say.language)
        for row in found
    ]
    heading = say("versions", x=item, a=a, b=b)
    return paragraphs(heading, say.lines(lines) or say("same"), say("left_out") if "note" in shown else "")


def _numbers(looking: Lookups, item: Item, words: Words) -> tuple[int, int]:
    """The two versions that are meant: numbers, else the present one and the one before."""
    said = [words.get(side, "") for side in ("a", "b")]
    if all(each.isdigit() for each in said):
        return int(said[0]), int(said[1])
    present = int(looking.object(item.key).row.get("version") or 1)
    first, last = (int(each) if each.isdigit() else None for each in said)
    last = last or present
    first = first if first is not None else max(last - 1, 1)
    return first, last


def history(looking: Lookups, words: Words) -> str:
    """The latest changes of an object; of a node those of its graph that changed it."""
    say, item = looking.say, replace(looking, by_name=True).item(words.get("x", ""))
    of, part = (looking.here().key, f"node:{item.key}") if item.is_node else (item.key, "")
    lines = []
    for version in rows(looking.one("read_history", object=of).get("versions")):
        found = [_change(looking, each) for each in rows(version["changes"]) if part in ("", each.get("item"))]
        if found:
            when = str(version["when"]).replace("T", " ")[:16]
            line = say("version", number=version["version"], when=when, who=plain(version["who"]))
            lines.append(f"{line} {'; '.join(found)}")
    return paragraphs(say("changed", object=item), say.lines(lines)) if lines else say("changed_nothing", object=item)


def _change(looking: Lookups, change: dict[str, object]) -> str:
    item = [plain(change["item"])] if "item" in change else []
    if "field" in change:
        what = changed(change.get("old"), change.get("new"), looking.say, str(change["field"]))
    else:
        what = called("actions", plain(change.get("action")), looking.say.language)
    return " ".join(chain(item, [what]))


ANSWERS: dict[str, Callable[[Lookups, Words], str]] = {"compare": compared, "versions": versions, "history": history}
