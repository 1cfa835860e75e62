"""The demo's answers to questions, out of what its tools have shown."""

from collections.abc import Callable, Sequence

from chat.providers.demo import comparing, gaps, graph_answers, holdings, matrix, relations, suggestions, web
from chat.providers.demo.conversations import conversations
from chat.providers.demo.folding import bare
from chat.providers.demo.lookups import Item, Lookups, mention, rows
from chat.providers.demo.matrix import axis_names
from chat.providers.demo.naming import counted, field_called, meant
from chat.providers.demo.seen import Row
from chat.providers.demo.sentences import INTENTS, MAX_READ, Phrases, paragraphs, plain, subject
from chat.providers.demo.suggesting import Suggested
from chat.providers.demo.summaries import SECTIONS, summary
from chat.providers.demo.values import told

#: Characters that are said of each field of an object.
MAX_CHARS = 400

Words = dict[str, str]


def _overview(looking: Lookups, words: Words) -> str:
    """What the graph or the object at hand is, else which graphs there are."""
    if looking.seen.at_hand:
        return _detail(looking, {"x": ""})
    if "read_graph_overview" not in looking.seen.offered:
        return _listing(looking, {"kind": "graph"})
    say, facts = looking.say, looking.here().row
    types = [f"`{plain(each['key'])}` ({each['nodes']})" for each in rows(facts.get("types"))]
    sheets = [f"*{plain(each['name'] or each['key'])}* ({each['nodes']})" for each in rows(facts.get("sheets"))]
    starts = facts.get("startNodes") or []
    return paragraphs(
        say("overview", name=plain(facts.get("name")), nodes=facts.get("nodes"), edges=facts.get("edges")),
        plain(facts.get("description")),
        say.naming("sheets", sheets, facts.get("sheetCount", 0)),
        say.naming("types", types, facts.get("typeCount", 0)),
        say.naming("begins", [mention(key) for key in starts]),
        graph_answers.way_on(looking, starts[0], "outbound") if starts else "",
    )


def _detail(looking: Lookups, words: Words) -> str:
    """What a node is, its edges and its code; the fields of an object, what holds it and what it holds."""
    item, say = looking.item(words["x"]), looking.say
    row, held = item.row, item.row.get("holds") or {}
    if item.is_node:
        return paragraphs(
            say("node_is", node=item.titled, type=plain(row.get("type")), sheet=plain(row.get("sheet"))),
            graph_answers.edges_told(item.edges, say) or say("no_edges"),
            say("data", data=plain(row["data"])) if row.get("data") else "",
            say.code(row["process"]) if row.get("process") else say("no_code"),
        )
    if "fields" not in row and not looking.seen.at_hand:
        return _overview(looking, words)
    named = words["x"] and not looking.is_called(item, words["x"])
    axes = axis_names(looking, item)
    lines = [_line(looking, name, item.fields[name], axes) for name in looking.ordered(item)]
    return paragraphs(
        say("taken_as", subject=plain(subject(words["x"])), item=item) if named else str(item),
        say.lines(lines),
        say("held_by", object=looking.named(row["parent"])) if "parent" in row else "",
        say.naming("holds", [counted("kinds", kind, count, say.language) for kind, count in held.items()]),
    )


def _line(looking: Lookups, name: str, value: object, axes: dict[str, str]) -> str:
    """A field with its value, in words."""
    say = looking.say
    return say("pair", name=field_called(name, say.language), value=told(value, say, name, axes, MAX_CHARS))


def _field(looking: Lookups, words: Words) -> str:
    """One field of a record."""
    say, others = looking.say, INTENTS["field"]["others"]
    said = bare(words["field"])
    wanted = meant("fields", words["field"]) or others.get(said, "")
    if not words.get("x") and looking.kind_called(words["field"]):
        return _listing(looking, {"kind": words["field"]})
    item = looking.exactly(words.get("x", ""))
    if item.is_node:
        return _detail(looking, {"x": words.get("x", "")})
    known = looking.kind_of(item.key)
    names = [*item.fields, *(known.fields if known else ())]
    field = next((name for name in names if name.rpartition(".")[2] == wanted), "")
    if not field and (found := _of_holders(looking, item, wanted)):
        return found
    if not field:
        return say("no_field", field=plain(words["field"]), item=item, known=say.joined(_called(looking, names)))
    if field not in item.fields:
        return say("empty_field", item=item, name=field_called(field, say.language))
    if wanted in SECTIONS:
        return summary(looking, {"section": wanted, "x": words.get("x", "")})
    return paragraphs(str(item), say.lines([_line(looking, field, item.fields[field], axis_names(looking, item))]))


def _of_holders(looking: Lookups, item: Item, wanted: str) -> str:
    """The field of what holds the record at hand: the objectives are those of its company."""
    for row in rows(looking.given.get("above")) if item.key == looking.seen.at_hand else ():
        holder = looking.as_item(row)
        if value := holder.fields.get(wanted):
            return paragraphs(str(holder), looking.say.lines([_line(looking, wanted, value, {})]))
    return ""


