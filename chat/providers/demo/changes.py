"""What the demo proposes for a change that a person asks for, by the templates of `changes.toml`."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from chat.providers.demo import gaps, records, sheets
from chat.providers.demo.folding import bare
from chat.providers.demo.lookups import HANDLE, Answered, Item, Lookups, PlannedCall, is_for_errors, rows, together
from chat.providers.demo.naming import called, field_called, meant
from chat.providers.demo.seen import Row
from chat.providers.demo.sentences import INTENTS, Intent, field_name, plain, quoted, subject, without_quotes
from chat.providers.demo.values import told

#: Pages of node types among which the one is looked for that is named.
MAX_PAGES = 3
#: How far "to the right" is, in pixels.
STEP = 260
#: What a node gets whose type has not both.
_ADDED = {"in": "L-0", "out": "R-0"}
_THROUGH = {side: [{"id": f"{side}-0", "type": way, "accept": "any"}] for side, way in (("L", "in"), ("R", "out"))}
_AND = re.compile(r"\s*,\s*(?:(?:and|et)\s+)?|\s+(?:and|et)\s+")
_OF = re.compile(r"\s+(?:of|for|de|du|des|pour)\s+")
#: Where what a new object is called ends, if it is said what holds it.
_IN = re.compile(r"\s+(?:in|into|under|dans|sous)\s+", re.IGNORECASE)
#: What is meant as it is in JSON; everything else is text.
_LITERAL = re.compile(r"true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?")

#: Changes that are of what is at hand where nothing is named.
_AT_HAND = ("rename", "set", "rate", "better", "append", "delete", "move")
#: Those that may name several things, by the slot in which they stand.
_SEVERAL = {"delete": "x", "delete_sheet": "sheet"}
#: Those that need no more of an object than its fields, which the question's data may have.
_OF_FIELDS = ("rate", "better", "append")

Values = dict[str, Any]


class Word(str):
    """The word for a name of the program, which answers say without quotes."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Calls that make one change: `said` with links in the answer, for the `reason` in plain words on the card."""

    calls: Sequence[PlannedCall]
    said: str
    reason: str


def plans(looking: Lookups, intent: Intent) -> list[Plan]:
    """What to propose, one by one where it can be decided so. Raises `Wanted`, `Unavailable` or `Answered`."""
    if intent.name == "rate":
        return [_rating(looking, intent.words)]
    if intent.name not in _SEVERAL:
        return [_plan(looking, intent.name, intent.words)]
    slot = _SEVERAL[intent.name]
    return together(lambda name: _plan(looking, intent.name, {slot: name}), _AND.split(intent.words.get(slot) or ""))


def _rating(looking: Lookups, words: dict[str, str]) -> Plan:
    """A rating, whether the axis or what is rated is said first."""
    if not words.get("x"):
        return _plan(looking, "rate", words)
    turned = words | {"x": words["axis"], "axis": words["x"]}
    if records.is_axis(looking, words["x"]):
        return _plan(looking, "rate", turned)
    try:
        return _plan(looking, "rate", words)
    except Answered as answered:
        if answered.phrase not in ("found_nothing", "none_called"):
            raise
        try:
            return _plan(looking, "rate", turned)
        except Answered:
            raise answered from None


def _plan(looking: Lookups, name: str, words: dict[str, str]) -> Plan:
    """The template of the change, filled."""
    name, words = _as_meant(looking, name, words)
    sheets.refuse_others(looking, words)
    row = INTENTS[name]
    words = {"x": ""} | words if name in _AT_HAND else words
    named = {slot: words[slot] for slot in ("x", "y") if slot in words}
    found = looking.as_given if name in _OF_FIELDS else looking.item if name in _VALUES else looking.named_node
    items = together(found, named.values())
    objects = [item for item in items if not item.is_node]
    if objects and "object" not in row:
        raise Answered("only_nodes", item=objects[0])
    if len(objects) < len(items) and "node" not in row:
        raise Answered("only_objects", item=next(item for item in items if item.is_node))
    values: Values = {slot: quoted(text) for slot, text in words.items()} | dict(zip(named, items, strict=True))
    what = subject(words.get("what", ""))
    values |= {"what": what, "said": words.get("name", ""), "name": values.get("name") or what[:1].upper() + what[1:]}
    values |= _VALUES[name](looking, values) if name in _VALUES else {}
    template = _filled(row["object" if objects or "kind" in values else "node"], values)
    calls = [PlannedCall("propose_delete_edge", {"edgeKey": edge["key"]}) for edge in values.get("cut", ())]
    calls += [PlannedCall(template["tool"], template["arguments"])] if "tool" in template else []
    as_it_is = (Item, Word)
    linked = {
        slot: value if isinstance(value, as_it_is) else looking.say("quoted", text=value)
        for slot, value in values.items()
    }
    names = {slot: item.key if item.is_node else item.title for slot, item in linked.items() if isinstance(item, Item)}
    if "said_value" in values:
        linked["value"] = looking.say("quoted", text=values["said_value"])
        values["value"] = values["said_value"]
    return Plan(calls, looking.say(template["says"], **linked), looking.say(template["says"], **values | names))


