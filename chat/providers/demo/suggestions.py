"""What the demo suggests for one record by rules: what could be better in it, and what does not fit together."""

import re
from collections.abc import Iterator, Sequence

from chat.providers.demo.folding import folded, words_of
from chat.providers.demo.gaps import empty_fields, unrated_axes
from chat.providers.demo.holdings import COMPANY, FOLDER, SUMMARY, USE_CASE
from chat.providers.demo.lookups import Answered, Item, Lookups, rows
from chat.providers.demo.matrix import SIDES, matrix_at
from chat.providers.demo.naming import called, counted, field_called, meant, one_of
from chat.providers.demo.records import composed, texts
from chat.providers.demo.seen import Row
from chat.providers.demo.sentences import plain
from chat.providers.demo.suggesting import Suggested, Suggestion, more_texts, update

#: A description of fewer characters says little; one of more needs no other fields to say it.
SHORT = 60
#: Fields whose texts should say how much.
_MEASURED = ("data.benefits", "data.metrics")
#: Fields of a use case that somebody should fill in before it is built.
_NEEDED = ("problem", "solution", "benefits", "metrics", "risks", "nextSteps")
_NUMBER = re.compile(rf"\d|\b{one_of('numbers')}\b|%|half|third|fifth|tenth|moitie|tiers|cinquieme|dixieme")
_COUNTED = re.compile(
    rf"\b(?P<number>\d{{1,3}}(?:[.,\s]\d{{3}})+|\d{{1,6}}|{one_of('numbers')}) (?:use cases|cas d.usage)"
)
_SECTION = "executive_summary."
Words = dict[str, str]


def improve(looking: Lookups, words: Words) -> Suggested:
    """What is missing, vague or not measurable in a record."""
    item, say = _record(looking, words), looking.say
    kind = item.key.partition(":")[0]
    if kind == USE_CASE:
        found = [*_of_use_case(looking, item)]
    elif kind in (FOLDER, SUMMARY):
        found = [*_of_folder(looking, item)]
    else:
        empty, _other = empty_fields(looking, item)
        found = [Suggestion(say("improve_empty", names=_called(looking, empty)))] if empty else []
    return Suggested(say("improve", item=item), found, say("improve_rule"), say("improve_none", item=item))


def inconsistent(looking: Lookups, words: Words) -> Suggested:
    """What does not fit together within a record, and between a record and what it holds."""
    item, say = _record(looking, words), looking.say
    kind = item.key.partition(":")[0]
    within = _within_use_case(looking, item) if kind == USE_CASE else _with_children(looking, item)
    found = [*within]
    return Suggested(
        say("inconsistent", item=item), found, say("inconsistent_rule"), say("inconsistent_none", item=item)
    )


def _record(looking: Lookups, words: Words) -> Item:
    item = looking.exactly(words.get("x", ""))
    if item.key.partition(":")[0] not in (COMPANY, FOLDER, USE_CASE, SUMMARY):
        raise Answered("only_records", item=item)
    return item


def _of_use_case(looking: Lookups, item: Item) -> Iterator[Suggestion]:
    say, described = looking.say, str(item.fields.get("data.description") or "")
    if (text := composed(item)) and text != described and len(described) < SHORT:
        call = update(item.key, {"data.description": text}, say("propose_better", x=plain(item.title)))
        yield Suggestion(say("improve_short", count=len(described.split())), call)
    steps = []
    empty = [name for name in _NEEDED if not item.fields.get(f"data.{name}")]
    if empty:
        names = _called(looking, empty)
        steps.append((say("improve_empty", names=names), say("step_fill_in", names=names)))
    if unrated := unrated_axes(looking, item):
        names = say.joined([*map(plain, unrated)])
        steps.append((say("improve_unrated", names=names), say("step_rate", names=names)))
    for name in _MEASURED:
        said = texts(item.fields.get(name))
        if said and not any(_NUMBER.search(folded(text)) for text in said):
            field = field_called(name, say.language)
            told = say("quoted", text=plain(said[0]))
            steps.append((say("improve_measure", name=field, text=told), say("step_measure", name=field)))
    for text, step in steps:
        yield Suggestion(text, more_texts(item, "data.nextSteps", [step], f"{step}."))


def _of_folder(looking: Lookups, item: Item) -> Iterator[Suggestion]:
    say, written = looking.say, _written(looking, item)
    empty, _other = empty_fields(looking, item)
    if unsaid := [name for name in empty if name not in written]:
        yield Suggestion(say("improve_empty", names=_called(looking, unsaid)))
    for name, text in written.items():
        if not item.fields.get(name):
            field = field_called(name, say.language)
            call = update(item.key, {name: text}, say("reason_section", name=field))
            yield Suggestion(say("improve_section", name=field, text=text), call)


def _written(looking: Lookups, item: Item) -> dict[str, str]:
    """What numbers say for the sections of a summary."""
    say, numbers, held = looking.say, _numbers(looking, item), _held(looking, item)
    found = {}
    if held and numbers:
        states = [counted("statuses", name, count, say.language) for name, count in numbers.get("status", {}).items()]
        count = counted("kinds", USE_CASE, numbers["count"], say.language)
        found[f"{_SECTION}introduction"] = say("written_introduction", count=count, states=say.joined(states))
    best = [row for row in held if row.get("quadrant") == "highValueLowComplexity" and not row.get("unrated")]
    best.sort(key=lambda row: row["complexity"] - row["value"])
    if best:
        names = say.joined([plain(row["title"]) for row in best])
        found[f"{_SECTION}recommendation"] = say("written_recommendation", names=names)
    return found


