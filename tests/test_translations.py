"""config/locale: every text that people read is there in every language, with the same placeholders."""

import ast
import html
import io
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from babel.messages import Message
from babel.messages.extract import extract
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po
from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext
from django.utils.translation.template import templatize

from chat.engine import error_texts

#: In one process, so that what takes long is found once.
pytestmark = pytest.mark.xdist_group("translations")
ROOT = Path(__file__).resolve().parents[1]
APPS = ("graphs", "rag", "chat", "config")
LANGUAGES = [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
KEYWORDS = {
    **dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop"), None),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
}
#: Of pages and the API, and of scripts.
DOMAINS = ("django", "djangojs")
EVERY = [(language, domain) for language in LANGUAGES for domain in DOMAINS]
#: The text that a script says, and whatever looks as if it said one.
SAID = re.compile(r"""(?<![\w.])t\(\s*("(?:[^"\\]|\\.)*")""")
SAYING = re.compile(r"(?<![\w.])(?<!function )t\(")
#: What a percent sign or a brace begins, as `%` and `str.format` and `t()` fill it in.
PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|%%|\{[^{}]*\}")
#: French sets a space that cannot break before these (a narrow one before some) and inside its quotes, and a curved
#: apostrophe.
NOT_FRENCH = re.compile(r""" [;:?!»%](?![(])|\u00a0[;?!]|« |["“”]|\w'\w""")
#: A value that brings its quotes along has English ones in every language.
BRINGS_QUOTES = re.compile(r"""=f'"\{""")
#: What a template says besides its texts: comments, scripts, tags of Django's, names of classes.
NO_TEXT = re.compile(
    r"\{#.*?#\}|\{% comment %\}.*?\{% endcomment %\}"
    r"|\{% *(block)?translate\b(?(1).*?endblocktranslate *)[^%]*%\}|<(script|style)\b.*?</\2>|<!--.*?-->"
    r"|\{% block \w*(?:class|coltype)\w* %\}.*?\{% endblock[^%]*%\}|\{%.*?%\}|\{\{.*?\}\}",
    re.DOTALL,
)
#: What people read of a tag.
ATTRIBUTE = re.compile(r"""\s(?:title|placeholder|aria-label|aria-description|alt|summary)\s*=\s*"([^"]*)\"""")
TAG = re.compile(r"<[^>]*>", re.DOTALL)
WORD = re.compile(r"[^\W\d_]{2,}")
#: Two words of a sentence.
WORDS = re.compile(r"[^\W\d_]+ [a-z]{2,}")
#: Comments of a script, and its texts with what stands before them.
#: The context of a text, and the text: its plural, too, where it has one.
Source = tuple[str | None, ...]
COMMENT = re.compile(r"/\*.*?\*/|^\s*//.*?$", re.DOTALL | re.MULTILINE)
LITERAL = re.compile(r"""(\bt\(\s*|Error\(\s*|)("(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)""")
BEGINS_A_SENTENCE = re.compile(r"(?<![.#\w-])[A-Z][a-z]+ [a-z]{2,}")
#: What takes a sentence for people; `Problem` of config is for operators.
SAYS = {
    "Refused", "ChangeRefused", "Problem", "BadJSON", "Forbidden", "KeyTaken", "KeyInvalid", "RollbackRefused",
    "BudgetRefused", "Unacceptable", "ValidationError", "ValueError", "invalid", "refuse", "add_error",
}  # fmt: skip
#: `ValueError` is for people where a door's models are; elsewhere it is a mistake of the program.
CHECKED = (
    "graphs/workflows/actions.py",
    "graphs/objects/strict.py",
    "graphs/site/json_values.py",
    "graphs/objects/actions.py",
    "graphs/records/texts.py",
    "graphs/records/folders.py",
    "graphs/records/use_cases.py",
)


def file(language: str, domain: str, ending: str) -> Path:
    return ROOT / f"config/locale/{language}/LC_MESSAGES/{domain}.{ending}"


@cache
def messages(language: str, domain: str) -> list[Message]:
    with file(language, domain, "po").open("rb") as opened:
        return [message for message in read_po(opened, locale=language) if message.id]


def source(message: Message) -> Source:
    context = message.context.decode() if isinstance(message.context, bytes) else message.context
    return context, *((message.id,) if isinstance(message.id, str) else message.id)


def texts(message: Message) -> tuple[str, ...]:
    return (message.string,) if isinstance(message.string, str) else tuple(message.string)


def in_python(source: str) -> set[Source]:
    found = extract("python", io.BytesIO(source.encode()), KEYWORDS)
    return {(context, *((text,) if isinstance(text, str) else text)) for _line, text, _comments, context in found}


def in_template(source: str) -> set[Source]:
    return in_python("\n".join(line.lstrip() for line in templatize(source).splitlines()))


def in_scripts(source: str) -> set[Source]:
    return {(None, json.loads(text)) for text in SAID.findall(source)}


def scripts() -> Iterator[Path]:
    for app in APPS:
        yield from (ROOT / app).rglob("static/**/*.js")


@cache
def in_the_product(domain: str) -> frozenset[Source]:
    return frozenset(_in_the_product(domain))


def _in_the_product(domain: str) -> Iterator[Source]:
    if domain == "djangojs":
        for path in scripts():
            yield from in_scripts(path.read_text())
        return
    for app in APPS:
        for path in (ROOT / app).rglob("*.py"):
            yield from in_python(path.read_text())
        for path in (ROOT / app).rglob("templates/**/*.html"):
            yield from in_template(path.read_text())
    for path in (ROOT / "templates").rglob("*.html"):
        yield from in_template(path.read_text())


def unmarked_in_template(source: str) -> list[str]:
    without = NO_TEXT.sub(" ", source)
    read = " ".join([TAG.sub(" ", without), *ATTRIBUTE.findall(without)])
    return [word for word in WORD.findall(html.unescape(read)) if word != "Countersign"]


def unmarked_in_script(source: str) -> list[str]:
    literals = LITERAL.findall(COMMENT.sub(" ", source))
    return [text for before, text in literals if not before and BEGINS_A_SENTENCE.search(text)]


def unmarked_in_python(source: str, names: set[str]) -> list[str]:
    """Sentences that are given as they are to what takes one for people."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    saying = [call for call in calls if getattr(call.func, "id", getattr(call.func, "attr", "")) in names]
    given = [value for call in saying for value in (*call.args, *(each.value for each in call.keywords))]
    parts = [part for value in given for part in (value.values if isinstance(value, ast.JoinedStr) else [value])]
    texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return [text for text in texts if WORDS.search(text)]


def test_it_finds_what_is_not_marked() -> None:
    template = """{% block bodyclass %}no words{% endblock %}<p title="Read me">{# no #}{% translate "Yes" %}{{ no }}
        {% blocktranslate %}No {{ more }} words{% endblocktranslate %} Hello<script>let words</script></p>"""
    assert unmarked_in_template(template) == ["Hello", "Read", "me"]
    assert unmarked_in_script('t("A text"); say("Not found");\n// "No text"\nthrow Error("No text")') == ['"Not found"']
    python = """raise Refused("code", f"Not {x} so fast", _("Not me")); raise Refused("code", sentence, field="a.b")"""
    assert unmarked_in_python(python, SAYS) == [" so fast"]


def test_templates_say_nothing_that_is_not_translated() -> None:
    places = [ROOT / "templates", *(ROOT / app for app in APPS)]
    paths = [path for place in places for path in place.rglob("*.html")]
    assert len(paths) > 30
    assert {path: words for path in paths if (words := unmarked_in_template(path.read_text()))} == {}
    # A colon between two texts is set otherwise in French.
    translated = re.compile(r"{% blocktranslate.*?{% endblocktranslate %}", re.DOTALL)
    assert [path for path in paths if "}}: {{" in translated.sub("", path.read_text())] == []


def test_scripts_say_nothing_that_is_not_translated() -> None:
    assert {path: texts for path in scripts() if (texts := unmarked_in_script(path.read_text()))} == {}


def test_refusals_say_nothing_that_is_not_translated() -> None:
    found = {}
    for path in (path for app in ("graphs", "rag", "chat") for path in (ROOT / app).rglob("*.py")):
        names = SAYS if str(path.relative_to(ROOT)) in CHECKED else SAYS - {"ValueError"}
        if texts := unmarked_in_python(path.read_text(), names):
            found[path] = texts
    assert found == {}


def test_it_finds_texts_in_python_templates_and_scripts() -> None:
    found = in_the_product("django")
    assert (None, "Write a message first.") in found
    assert (None, "Skip to content") in found
    assert (None, "%(shown)s node", "%(shown)s nodes") in found
    assert (None, "Thinking…") in in_the_product("djangojs")


def test_scripts_say_nothing_that_cannot_be_found() -> None:
    for path in scripts():
        source = path.read_text()
        assert len(SAYING.findall(source)) == len(SAID.findall(source)), path


@pytest.mark.parametrize(("language", "domain"), EVERY)
def test_it_has_every_text(language: str, domain: str) -> None:
    known = {source(message) for message in messages(language, domain)}
    assert in_the_product(domain) - known == set(), "run `make messages`, then translate (docs/translating.md)"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_of_scripts_is_translated_in_vain(language: str) -> None:
    known = {source(message) for message in messages(language, "djangojs")}
    assert known - in_the_product("djangojs") == set(), "run `make messages`"


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_and_scripts_say_one_text_alike(language: str) -> None:
    of_pages, of_scripts = (
        {message.id: texts(message) for message in messages(language, domain) if not message.context}
        for domain in DOMAINS
    )
    differ = {text for text in of_pages.keys() & of_scripts.keys() if of_pages[text] != of_scripts[text]}
    assert differ == set()


@pytest.mark.parametrize(("language", "domain"), EVERY)
def test_it_translates_every_text(language: str, domain: str) -> None:
    assert [message.id for message in messages(language, domain) if message.fuzzy or not all(texts(message))] == []


@pytest.mark.parametrize(("language", "domain"), EVERY)
def test_it_keeps_the_placeholders(language: str, domain: str) -> None:
    wrong = [
        text
        for message in messages(language, domain)
        for text in texts(message)
        if sorted(PLACEHOLDER.findall(text)) != sorted(PLACEHOLDER.findall(str(source(message)[1])))
    ]
    assert wrong == []


@pytest.mark.parametrize(("language", "domain"), EVERY)
def test_it_was_compiled(language: str, domain: str) -> None:
    with file(language, domain, "mo").open("rb") as opened:
        compiled = {source(message): texts(message) for message in read_mo(opened) if message.id}
    assert compiled == {source(message): texts(message) for message in messages(language, domain)}, (
        "run `make messages`"
    )


def test_it_sets_french_as_french_is_set() -> None:
    every = (message for domain in DOMAINS for message in messages("fr", domain))
    found = [text for message in every for text in texts(message) if NOT_FRENCH.search(text)]
    assert found == []


def test_quotes_stand_in_texts_and_not_in_what_is_put_into_them() -> None:
    with translation.override("fr"):
        assert gettext('There is no "{object}".').format(object="x") == "Il n’y a pas de «\u00a0x\u00a0»."
    sources = (path for app in APPS for path in (ROOT / app).rglob("*.py"))
    assert [path for path in sources if BRINGS_QUOTES.search(path.read_text())] == []


def test_it_calls_the_key_a_key() -> None:
    with translation.override("fr"):
        assert "clé" in error_texts.sentence("auth_error")


_COUNTED = re.compile(r"{% blocktranslate (?:[^%]* )?count (\w+)=[^%]*%}(.*?){% endblocktranslate %}", re.DOTALL)


def test_pages_write_counts_as_numbers_are_written() -> None:
    """“1000 records” is “1,000 records”, and other signs stand between in other languages: `intcomma` knows."""
    pages = {path: path.read_text() for path in (ROOT / "templates").rglob("*.html")}
    del pages[ROOT / "templates" / "admin" / "search_form.html"]  # is Django's, which a test compares
    counted = [(path, *found) for path, page in pages.items() for found in _COUNTED.findall(page)]
    assert len(counted) > 20
    assert [(str(path), text) for path, name, text in counted if f"{{{{ {name} }}}}" in text] == []