def _called(looking: Lookups, names: Sequence[str]) -> list[str]:
    return [plain(field_called(name, looking.say.language)) for name in dict.fromkeys(names)]


def _find(looking: Lookups, words: Words) -> str:
    kind, hits = meant("kinds", words.get("kind", "")), looking.find(words["x"])
    some = [hit for hit in hits if hit.key.startswith(f"{kind}:")] if kind else hits
    return found(subject(words["x"]), some, looking.say)


def found(words: str, items: Sequence[Item], say: Phrases) -> str:
    """The list of what was found; without words as a guess."""
    if not items:
        return say("found_nothing", subject=plain(words))
    lines = [item.titled + (f", `{plain(item.row['type'])}`" if item.row.get("type") else "") for item in items]
    return paragraphs(say("found", subject=plain(words)) if words else say("maybe"), say.lines(lines))


def _listing(looking: Lookups, words: Words) -> str:
    """The objects of a kind; where there is no such kind a field that is called so, or what has these words."""
    if meant("fields", subject(words["kind"])) and gaps.is_record(looking) and not looking.kind_called(words["kind"]):
        return _field(looking, {"field": subject(words["kind"]), "x": words.get("x", "")})
    if "list_objects" in looking.seen.offered or (looking.can_load and not looking.find(words["kind"])):
        parent = {"parent": looking.item(words["x"]).key} if words.get("x") else {}
        _kind, shown = looking.of_kind(words["kind"], **parent)
        if "objects" in shown:
            return _page(looking, shown)
        if not looking.find(words["kind"]):
            return looking.say("refused", error=plain(shown.get("error")))
    return _find(looking, {"x": words["kind"]})


def _page(looking: Lookups, shown: Row) -> str:
    """One page of a list of objects."""
    say, listed = looking.say, [str(looking.as_item(row)) for row in rows(shown.get("objects"))]
    more = say("more_pages") if "nextOffset" in shown else ""
    return paragraphs(say("listed", count=shown.get("total", len(listed))), say.lines(listed), more)


def _more(looking: Lookups, words: Words) -> str:
    next_page = looking.seen.next_page
    return _page(looking, looking.one("list_objects", **next_page)) if next_page else looking.say("help")


def _missing(looking: Lookups, words: Words) -> str:
    """What is missing in a record; of a graph what is wrong with it."""
    if not gaps.is_record(looking) and not words.get("x") and "read_graph_overview" in looking.seen.offered:
        return graph_answers.errors(looking, words)
    return gaps.missing(looking, words)


def _errors(looking: Lookups, words: Words) -> str:
    """What is wrong with a graph; of a record what is missing in it."""
    if gaps.is_record(looking):
        return gaps.missing(looking, {})
    return graph_answers.errors(looking, words)


def _failure(looking: Lookups, words: Words) -> str:
    """What happens on a failure in a graph."""
    if gaps.is_record(looking):
        item = looking.named(looking.seen.at_hand, looking.given.get("title") or "")
        return paragraphs(looking.say("only_in_graphs", item=item), looking.say("hint"))
    return graph_answers.failure(looking, words)


def _summary(looking: Lookups, words: Words) -> str:
    """The summary of a folder; of what has none what it is."""
    if not gaps.is_record(looking) and not words.get("x"):
        return _overview(looking, {})
    return summary(looking, words)


def _other(looking: Lookups, words: Words) -> str:
    """What has these words, as a guess."""
    hits = looking.find(words["x"]) if subject(words["x"]) else []
    return paragraphs(found("", hits, looking.say) if hits else "", looking.say("help"))


SUGGESTIONS: dict[str, Callable[[Lookups, Words], Suggested]] = {
    "improve": suggestions.improve,
    "inconsistent": suggestions.inconsistent,
    "complementary": relations.complementary,
    "alike": relations.alike,
    "fits": relations.fits,
}
ANSWERS: dict[str, Callable[[Lookups, Words], str]] = {
    "help": lambda looking, words: looking.say("help"),
    "self": lambda looking, words: looking.say("self"),
    "nothing_to_propose": lambda looking, words: looking.say("nothing_to_propose"),
    "done": lambda looking, words: looking.say("did_nothing"),
    "unknown": lambda looking, words: paragraphs(looking.say("which_change"), looking.say("help")),
    "too_long": lambda looking, words: looking.say("too_long", most=MAX_READ),
    "conversations": conversations,
    "web_search": web.searched,
    "web_page": web.read,
    "why": matrix.why,
    "ranked": matrix.ranked,
    "valuable": matrix.valuable,
    "held": holdings.held,
    "missing": _missing,
    "summary": _summary,
    "field": _field,
    "overview": _overview,
    "detail": _detail,
    "find": _find,
    "list": _listing,
    "more": _more,
    "other": _other,
    **comparing.ANSWERS,
    **graph_answers.ANSWERS,
    "errors": _errors,
    "failure": _failure,
}
