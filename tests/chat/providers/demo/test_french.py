"""What the demo answers in French is French: no English status, no name of the program, no scrap of JSON."""

import re

import pytest

from graphs.history import editing
from graphs.models import UseCase
from graphs.objects.actions import parse
from tests.chat.providers.demo.recording import about
from tests.seeded import World, world

pytestmark = pytest.mark.django_db
QUESTIONS = (
    "De quoi s'agit-il ?", "Quels cas d'usage y a-t-il ?", "Lesquels sont prêts ?", "Que manque-t-il ?",
    "Pourquoi Tournées de préparation est-il un gain rapide ?", "Quels sont les gains rapides ?",
    "Compare Tournées de préparation et Inventaire par drone", "Compare Entrepôt et Service client",
    "Que dit la synthèse ?", "Quels cas d'usage se ressemblent ?", "Lesquels se complètent ?",
    "Que pourrait-on améliorer ?", "Y a-t-il des incohérences ?", "Quels cas d'usage servent les objectifs ?",
    "Qu'est-ce qui a changé dans Tournées de préparation ?", "Compare les versions 1 et 3 de Tournées de préparation",
    "Décris Tournées de préparation", "Décris Entrepôt", "Décris Northwind Logistics",
    "Quels sont les risques de Tournées de préparation ?", "Quels dossiers y a-t-il ?",
)  # fmt: skip
OF_THE_PROGRAM = ("draft", "ready", "archived", "generating", "axisId", "rating", "valueScores", "matrix_config",
                  "data.", "nextSteps", "usecase ", "highValue", "lowValue", "update ", "true",
                  "None", "null")  # fmt: skip


@pytest.fixture
def here() -> World:
    return world()


@pytest.mark.parametrize("name", ["Northwind Logistics", "Entrepôt", "Service client", "Tournées de préparation"])
def test_no_answer_has_words_of_the_program(here: World, name: str) -> None:
    about(here, name, "fr")
    talk = about(here, "Tournées de préparation", "fr")
    assert talk.about is not None
    for updates in (
        {"status": "draft", "data.risks": ["Incendie " * 15, "Eau " * 15]},
        {"data.valueScores": [{"axisId": "savings", "rating": 5}, {"axisId": "reach", "rating": None}]},
    ):
        action = parse("update_object", {"object": f"usecase:{talk.about.key}", "updates": updates})
        editing.edit(here.alice, talk.about, editing.Request([action]))
    assert UseCase.objects.filter(status="draft", name="Tournées de préparation").exists()
    talk = about(here, name, "fr")
    for question in QUESTIONS:
        answer = re.sub(r"\{\{\w+:[0-9a-f-]+\}\}", "", talk.ask(question))
        assert [word for word in OF_THE_PROGRAM if word in answer] == [], (question, answer)
        assert not re.search(r'[{}\[\]"]', answer), (question, answer)


@pytest.mark.parametrize(
    ("question", "status"),
    [
        ("Mets le statut à prêt", "ready"), ("Mets l'état à prête", "ready"), ("Marque-le comme archivé", "archived"),
        ("Passe le statut à archivé", "archived"), ("Archive-le", "archived"), ("Mets le statut en brouillon", "draft"),
        ("Set the status to ready", "ready"), ("Mark it as archived", "archived"), ("Set the status to draft", "draft"),
        ("Archive it", "archived"), ("Set the status to brouillon", "draft"), ("Mets le statut à ready", "ready"),
    ],
)  # fmt: skip
def test_a_status_is_set_by_its_name_in_either_language(here: World, question: str, status: str) -> None:
    talk = about(here, "Réponses suggérées", "fr")
    assert talk.about is not None
    UseCase.objects.filter(pk=talk.about.key).update(status="generating")
    answer = talk.ask(question)
    assert talk.calls[-1][1]["updates"] == {"status": status}
    if question.startswith(("M", "P", "A")) and "it" not in question:
        assert status not in answer


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Mets le statut à en cours de génération", "brouillon, prêt et archivé"),
        ("Mets le statut à zut", "« zut » n'est pas un état"),
        ("Set the status to generating", "draft, ready and archived"),
        ("Set the status to foo", "“foo” is no status"),
        ("Mets le statut à brouillon", "a déjà « brouillon »"),
        ("Set the status to draft", "“draft” as status already"),
    ],
)
def test_a_status_that_cannot_be_set_is_told(here: World, question: str, told: str) -> None:
    talk = about(here, "Réponses suggérées", "fr")
    assert told in talk.ask(question).replace("\u202f", " ")
    assert not [name for name, _arguments in talk.calls if name.startswith("propose_")]
