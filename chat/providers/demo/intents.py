"""What a person asks the demo for, by the sentences of `intents.toml`. Called by `answering`."""

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

Language = Literal["en", "fr"]
#: The intents that ask for a change; several of them may stand in one message.
CHANGES = frozenset(
    ("rename", "replace", "move", "disconnect", "connect", "delete", "insert", "set", "arrange", "create")
)
#: Characters of a message that are read: what matches a sentence takes quadratic time.
MAX_READ = 500
#: What typesetting makes of an apostrophe and of the space before a question mark.
_AS_TYPED = str.maketrans({"’": "'", "\u00a0": " ", "\u202f": " "})
_MENTION = re.compile(r"\{\{\s*(?:node:)?\s*([^}\s]+)\s*\}\}")
_BETWEEN_CHANGES = re.compile(r"\s*[,;.]\s+(?:(?:and|then|et|puis)\s+)*|\s+(?:(?:and|then|et|puis)\s+)+")
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|«[^»]*»')
_POLITE = re.compile(
    r"\s*(?:(?:please|can you|could you|would you|i want to|i would like to|(?:peux|pourrais)-tu|tu peux"
    r"|(?:pouvez|pourriez)-vous|je (?:veux|voudrais)),?\s+)?"
    r"(.*?)(?:,?\s+(?:please|s'il (?:te|vous) plait))?[\s?!.,;:]*",
    re.DOTALL,
)
_LEADING = re.compile(
    r"\A(?:(?:the|a|an|all|any|nodes?|steps?|that|which|called|named|for|new|le|la|les|un|une|des|du|de|n(?:oe|œ)uds?"
    r"|étape|qui)\s+|[ld]'\s*)+",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    r"\s+(?:nodes?|steps?|n(?:oe|œ)uds?|(?:in|of|dans|de) (?:this|the|ce|le) (?:graph|graphe|workflow|flux))\Z"
    r"|[,;?]\s.*|\s(?:and|et) (?:what|then|que|qu'|after|before|ensuite)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_AROUND = " \t\n?!.,;:\"'`«»“”"
_FRENCH = frozenset(
    ("que", "quoi", "est-ce", "les", "ce", "cette", "ou", "comment", "dans", "des", "une", "du", "il", "et")
)


@dataclass(frozen=True, slots=True)
class Intent:
    """`words` are the parts of the sentence, as the person wrote them, "" for one that is left out."""

    name: str
    language: Language
    words: dict[str, str]


def understand(text: str) -> tuple[Intent, ...]:
    """The changes that a message asks for, in order, or its one question; the intent `other` for all else.

    Of a change in more words than are read the end is not known: that is the intent `too_long`.
    """
    whole = text.strip()
    text = unicodedata.normalize("NFC", _MENTION.sub(r"\1", whole[:MAX_READ])).translate(_AS_TYPED)
    polite = _POLITE.fullmatch(_folded(text))
    text = text[slice(*polite.span(1))] if polite else text
    if changes := tuple(_changes(text)):
        return changes if len(whole) <= MAX_READ else (replace(changes[0], name="too_long"),)
    words = frozenset(re.split(r"[^\w-]+", _folded(text)))
    return (
        _intent(text)
        or _intent(_TRAILING.sub("", text))
        or Intent("other", "fr" if words & _FRENCH else "en", {"x": text}),
    )


def subject(text: str) -> str:
    """The name in some words: without articles and quotes, and without what is said after it."""
    stripped = text.strip(_AROUND)
    while (shorter := _TRAILING.sub("", _LEADING.sub("", stripped, count=1)).strip(_AROUND)) not in ("", stripped):
        stripped = shorter
    return stripped


def quoted(text: str) -> str:
    """A value in some words: what is between its quotes, if it has any."""
    return text.strip(' \t\n"`«»“”') if text[:1] in '"`«“' else text.strip()


def bare(text: str) -> str:
    """The letters and digits alone, to compare names with words."""
    return re.sub(r"[\W_]+", "", text).lower()


def _changes(text: str) -> Iterator[Intent]:
    """The changes that the parts of a text ask for; "it" is what the one before was about."""
    about = ""
    for part in _parts(text):
        if (intent := _intent(part)) and intent.name in CHANGES:
            named = intent.words.get("x", "")
            about = about if about and named == "it" else named
            yield replace(intent, words=intent.words | ({"x": about} if named else {}))


def _parts(text: str) -> Iterator[str]:
    """The text, cut where a change follows a change; what lies between quotes stays together."""
    begin = 0
    for between in _BETWEEN_CHANGES.finditer(_QUOTED.sub(lambda found: "_" * len(found[0]), text)):
        around = _intent(text[begin : between.start()]), _intent(text[between.end() :])
        if all(intent and intent.name in CHANGES for intent in around):
            yield text[begin : between.start()]
            begin = between.end()
    yield text[begin:]


def _intent(text: str) -> Intent | None:
    folded = _folded(text)
    for name, language, sentence in _SENTENCES:
        if found := sentence.fullmatch(folded):
            return Intent(name, language, {slot: text[slice(*found.span(slot))] for slot in found.groupdict()})
    return None


def _folded(text: str) -> str:
    """The text without accents and capitals, as long as before."""
    return "".join(unicodedata.normalize("NFD", character)[0].lower()[:1] for character in text)


def _sentences() -> Iterator[tuple[str, Language, re.Pattern[str]]]:
    table = tomllib.loads(Path(__file__).with_name("intents.toml").read_text("utf-8"))
    words = table.pop("words")
    for name, by_language in table.items():
        for language, sentences in by_language.items():
            for sentence in sentences:
                yield name, language, _pattern(sentence, words)


def _pattern(sentence: str, words: dict[str, str]) -> re.Pattern[str]:
    """The regular expression of a sentence; how it is written stands at the top of the table."""
    while (inserted := re.sub(r"<(\w+)>", lambda word: words[word[1]], sentence)) != sentence:
        sentence = inserted
    for written, meant in (("(", "(?:"), ("[", "(?:"), ("]", ")?"), ("...", ".*"), (" ?", r"\s*"), (" ", r"\s+")):
        sentence = sentence.replace(written, meant)
    return re.compile(
        re.sub(r"\{(\w+):?(.*?)\}", lambda slot: f"(?P<{slot[1]}>{slot[2] or '.+?'})", sentence), re.DOTALL
    )


_SENTENCES = tuple(_sentences())