def _as_meant(looking: Lookups, name: str, words: dict[str, str]) -> tuple[str, dict[str, str]]:
    """The change itself; where records are talked about, a field that is called rating is that of an axis."""
    if means := INTENTS[name].get("means"):
        return means, words
    said = subject(words.get("field", "")).lower()
    if name != "set" or said not in INTENTS["rate"]["ratings"] or not gaps.is_record(looking):
        return name, words
    axis, of = [*_OF.split(words.get("x") or said, maxsplit=1), ""][:2]
    return "rate", {"axis": subject(axis), "x": of, "rating": words["value"]}


def _filled(template: Any, values: Values) -> Any:
    """The template with values in the places of their names; an entry without a value is left out."""
    match template:
        case dict():
            entries = ((_filled(name, values), _filled(value, values)) for name, value in template.items())
            return {name: value for name, value in entries if value is not None}
        case list():
            return [_filled(each, values) for each in template]
        case str() if template.startswith("{"):
            name, _, attribute = template[1:-1].partition(".")
            return getattr(values[name], attribute) if attribute else values[name]
    return template


def _path(looking: Lookups, values: Values) -> Values:
    """The field of an object that has the text."""
    item = values["x"]
    path = next((name for name, value in item.fields.items() if values["old"] in str(value)), None)
    if path is None and not item.is_node:
        raise Answered("no_text", item=item)
    return {"path": path}


def _updates(looking: Lookups, values: Values) -> Values:
    """The new value of a field; of a node one of its data, unless the node itself has one that is called so."""
    item, text, wanted = values["x"], values["value"], field_name(values.get("field", "description"))
    if item.is_node:
        field, value = _matching(item.fields, wanted), text
        own = INTENTS["set"]["own"].get(wanted.lower())
        updates = {field: value if _is_text(item, field, value) else json.loads(value)}
        return {"field": field, "updates": {own: text} if own else {"data": updates}}
    kind = looking.kind_of(item.key)
    field = _matching((*item.fields, *(kind.fields if kind else ())), meant("fields", wanted) or wanted)
    if kind is None or field not in (*item.fields, *kind.fields):
        looking.require_field(item, field)
    if field.rpartition(".")[2] == "status" and gaps.is_record(looking):
        text = _status(looking, item, text)
    said = {"said_value": told(text, looking.say, field), "field": Word(field_called(field, looking.say.language))}
    if item.fields.get(field) == text:
        raise Answered("is_already", x=item, value=looking.say("quoted", text=said["said_value"]), field=said["field"])
    return said | {"updates": {field: text if _is_text(item, field, text) else json.loads(text)}}


def _matching(known: Iterable[str], wanted: str) -> str:
    """The field that is called so, by its whole name or its last part."""
    named = (name for name in known if bare(wanted) in {bare(name), bare(name.rpartition(".")[2])})
    return next(named, wanted.replace(" ", "_"))


def _is_text(item: Item, field: str, text: str) -> bool:
    return isinstance(item.fields.get(field), str) or not _LITERAL.fullmatch(text)


def _status(looking: Lookups, item: Item, text: str) -> str:
    """The status that is meant, by its name in either language. Raises `Answered` where people set none such."""
    status, known = meant("statuses", text), INTENTS["set"]["statuses"]
    if status in known:
        return status
    names = looking.say.joined([called("statuses", each, looking.say.language) for each in known])
    raise Answered("status_of_models" if status else "no_status", item=item, text=plain(text), known=names)


