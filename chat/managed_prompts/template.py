"""`{{name}}` in the text of a prompt, and nothing else, stands for a value. No text and no value runs code."""

import re
from collections.abc import Collection, Iterator, Mapping

from django.conf import settings
from django.utils.translation import gettext as _

from chat.managed_prompts.variables import ASKS
from rag.texts.fencing import fenced

MAX_TEXT_CHARS = 12_000
_BRACES = re.compile(r"\{\{([^{}]*)\}\}")
#: What begins as a variable does, and does not end as one.
_UNCLOSED = re.compile(r"\{\{\s*[a-z][a-z0-9_]*", re.ASCII)
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}", re.ASCII)
#: How links in answers are written; they are words like any others.
_LINK = re.compile(r"[a-z_A-Z]+:[^\s{}]+", re.ASCII)


class WrongText(Exception):
    """A text that cannot be saved: the field of the wire that is wrong, and a sentence that says what to do."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field
        self.sentence = sentence


def checked(type_: str, texts: Mapping[str, str], variables: Collection[str] | None) -> list[str]:
    """The variables of a prompt of that type, without `variables` those that its texts have. Raises `WrongText`."""
    for language, text in texts.items():
        _require_text(language, text)
    if not texts:
        raise WrongText("text", _("Write the text in one language at least."))
    used = {language: set(_used(language, text)) for language, text in texts.items()}
    declared = set().union(*used.values()) if variables is None else set(variables)
    asks = ASKS[type_]
    if unknown := declared - set(asks.names):
        where = next((f"text.{language}" for language, names in used.items() if names & unknown), "variables")
        raise WrongText(where, _unknown(sorted(unknown)[0], asks.names))
    for language, names in used.items():
        if undeclared := names - declared:
            raise WrongText(f"text.{language}", _unknown(sorted(undeclared)[0], sorted(declared)))
        if missing := (declared | set(asks.required)) - names:
            sentence = _("The text lacks {name}. Each language needs the same variables.")
            raise WrongText(f"text.{language}", sentence.format(name=_written(sorted(missing)[0])))
    return [name for name in asks.names if name in declared]


def rendered(text: str, values: Mapping[str, str]) -> str:
    """The text with each value in its place, fenced as data. What stands in a value is never looked for variables."""
    return _BRACES.sub(
        lambda found: fenced(found[1], values[found[1]]) if _NAME.fullmatch(found[1]) else found[0], text
    )


def _require_text(language: str, text: str) -> None:
    known = dict(settings.LANGUAGES)
    if language not in known:
        sentence = _("There is no language “{language}” here. Languages: {known}.")
        raise WrongText("text", sentence.format(language=language[:10], known=", ".join(known)))
    if not text.strip():
        raise WrongText(f"text.{language}", _("Write a text, or leave this language out."))
    if len(text) > MAX_TEXT_CHARS:
        sentence = _("The text has {length} characters; at most {limit} can be saved.")
        raise WrongText(f"text.{language}", sentence.format(length=len(text), limit=MAX_TEXT_CHARS))


def _used(language: str, text: str) -> Iterator[str]:
    wrong = _UNCLOSED.search(_BRACES.sub("", text))
    for found in _BRACES.finditer(text):
        if _NAME.fullmatch(found[1]):
            yield found[1]
        elif not _LINK.fullmatch(found[1]):
            wrong = found
            break
    if wrong:
        sentence = _("“{text}” is no variable. A variable is a name in two pairs of braces, without spaces.")
        raise WrongText(f"text.{language}", sentence.format(text=wrong[0][:60]))


def _unknown(name: str, known: Collection[str]) -> str:
    sentence = _("There is no variable {name} here. Variables: {known}.")
    return sentence.format(name=_written(name), known=", ".join(map(_written, known)) or "–")


def _written(name: str) -> str:
    return "{{" + name[:40] + "}}"
