"""Ways to ask the same, in both languages: each is understood as what it asks for."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from chat.providers.demo.sentences import INTENTS, understand

TABLE = tomllib.loads((Path(__file__).parent / "phrasings.toml").read_text("utf-8"))
#: Names as they are in the demo's company, and such as make it hard: with words of sentences in them.
NAMES = (
    {"X": "Picking routes", "Y": "Label check by camera", "Z": "Warehouse"},
    {"X": "Research and development", "Y": "Complaints checked against the contract", "Z": "Sales in the north"},
    {"X": "Tournées de préparation", "Y": "Contrôle des étiquettes par caméra", "Z": "Service client"},
)
#: What both languages say alike: the names decide.
IN_EITHER = ("Archive {X}", "Please archive {X}", "{X} vs {Y}", "{X} versus {Y}")
#: Of these there are twenty ways at least in each language.
MANY = (
    "held",
    "missing",
    "compare",
    "versions",
    "rate",
    "better",
    "move",
    "delete",
    "rename",
    "alike",
    "summary",
    "why",
)


def phrasings() -> Iterator[tuple[str, str, str]]:
    for intent, languages in TABLE.items():
        for language, texts in languages.items():
            for text in texts:
                yield intent, language, text


@pytest.mark.parametrize(("intent", "language", "text"), [*phrasings()])
def test_a_way_to_ask_is_understood(intent: str, language: str, text: str) -> None:
    for names in NAMES:
        (found,) = understand(text.format(**names), names.values())
        assert found.name == intent
        assert found.language == language or text in IN_EITHER
        said = {value.strip("?! ") for value in found.words.values()}
        for slot in ("X", "Y"):
            if f"{{{slot}}}" in text:
                assert any(names[slot] in value for value in said), (slot, found)


@pytest.mark.parametrize("intent", MANY)
def test_there_are_twenty_ways_in_each_language(intent: str) -> None:
    assert all(len(set(TABLE[intent][language])) >= 20 for language in ("en", "fr"))


def test_every_intent_of_records_has_its_ways() -> None:
    of_graphs = {"replace", "disconnect", "connect", "insert", "arrange", "create", "set", "after", "before", "failure"}
    of_graphs |= {f"{change}_sheet" for change in ("create", "rename", "order", "delete")}
    others = {"unknown", "again", "propose_it", "more", "answered_holder"}
    elsewhere = {"history", "errors", "list", "find", "detail", "web_search", "web_page"}
    assert TABLE.keys() == INTENTS.keys() - of_graphs - others - elsewhere
