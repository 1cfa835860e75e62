"""The demo's answers about executive summaries: what their sections say."""

from chat.providers.demo.folding import folded
from chat.providers.demo.holdings import COMPANY, FOLDER, SUMMARY, USE_CASE, folders_of
from chat.providers.demo.lookups import Answered, Item, Lookups, PlannedCall
from chat.providers.demo.naming import field_called
from chat.providers.demo.sentences import paragraphs
from chat.providers.demo.values import told

#: Characters that are said of one section.
MAX_SECTION = 1_500
SECTIONS = ("introduction", "analysis", "recommendation", "references")
#: How the words for a section begin, and for its conclusion.
_BEGINNINGS = {
    "intro": SECTIONS[0],
    "analy": SECTIONS[1],
    "recom": SECTIONS[2],
    "concl": SECTIONS[2],
    "refer": SECTIONS[3],
}
_ADVICE = ("recom", "concl", "advise", "conseil")
Words = dict[str, str]


def summary(looking: Lookups, words: Words) -> str:
    """The sections of the summary of a folder, or the one that is asked for; of a company those of its folders."""
    said, question = folded(words.get("section", "")), folded(looking.seen.questions[-1])
    wanted = next((name for begin, name in _BEGINNINGS.items() if said.startswith(begin)), "")
    if not wanted and any(word in question for word in _ADVICE):
        wanted = SECTIONS[2]
    item = looking.exactly(words.get("x", ""))
    kind, _colon, key = item.key.partition(":")
    if kind == COMPANY:
        folders = [row["object"].partition(":")[2] for row in folders_of(looking, item.key)]
    elif kind in (FOLDER, SUMMARY):
        folders = [key]
    elif kind == USE_CASE and item.row.get("parent"):
        folders = [str(item.row["parent"]).partition(":")[2]]
    else:
        raise Answered("no_summary", item=item)
    if not folders:
        raise Answered("no_summary", item=item)
    read = looking.look(*(PlannedCall("read_object", {"object": f"{SUMMARY}:{each}"}) for each in folders))
    return paragraphs(*(_sections(looking, looking.as_item(row), wanted) for row in read if "object" in row))


def _sections(looking: Lookups, item: Item, wanted: str) -> str:
    say = looking.say
    fields = {name.rpartition(".")[2]: value for name, value in item.fields.items()}
    shown = [name for name in SECTIONS if fields.get(name) and wanted in ("", name)]
    lines = [
        say("pair", name=f"**{field_called(name, say.language)}**", value=told(fields[name], say, most=MAX_SECTION))
        for name in shown
    ]
    if not shown:
        empty = field_called(wanted, say.language) if wanted and any(fields.get(name) for name in SECTIONS) else ""
        return say("empty_section", item=item, name=empty) if empty else say("empty_summary", item=item)
    return paragraphs(str(item), *lines)