def _within_use_case(looking: Lookups, item: Item) -> Iterator[Suggestion]:
    say, status = looking.say, item.fields.get("status")
    ready, draft = (called("statuses", name, say.language) for name in ("ready", "draft"))
    unrated = unrated_axes(looking, item)
    empty = [name for name in ("problem", "solution") if not item.fields.get(f"data.{name}")]
    if status == "ready" and (unrated or empty):
        names = say.joined([*map(plain, unrated), *(field_called(name, say.language) for name in empty)])
        call = update(item.key, {"status": "draft"}, say("reason_draft", names=names))
        yield Suggestion(say("ready_with_gaps", status=ready, names=names, draft=draft), call)
    matrix = matrix_at(looking, item)
    for side in SIDES:
        name, known = f"data.{side}Scores", {axis.id for axis in matrix[side].axes}
        scores = rows(item.fields.get(name))
        unknown = [each["axisId"] for each in scores if each["axisId"] not in known]
        if known and unknown:
            kept = [each for each in scores if each["axisId"] in known]
            call = update(item.key, {name: kept}, say("reason_unknown_axes", names=plain(", ".join(unknown))))
            yield Suggestion(say("unknown_axes", names=plain(", ".join(unknown))), call)
    for name, value in item.fields.items():
        said = value if isinstance(value, list) and all(isinstance(each, str) for each in value) else []
        by_words = {folded(text): text for text in reversed(said)}
        once = [by_words.pop(folded(text)) for text in said if folded(text) in by_words]
        if len(once) < len(said):
            field = field_called(name, say.language)
            yield Suggestion(
                say("said_twice", name=field), update(item.key, {name: once}, say("said_twice", name=field))
            )


def _with_children(looking: Lookups, item: Item) -> Iterator[Suggestion]:
    say, held = looking.say, _held(looking, item)
    ready, draft = (called("statuses", name, say.language) for name in ("ready", "draft"))
    for row in held:
        open_ = [*map(plain, row.get("unrated") or ())]
        bare_folder = row["object"].startswith(f"{FOLDER}:") and not row.get("holds")
        if row.get("status") == "ready" and (open_ or bare_folder):
            names = say.joined(open_) or say("no_use_cases")
            call = update(row["object"], {"status": "draft"}, say("reason_draft", names=names))
            x = looking.named(row["object"], row["title"])
            yield Suggestion(say("child_ready_with_gaps", x=x, status=ready, names=names, draft=draft), call)
    yield from _of_summary(looking, item)


def _of_summary(looking: Lookups, item: Item) -> Iterator[Suggestion]:
    """Where a summary says another number of use cases, or leaves out the best."""
    say, held, numbers = looking.say, _held(looking, item), _numbers(looking, item)
    sections = {name: str(value) for name, value in item.fields.items() if name.startswith(_SECTION)}
    for name, text in sections.items():
        found = _COUNTED.search(folded(text))
        said = int(meant("numbers", found["number"]) or re.sub(r"\D", "", found["number"])) if found else 0
        if found and numbers and said != numbers["count"]:
            begin, end = found.span("number")
            right = f"{text[:begin]}{numbers['count']}{text[end:]}"
            field = field_called(name, say.language)
            told = say("wrong_number", name=field, said=said, count=numbers["count"])
            yield Suggestion(told, update(item.key, {name: right}, told))
    recommended, left_out = sections.get(f"{_SECTION}recommendation", ""), list[Row]()
    for row in held if recommended else ():
        is_best = row.get("quadrant") == "highValueLowComplexity" and not row.get("unrated")
        if is_best and not _names(" ".join(sections.values()), row["title"]):
            left_out.append(row)
    if left_out:
        titles = say.joined([plain(row["title"]) for row in left_out])
        names = say.joined([looking.named(row["object"], row["title"]) for row in left_out])
        updates = {f"{_SECTION}recommendation": f"{recommended} {say('also_recommended', title=titles)}"}
        call = update(item.key, updates, say("reason_recommended", x=titles))
        yield Suggestion(say("leaves_out", x=names), call)


def _names(text: str, title: str) -> bool:
    """Whether a text has half of the longer words of a title."""
    said = {word for word in words_of(title) if len(word) > 3} or words_of(title)
    return 2 * len(said & words_of(text)) >= len(said)


def _held(looking: Lookups, item: Item) -> list[Row]:
    """What was given of the objects that a record at hand holds."""
    return rows(looking.given.get("held")) if item.key == looking.seen.at_hand else []


def _numbers(looking: Lookups, item: Item) -> Row:
    """How many use cases the record at hand holds; nothing where it holds more than were counted."""
    holds = looking.given.get("holds") or {} if item.key == looking.seen.at_hand else {}
    numbers: Row = holds.get(USE_CASE) or {}
    return {} if "andMore" in numbers else numbers


def _called(looking: Lookups, names: Sequence[str]) -> str:
    return looking.say.joined([plain(field_called(name, looking.say.language)) for name in names])
