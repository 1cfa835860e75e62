"""Values of fields are told in words, in both languages: neither JSON nor names of the program."""

import json
from typing import Any

import pytest

from chat.providers.demo.sentences import Language, Phrases
from chat.providers.demo.values import changed, told

SCORES = [{"axisId": "savings", "rating": 4}, {"axisId": "reach", "rating": None}]
AXES = [{"id": "savings", "name": "Savings", "weight": 3, "levels": [{"rating": 1, "label": "none", "points": 1}]}]


@pytest.mark.parametrize(
    ("field", "value", "en", "fr"),
    [
        ("status", "ready", "ready", "prêt"),
        ("status", "draft", "draft", "brouillon"),
        ("status", "generating", "generating", "en cours de génération"),
        ("status", "archived", "archived", "archivé"),
        ("data.valueScores", SCORES, "Savings 4; reach: not rated", "Savings 4\u202f; reach\u202f: sans note"),
        ("matrix_config.valueAxes", AXES, "Savings (weight 3)", "Savings (poids 3)"),
        ("matrix_config.thresholds", {"value": 36, "complexity": 25}, "value: 36; complexity: 25",
         "valeur\u202f: 36\u202f; complexité\u202f: 25"),
        ("data.risks", ["Fire", "Water"], "Fire; Water", "Fire\u202f; Water"),
        ("data.*", {"colour": ["red"], "size": {"a": 1}}, "colour: red; size: a: 1", None),
        ("data.domain", None, "–", "–"),
        ("data.risks", [], "–", "–"),
        ("data.done", True, "yes", "oui"),
    ],
)  # fmt: skip
def test_a_value_is_told_in_words(field: str, value: Any, en: str, fr: str | None) -> None:
    assert told(value, Phrases("en"), field, {"savings": "Savings"}) == en
    if fr is not None:
        assert told(value, Phrases("fr"), field, {"savings": "Savings"}) == fr


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("value", [["Fire " * 30, "Water " * 30], SCORES * 20, AXES * 9, {"a": "b" * 300}])
@pytest.mark.parametrize("most", [40, 80, 120])
def test_of_json_that_was_cut_only_what_is_whole_is_told(value: Any, most: int, language: Language) -> None:
    text = json.dumps(value)[:most] + "…"
    say = Phrases(language)
    for answer in (told(text, say, "data.risks"), changed(text, "nothing", say, "data.risks")):
        assert not set('{}[]"') & set(answer), answer


@pytest.mark.parametrize("scrap", ["…[1].rating: 4", '…"rating": 4}, {"axisId": "reach"…', '[{"axisId": "sav…'])
def test_of_a_scrap_of_json_only_the_field_is_told(scrap: str) -> None:
    assert changed(scrap, scrap, Phrases("fr"), "data.valueScores") == "notes de valeur\u202f: modifié"
    assert changed("…a text that ends so", "…a text that ends like this", Phrases("en"), "description") == (
        "description: …a text that ends so → …a text that ends like this"
    )
