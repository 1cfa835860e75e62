"""The sentences that the demo understands (`intents.toml`) and those that it says (`phrases.toml`)."""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

Language = Literal["en", "fr"]
_FOLDER = Path(__file__).parent
INTENTS = tomllib.loads((_FOLDER / "intents.toml").read_text("utf-8"))
PHRASES = tomllib.loads((_FOLDER / "phrases.toml").read_text("utf-8"))
#: The intents that ask for a change; several of them may stand in one message.
CHANGES = frozenset(name for name, row in INTENTS.items() if "node" in row or "object" in row)
#: Characters of a message that are read: what matches a sentence takes quadratic time.
MAX_READ = 500
#: Entries of one list, characters of one value and lines of one code that are said.
MAX_LISTED = 50
MAX_CHARS = 200
MAX_LINES = 12
#: What typesetting makes of an apostrophe and of the space before a question mark.
_AS_TYPED = str.maketrans({"’": "'", "\u00a0": " ", "\u202f": " "})
_MENTION = re.compile(r"\{\{\s*(?:node:)?\s*([^}\s]+)\s*\}\}")
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|«[^»]*»')
_AROUND = " \t\n?!.,;:\"'`«»“”"


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
    text = text[slice(*polite.span("x"))] if polite else text
    if changes := tuple(_changes(text)):
        return changes if len(whole) <= MAX_READ else (replace(changes[0], name="too_long"),)
    other = Intent("other", "fr" if _FRENCH.search(_folded(text)) else "en", {"x": text})
    return (_intent(text) or _intent(_TRAILING.sub("", text)) or other,)


def subject(text: str) -> str:
    """The name in some words: without articles and quotes, and without what is said after it."""
    stripped = text.strip(_AROUND)
    while (shorter := _TRAILING.sub("", _LEADING.sub("", stripped, count=1)).strip(_AROUND)) not in ("", stripped):
        stripped = shorter
    return stripped


def field_name(text: str) -> str:
    """The name of a field in some words: without articles."""
    return _LEADING.sub("", text.strip(_AROUND), count=1)


def quoted(text: str) -> str:
    """A value in some words: what is between its quotes, if it has any."""
    return text.strip(' \t\n"`«»“”') if text[:1] in '"`«“' else text.strip()


def words_of(text: str) -> frozenset[str]:
    """The words of a name, without accents and capitals."""
    return frozenset(re.findall(r"[^\W_]+", _folded(text)))


def without_quotes(text: str) -> str:
    """The text with nothing in its quotes, as long as before."""
    return _QUOTED.sub(lambda found: "_" * len(found[0]), text)


def bare(text: str) -> str:
    """The letters and digits alone, without accents and capitals, to compare names with words."""
    return re.sub(r"[\W_]+", "", _folded(text))


def _changes(text: str) -> Iterator[Intent]:
    """The changes that a text asks for, one after the other; "it" is what the one before was about."""
    about, begin = "", 0
    unquoted = without_quotes(text)
    for end, next_begin in [*(between.span() for between in _BETWEEN_CHANGES.finditer(unquoted)), (len(text),) * 2]:
        intent, rest = _intent(text[begin:end]), _intent(text[next_begin:])
        if intent and intent.name in CHANGES and (end == len(text) or (rest and rest.name in CHANGES)):
            begin, named = next_begin, intent.words.get("x", "")
            about = about if about and named == "it" else named
            yield replace(intent, words=intent.words | ({"x": about} if named else {}))


def _intent(text: str) -> Intent | None:
    folded = _folded(text)
    for name, language, sentence in _SENTENCES:
        if found := sentence.fullmatch(folded):
            return Intent(name, language, {slot: text[slice(*found.span(slot))] for slot in found.groupdict()})
    return None


def _folded(text: str) -> str:
    """The text without accents and capitals, as long as before."""
    return "".join(unicodedata.normalize("NFD", character)[0].lower()[:1] for character in text)


def _pattern(sentence: str) -> re.Pattern[str]:
    """The regular expression of a sentence; how it is written stands at the top of the table."""
    while (inserted := re.sub(r"<(\w+)>", lambda word: INTENTS["words"][word[1]], sentence)) != sentence:
        sentence = inserted
    for written, meant in (("(", "(?:"), ("[", "(?:"), ("]", ")?"), ("...", ".*"), (" ?", r"\s*"), (" ", r"\s+")):
        sentence = sentence.replace(written, meant)
    sentence = re.sub(r"\{(\w+):?(.*?)\}", lambda slot: f"(?P<{slot[1]}>{slot[2] or '.+?'})", sentence)
    return re.compile(sentence, re.DOTALL | re.IGNORECASE)


_BETWEEN_CHANGES = _pattern(r" ?(,|;|\.) (<then> )*| (<then> )+")
_POLITE = _pattern(r" ?[<asking>,? ]{x:.*?}[,? <thanks>](\s|\?|!|\.|,|;|:)*")
_FRENCH = _pattern(r"\b<french>\b")
_LEADING = _pattern(r"\A(<article> |(l|d)' ?)+")
_TRAILING = _pattern(
    r" (<node>|(in|of|dans|de) (this|the|ce|le) (graphe?|workflow|flux))\Z|(,|;|\?) ...| <besides>\b..."
)
_SENTENCES: tuple[tuple[str, Language, re.Pattern[str]], ...] = tuple(
    (name, language, _pattern(sentence))
    for name, row in INTENTS.items()
    for language in ("en", "fr")
    for sentence in row.get(language, ())
)


@dataclass(frozen=True, slots=True)
class Phrases:
    """The demo's own sentences."""

    language: Language

    def __call__(self, phrase: str, /, **parts: object) -> str:
        return str(PHRASES[self.language][phrase]).format(**parts)

    def naming(self, phrase: str, names: Sequence[str], total: int = 0) -> str:
        """The sentence with "A, B and C", and how many more there are; "" where there are none."""
        return self(phrase, names=self.joined(names, total), count=max(total, len(names))) if names else ""

    def joined(self, names: Sequence[str], total: int = 0) -> str:
        """ "A, B and C", and how many more there are; "" where there are none."""
        *before, last = self._listed(names, total) or [""]
        return f"{', '.join(before)} {self('and')} {last}" if before else last

    def lines(self, parts: Sequence[str], total: int = 0) -> str:
        """Each on a line of a list, and how many more there are."""
        return "\n".join(f"- {part}" for part in self._listed(parts, total))

    def _listed(self, parts: Sequence[str], total: int = 0) -> list[str]:
        shown = parts[:MAX_LISTED]
        more = max(total, len(parts)) - len(shown)
        return [*shown, self("more", count=more)] if more > 0 else [*shown]

    def code(self, text: str) -> str:
        """The beginning of some code, in a fence that it cannot end."""
        lines = text.strip().splitlines()
        fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", text)), default=0))
        heading = self("code" if len(lines) <= MAX_LINES else "code_begins")
        return "\n".join([heading, "", f"{fence}js", *lines[:MAX_LINES], fence])


def plain(value: Any) -> str:
    """A value on one line, without what Markdown would read as its own."""
    text = " ".join(re.sub(r"[`*_\[\]<>{}|\\]", " ", "" if value is None else str(value)).split())
    return text if len(text) <= MAX_CHARS else f"{text[:MAX_CHARS]}…"


def paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)