def _place(looking: Lookups, values: Values) -> Values:
    """Where it goes: another place or sheet, of an object another parent."""
    item, parent = values["x"], values.get("parent", "")
    if not item.is_node:
        return {"y": looking.item(parent)}
    left, top = item.row["position"]["x"], item.row["position"]["y"]
    if "left" in values:
        left, top = float(values["left"]), float(values["top"])
    across, down = INTENTS["move"]["ways"].get(values.get("way", "").lower(), (0, 0))
    sheet = subject(values.get("sheet") or parent)
    return {"left": left + STEP * across, "top": top + STEP * down, "sheet": sheet or None}


def _between(looking: Lookups, values: Values) -> Values:
    """The edges that connect two nodes."""
    one, other = values["x"], values["y"]
    cut = [edge for edge in one.edges if {edge["source"], edge["target"]} == {one.key, other.key}]
    if not cut:
        raise Answered("no_edge", x=one, y=other)
    return {"cut": cut}


def _insertion(looking: Lookups, values: Values) -> Values:
    """A new node between two nodes, or before or after one, in place of the edges there."""
    x, type_ = values["x"], _type(looking, values["what"])
    before = values.get("side") in ("before", "avant")
    source, target = (None, x) if before else (x, values.get("y"))
    cut = _edges(x, source, target)
    if target and not cut and (cut := _edges(x, target, x)):
        source, target = target, x
    ends = {("in", edge["source"], edge["sourceHandle"]): edge["label"] for edge in cut}
    ends |= {("out", edge["target"], edge["targetHandle"]): "" for edge in cut}
    if source and not cut:
        ends["in", source.key, _end(source, "out")] = ""
    if target and not cut:
        ends["out", target.key, _end(target, "in")] = ""
    own = {way: _handle(type_, way) for way in _ADDED}
    edges = [
        {"direction": way, "handle": own[way] or _ADDED[way], "otherKey": key, "otherHandle": handle}
        | ({"label": label} if label else {})
        for (way, key, handle), label in ends.items()
    ]
    says = "propose_before" if before else "propose_between" if target else "propose_after"
    made = {"type": type_["key"], "sheet": x.row.get("sheet"), "edges": edges}
    return {"cut": cut, "says": says, "handles": None if all(own.values()) else _THROUGH} | made


def _edges(x: Item, source: Item | None, target: Item | None) -> list[Row]:
    """The edges of x from the one to the other. After a node those by which the way goes on when all is well."""
    edges = [edge for edge in x.edges if not source or edge["source"] == source.key]
    if target:
        return [edge for edge in edges if edge["target"] == target.key]
    well = [edge for edge in edges if not is_for_errors(edge)]
    return [edge for edge in well if edge["sourceHandle"] == well[0]["sourceHandle"]]


def _end(node: Item, direction: str) -> str:
    """The handle of a node that a new edge takes."""
    if handle := _handle(node.row, direction):
        return handle
    raise Answered(f"no_{direction}", item=node)


def _handle(row: Row, direction: str) -> str:
    """The first handle in this direction of a node or a node type; "" where it has none."""
    return next((handle for handle, way in HANDLE.findall(row.get("handles", "")) if way == direction), "")


def _type(looking: Lookups, what: str) -> Row:
    """The type that the words name, else the first one of the workspace with an entry and an exit."""

    def rank(row: Row) -> tuple[bool, ...]:
        known = [bare(str(row.get(name))) for name in ("key", "displayName")]
        named = bare(what) in {*known, *(name.removesuffix("node") for name in known)}
        return not named, not (_handle(row, "in") and _handle(row, "out")), row["builtIn"]

    types, offset = list[Row](), Row()
    for _page in range(MAX_PAGES):
        shown = looking.one("list_available_node_types", **offset)
        types += rows(shown.get("types"))
        offset = {"offset": shown.get("nextOffset")}
        if not (offset["offset"] and rank(min(types, key=rank))[0]):
            break
    return min(types, key=rank)


