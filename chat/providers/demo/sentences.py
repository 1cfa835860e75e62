"""The sentences that the demo understands, and those that it says, out of its tables."""

import re
import tomllib
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from chat.providers.demo.folding import folded
from chat.providers.demo.naming import NAMES, one_of

Language = Literal["en", "fr"]
_FOLDER = Path(__file__).parent
_TABLES = {
    name: tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8"))
    for name in ("words", "changes", "suggestions", "questions", "phrases")
}
#: What people ask, in the order in which it is tried.
INTENTS: dict[str, Any] = _TABLES["changes"] | _TABLES["suggestions"] | _TABLES["questions"]
PHRASES = _TABLES["phrases"]
#: The intents that ask for a change; several of them may stand in one message.
CHANGES = frozenset(name for name, row in INTENTS.items() if {"node", "object", "means"} & row.keys())
SUGGESTIONS = frozenset(_TABLES["suggestions"])
#: Parts of sentences by their names; those that names of things make are added.
_PARTS = _TABLES["words"]["words"] | {table: one_of(table) for table in NAMES}
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


def understand(text: str, names: Collection[str] = ()) -> tuple[Intent, ...]:
    """The changes that a message asks for, in order, or its one question; the intent `other` for all else.

    Of a change in more words than are read the end is not known: that is the intent `too_long`. The `names` of things
    are no words of a sentence, whatever they say; nor is what stands in quotes.
    """
    whole = text.strip()
    text = unicodedata.normalize("NFC", _MENTION.sub(r"\1", whole[:MAX_READ])).translate(_AS_TYPED)
    polite = _POLITE.fullmatch(folded(text))
    text = text[slice(*polite.span("x"))] if polite else text
    sentence = _Sentence(text, _without_names(without_quotes(folded(text)), names))
    if changes := tuple(_changes(sentence)):
        return changes if len(whole) <= MAX_READ else (replace(changes[0], name="too_long"),)
    other = Intent("other", "fr" if _FRENCH.search(sentence.told) else "en", {"x": text})
    end = found.start() if (found := _TRAILING.search(sentence.told)) else len(text)
    return (_intent(sentence) or _intent(sentence.part(0, end)) or other,)


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


def without_quotes(text: str) -> str:
    """The text with nothing in its quotes, as long as before."""
    return _QUOTED.sub(lambda found: "_" * len(found[0]), text)


@dataclass(frozen=True, slots=True)
class _Sentence:
    """Some words as a person wrote them, and as they are compared: of equal length."""

    text: str
    told: str

    def part(self, begin: int, end: int) -> "_Sentence":
        return _Sentence(self.text[begin:end], self.told[begin:end])


def _changes(sentence: _Sentence) -> Iterator[Intent]:
    """The changes that a text asks for, one after the other; "it" is what the one before was about."""
    about, begin, whole = "", 0, len(sentence.text)
    between = (found.span() for found in _BETWEEN_CHANGES.finditer(sentence.told))
    for end, next_begin in [*between, (whole, whole)]:
        intent, rest = _intent(sentence.part(begin, end)), _intent(sentence.part(next_begin, whole))
        if intent and intent.name in CHANGES and (end == whole or (rest and rest.name in CHANGES)):
            begin, named = next_begin, intent.words.get("x", "")
            about = about if about and named == "it" else named
            yield replace(intent, words=intent.words | ({"x": about} if named else {}))


def _intent(sentence: _Sentence) -> Intent | None:
    """What the first sentence that fits asks for; of an intent that both languages say alike, as the text looks."""
    found: Intent | None = None
    for name, language, pattern in _SENTENCES:
        if found and (name != found.name or not _looks_french(sentence)):
            break
        if (found is None or language == "fr") and (fitting := pattern.fullmatch(sentence.told)):
            words = {slot: sentence.text[slice(*fitting.span(slot))] for slot in fitting.groupdict()}
            found = Intent(name, language, INTENTS[name].get("words", {}) | words)
            if language == "fr":
                break
    return found


def _looks_french(sentence: _Sentence) -> bool:
    if _FRENCH.search(sentence.told):
        return True
    return bool(_ACCENTED.search(sentence.text)) and not _ENGLISH.search(sentence.told)


def _without_names(told: str, names: Collection[str]) -> str:
    """The text with letters that are no words in the places of names of several words, the longest first."""
    several = {folded(unicodedata.normalize("NFC", name)).translate(_AS_TYPED) for name in names if " " in name}
    for name in sorted(several, key=len, reverse=True):
        told = told.replace(name, "_" * len(name))
    return told


def _pattern(sentence: str) -> re.Pattern[str]:
    """The regular expression of a sentence; how it is written stands at the top of `words.toml`."""
    while (inserted := re.sub(r"<(\w+)>", lambda word: _PARTS[word[1]], sentence)) != sentence:
        sentence = inserted
    sentence = re.sub(r"\((?!\?)", "(?:", sentence)
    for written, meant in (("[", "(?:"), ("]", ")?"), ("...", ".*"), (" ?", r"\s*"), (" ", r"\s+")):
        sentence = sentence.replace(written, meant)
    sentence = re.sub(r"\{(\w+):?(.*?)\}", lambda slot: f"(?P<{slot[1]}>{slot[2] or '.+?'})", sentence)
    return re.compile(sentence, re.DOTALL | re.IGNORECASE)


def _patterns(row: dict[str, Any], language: Language) -> Iterator[re.Pattern[str]]:
    """Those of an intent: its sentences, then the words that are enough to tell it."""
    yield from map(_pattern, row.get(language, ()))
    for words in row.get("by_words", {}).get(language, ()):
        yield re.compile(rf".*(?<![\w-])(?:{_pattern(words).pattern})(?![\w-]).*", re.DOTALL | re.IGNORECASE)


_BETWEEN_CHANGES = _pattern(r" ?(,|;|\.) (<then> )*| (<then> )+")
_POLITE = _pattern(r" ?[<asking>,? ]{x:.*?}[,? <thanks>](\s|\?|!|\.|,|;|:)*")
_ACCENTED = re.compile("[àâçéèêëîïôùûœ]", re.IGNORECASE)
_ENGLISH = _pattern(r"\b(the|is|are|which|what|of|and|with|show|find|how|any|there|to)\b")
_FRENCH = _pattern(r"\b<french>\b")
_LEADING = _pattern(r"\A(<article> |(l|d)' ?)+")
_TRAILING = _pattern(
    r" (<node>|(in|of|dans|de) (this|the|ce|le) (graphe?|workflow|flux))\Z|(,|;|\?) ...| <besides>\b..."
)
_LANGUAGES: tuple[Language, ...] = ("en", "fr")
_SENTENCES: tuple[tuple[str, Language, re.Pattern[str]], ...] = tuple(
    (name, language, pattern)
    for name, row in INTENTS.items()
    for language in _LANGUAGES
    for pattern in _patterns(row, language)
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


def plain(value: Any, most: int = MAX_CHARS) -> str:
    """A value on one line, without what Markdown would read as its own."""
    text = " ".join(re.sub(r"[`*_\[\]<>{}|\\]", " ", "" if value is None else str(value)).split())
    return text if len(text) <= most else f"{text[:most]}…"


def paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)
