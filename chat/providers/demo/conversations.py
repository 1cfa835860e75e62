"""The demo's answers about what was said before: it searches the person's other conversations."""

import re

from chat.providers.demo.folding import folded
from chat.providers.demo.lookups import Answered, Lookups, rows
from chat.providers.demo.naming import NAMES, one_of
from chat.providers.demo.seen import Row
from chat.providers.demo.sentences import paragraphs, plain, quoted, subject

_DATE = r"\d{4}-\d{2}-\d{2}"
#: What stands at the end of the words that are looked for.
_PERIOD = re.compile(rf"\A(?P<words>.*?),?\s*\b(?P<period>{one_of('periods')})\W*\Z")
_DATES = re.compile(
    rf"\A(?P<words>.*?),?\s*\b(?:between|from|on|since|entre|du|de|le|depuis)\s+(?:le\s+)?(?P<first>{_DATE})(?:\s+(?:and|to|until|et|au|a)\s+(?:le\s+)?(?P<last>{_DATE}))?\W*\Z"
)
_PERSON = re.compile(
    r"\A(?P<words>.*?),?\s*\b(?:with|by|of|avec|par)\s+(?P<person>[^\W\d][\w.@+-]*(?:\s+[^\W\d][\w.-]*)?)\W*\Z"
)
_BEFORE_PERIOD = re.compile(r"\s+(?:from|of|in|during|de|du|pendant)\s*\Z", re.IGNORECASE)
_SINCE = re.compile(r"\b(?:since|depuis)\b")
#: The end of a period that goes on until now.
_FAR = "9998-12-31"
Words = dict[str, str]


def conversations(looking: Lookups, words: Words) -> str:
    """The messages of other conversations that have all these words, of a person and a period if they are said."""
    say, arguments = looking.say, _arguments(words.get("words", ""))
    if not arguments.get("query"):
        raise Answered("search_what")
    looking.require(["search_conversations"])
    shown = looking.one("search_conversations", **arguments)
    if "error" in shown:
        raise Answered("refused", error=plain(shown["error"]))
    narrowed = [say("of_person", person=plain(arguments["person"]))] if "person" in arguments else []
    narrowed += (
        [say("in_period", period=plain(_told(arguments["period"], say.language)))] if "period" in arguments else []
    )
    what = {"query": plain(arguments["query"]), "narrowed": "".join(narrowed)}
    lines = [_line(looking, row) for row in rows(shown.get("messages"))]
    if not lines:
        return say("said_nowhere", **what)
    return paragraphs(say("said_in", **what), say.lines(lines), say("more_said") if "note" in shown else "")


def _arguments(text: str) -> Row:
    """What is looked for, taken apart: words, person, period."""
    found: Row = {}
    for name, pattern in (
        ("period", _PERIOD),
        ("dates", _DATES),
        ("person", _PERSON),
        ("period", _PERIOD),
        ("dates", _DATES),
    ):
        matched = None if name in found else pattern.match(folded(text))
        if not matched or (name in ("period", "dates") and "period" in found):
            continue
        if name == "period":
            found["period"] = next(key for key, known in NAMES["periods"].items() if matched["period"] in _forms(known))
        elif name == "dates":
            first, last = matched["first"], matched["last"]
            until = _FAR if _SINCE.search(folded(text)[matched.end("words") :]) else first
            found["period"] = f"{first}/{last or until}" if (last or until) != first else first
        elif not text[matched.start("person")].isupper():
            continue
        else:
            found["person"] = text[slice(*matched.span("person"))].strip()
        text = text[: matched.end("words")]
    query = quoted(subject(_BEFORE_PERIOD.sub("", text))) if text.strip() else ""
    return found | ({"query": query[:200]} if query else {})


def _forms(known: dict[str, list[str]]) -> set[str]:
    return {folded(each) for language in known.values() for each in language}


def _told(period: str, language: str) -> str:
    known = NAMES["periods"].get(period)
    return known[language][0] if known else period.replace(f"/{_FAR}", "…").replace("/", " – ")


def _line(looking: Lookups, row: Row) -> str:
    say = looking.say
    who = say("by_person" if row.get("from") == "person" else "by_assistant")
    about = say("about", object=looking.named(str(row["about"]))) if row.get("about") else ""
    when = str(row["when"]).replace("T", " ")[:16]
    return say("said", title=plain(row["title"]), when=when, who=who, about=about, text=plain(row["snippet"]))