def _creation(looking: Lookups, values: Values) -> Values:
    """A new object of a kind, else a new node, connected to nothing."""
    shown = Row()
    if meant("kinds", values["what"]):
        looking.require(["list_objects"] if looking.can_load else [])  # it is beside the graph
    if kind := looking.kind_called(values["what"]):
        return _new_object(looking, kind, values)
    if "list_objects" in looking.seen.offered:
        kind, shown = looking.of_kind(values["what"])
        if "objects" in shown:
            likes = [looking.object(row["object"]) for row in rows(shown["objects"])[:1]]
            title = likes[0].title_field if likes else "name"
            return {"kind": kind, "title": title, "says": "propose_create", "parent": None}
    if "list_available_node_types" not in looking.seen.offered:
        raise Answered("refused", error=plain(shown.get("error")))
    type_, sheets = _type(looking, values["what"]), rows(looking.here().row.get("sheets"))
    return {"type": type_["key"], "sheet": sheets[0]["key"] if sheets else ""}


def _new_object(looking: Lookups, kind: str, values: Values) -> Values:
    """A new object of a kind that is known, held by what is named, else by what is at hand or holds that."""
    known, name, said = looking.seen.kinds[kind], values["said"] or values["name"], values.get("parent", "")
    of_kind = partial(_holder_called, looking, known.holder)
    if said and not (holder := of_kind(said)):
        raise Answered("found_nothing", subject=plain(subject(said)))
    if not said:
        ends = [*_IN.finditer(without_quotes(name))] if known.holder else []
        holders = zip(together(of_kind, [name[end.end() :] for end in ends]), ends, strict=True)
        holder, name = next(((held, name[: end.start()]) for held, end in holders if held), (None, name))
    holder = None if values.get("without") else holder or _holder_at_hand(looking, known.holder)
    if known.holder and not (holder or values.get("without")):
        _ask_for_holder(looking, kind, known.holder)
    says = "propose_create_in" if holder else "propose_create_alone" if known.holder else "propose_create"
    made = {"kind": kind, "title": known.title, "name": quoted(name), "says": says}
    above = {"above": Word(called("kinds", known.holder, looking.say.language))} if known.holder else {}
    return made | above | {"parent": holder.key if holder else None} | ({"y": holder} if holder else {})


def _ask_for_holder(looking: Lookups, kind: str, holder: str) -> None:
    """Asks which object shall hold a new one, where that may be one of several. Raises `Answered`."""
    at_hand = looking.seen.at_hand
    below = looking.seen.kinds[holder].holder == at_hand.partition(":")[0] if at_hand else False
    shown = looking.one("list_objects", kind=holder, **({"parent": at_hand} if below else {}))
    names = [looking.named(row["object"], row["title"]) for row in rows(shown.get("objects"))]
    language = looking.say.language
    parts = {"kind": called("kinds", kind, language), "holder": called("kinds", holder, language)}
    if names:
        raise Answered("which_holder", names=looking.say.joined(names, shown.get("total", 0)), **parts)
    if below:
        raise Answered("no_holder", item=looking.named(at_hand), **parts)


def _holder_called(looking: Lookups, kind: str, words: str) -> Item | None:
    """The object of a kind that has just this name."""
    name = bare(subject(words))
    hits = [hit for hit in looking.find(words) if hit.key.startswith(f"{kind}:")]
    return next((hit for hit in hits if name in {bare(hit.title), bare(hit.key)}), None)


def _holder_at_hand(looking: Lookups, kind: str) -> Item | None:
    """What is at hand, or what holds it, if it is of a kind."""
    given = looking.given
    own = {"object": looking.seen.at_hand, "title": given.get("title") or ""}
    found = (row for row in (own, *rows(given.get("above"))) if kind and row["object"].startswith(f"{kind}:"))
    return next((looking.as_item(row) for row in found), None)


def _appended(looking: Lookups, values: Values) -> Values:
    """A list of a record with one text more."""
    field, text = values["field"], values["value"]
    updates = records.longer(looking, values["x"], field, text)
    return {"updates": updates, "field": Word(field_called(next(iter(updates)), looking.say.language))}


#: What a template needs beside the words and what they name.
_VALUES: dict[str, Callable[[Lookups, Values], Values]] = {
    "replace": _path,
    "set": _updates,
    "move": _place,
    "connect": lambda looking, values: {"out": _end(values["x"], "out"), "in": _end(values["y"], "in")},
    "disconnect": _between,
    "rate": lambda looking, values: {
        "updates": records.rated(looking, values["x"], values.get("axis", ""), values.get("rating", ""))
    },
    "append": _appended,
    "better": lambda looking, values: {"updates": records.better(looking, values["x"])},
    "insert": _insertion,
    "create": _creation,
    **sheets.VALUES,
}
