"""config/locale: every text that people read is there in every language, with the same placeholders."""

import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po
from django.conf import settings
from django.utils import translation
from django.utils.translation.template import templatize

from chat.engine import error_texts

ROOT = Path(__file__).resolve().parents[1]
APPS = ("graphs", "rag", "chat", "config")
LANGUAGES = [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
KEYWORDS = {
    **dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop"), None),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
}
#: What a percent sign or a brace begins, as `%` and `str.format` and `t()` fill it in.
PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|%%|\{[^{}]*\}")
#: French sets a space that cannot break before these and inside its quotes, and a curved apostrophe.
NOT_FRENCH = re.compile(r" [;:?!»%](?![(])|« |[“”]|\w'\w")


def catalog(language: str) -> Catalog:
    with (ROOT / f"config/locale/{language}/LC_MESSAGES/django.po").open("rb") as file:
        return read_po(file, locale=language)


def messages(language: str) -> list[Message]:
    return [message for message in catalog(language) if message.id]


def sources(message: Message) -> tuple[str, ...]:
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


def texts(message: Message) -> tuple[str, ...]:
    return (message.string,) if isinstance(message.string, str) else tuple(message.string)


def in_python(source: str) -> set[tuple[str, ...]]:
    found = extract("python", io.BytesIO(source.encode()), KEYWORDS)
    return {(text,) if isinstance(text, str) else text for _line, text, _comments, _context in found}


def in_template(source: str) -> set[tuple[str, ...]]:
    return in_python("\n".join(line.lstrip() for line in templatize(source).splitlines()))


def in_the_product() -> Iterator[tuple[str, ...]]:
    for app in APPS:
        for path in (ROOT / app).rglob("*.py"):
            yield from in_python(path.read_text())
        for path in (ROOT / app).rglob("templates/**/*.html"):
            yield from in_template(path.read_text())
    for path in (ROOT / "templates").rglob("*.html"):
        yield from in_template(path.read_text())


def test_it_finds_texts_in_python_and_templates() -> None:
    found = set(in_the_product())
    assert ("Write a message first.",) in found
    assert ("Skip to content",) in found
    assert ("%(n)s node", "%(n)s nodes") in found
    assert ("Thinking…",) in found


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_has_every_text(language: str) -> None:
    known = {sources(message) for message in messages(language)}
    assert set(in_the_product()) - known == set(), "run `make messages`, then translate (docs/translating.md)"


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_translates_every_text(language: str) -> None:
    assert [message.id for message in messages(language) if message.fuzzy or not all(texts(message))] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_keeps_the_placeholders(language: str) -> None:
    wrong = [
        text
        for message in messages(language)
        for text in texts(message)
        if sorted(PLACEHOLDER.findall(text)) != sorted(PLACEHOLDER.findall(sources(message)[0]))
    ]
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_was_compiled(language: str) -> None:
    with (ROOT / f"config/locale/{language}/LC_MESSAGES/django.mo").open("rb") as file:
        compiled = {sources(message): texts(message) for message in read_mo(file) if message.id}
    assert compiled == {sources(message): texts(message) for message in messages(language)}, "run `make messages`"


def test_it_sets_french_as_french_is_set() -> None:
    found = [text for message in messages("fr") for text in texts(message) if NOT_FRENCH.search(text)]
    assert found == []


def test_it_calls_the_key_a_key() -> None:
    with translation.override("fr"):
        assert "clé" in error_texts.sentence("auth_error")
