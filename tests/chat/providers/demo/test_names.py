"""What the demo proposes to change is what is called as the person said, with the real tools."""

import pytest

from config.demo.records import Language
from graphs.models import Folder, UseCase
from tests.chat.providers.demo.conversing import Conversation
from tests.chat.providers.demo.recording import about
from tests.seeded import World, world

pytestmark = pytest.mark.django_db


@pytest.fixture
def here() -> World:
    return world()


def proposals(talk: Conversation) -> list[str]:
    return [name for name, _arguments in talk.calls if name.startswith("propose_")]


@pytest.mark.parametrize(
    ("name", "language", "question", "told"),
    [
        ("Picking routes", "en", "Delete Savings", "nothing called “Savings”"),
        ("Picking routes", "en", "Delete the invoice robot", "nothing called “invoice robot”"),
        ("Picking routes", "en", "Rename the invoice robot to Robin", "nothing called “invoice robot”"),
        ("Picking routes", "en", "Move Label check by camera to the storage", "nothing called “storage”"),
        ("Picking routes", "en", "Delete the folder Picking routes", "nothing called “folder Picking routes”"),
        ("Picking routes", "en", "Set the domain of pickers to Work", "nothing called “pickers”"),
        ("Tournées de préparation", "fr", "Supprime les palettes", "Rien ne s'appelle « palettes »"),
    ],
)
def test_what_nothing_is_called_is_not_changed(
    here: World, name: str, language: Language, question: str, told: str
) -> None:
    talk = about(here, name, language)
    answer = talk.ask(question)
    assert told in answer
    assert "{{" in answer, "the nearest names"
    assert proposals(talk) == []


def test_a_node_that_nothing_is_called_is_not_changed(here: World) -> None:
    talk = Conversation(here.alice, here.nba)
    assert "nothing called “players of the season”" in talk.ask("Delete the players of the season")
    assert proposals(talk) == []


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Delete demand forecast by article", "Demand forecast by article"),
        ("Delete the demand forecast", "Demand forecast by article"),
        ("Delete the use case Picking routes", "Picking routes"),
        ("Delete the use case DÉMAND FORECAST", "Demand forecast by article"),
    ],
)
def test_what_is_called_so_is_changed(here: World, question: str, name: str) -> None:
    talk = about(here, "Warehouse")
    talk.ask(question)
    row = UseCase.objects.get(name=name)
    tool, arguments = talk.calls[-1]
    assert (tool, arguments["object"]) == ("propose_delete_object", f"usecase:{row.pk}")


def test_this_record_is_the_one_at_hand(here: World) -> None:
    talk = about(here, "Picking routes")
    talk.ask("Delete this use case")
    assert talk.about is not None
    assert talk.calls[-1][1]["object"] == f"usecase:{talk.about.key}"


def test_a_name_of_several_is_asked_about(here: World) -> None:
    talk = about(here, "Customer service")
    answer = talk.ask("Delete replies")
    assert all(f"{{{{usecase:{row.pk}}}}}" in answer for row in UseCase.objects.filter(name__icontains="replies"))
    assert proposals(talk) == []


@pytest.mark.parametrize(
    ("name", "language", "question"),
    [
        ("Warehouse", "en", "Rate Picking routes on Savings with 5"),
        ("Warehouse", "en", "Rate Savings of Picking routes with 5"),
        ("Picking routes", "en", "Rate Picking routes on Savings with 5"),
        ("Northwind Logistics", "en", "Rate Picking routes on Savings with 5"),
        ("Entrepôt", "fr", "Note Tournées de préparation sur Économies à 5"),
    ],
)
def test_an_axis_is_rated_whichever_is_said_first(here: World, name: str, language: Language, question: str) -> None:
    talk = about(here, name, language)
    talk.ask(question)
    tool, arguments = talk.calls[-1]
    row = UseCase.objects.get(name="Picking routes" if language == "en" else "Tournées de préparation")
    assert (tool, arguments["object"]) == ("propose_update_object", f"usecase:{row.pk}")
    assert {"axisId": "savings", "rating": 5} in arguments["updates"]["data.valueScores"]


def test_a_question_still_takes_what_is_like_its_words(here: World) -> None:
    folder = Folder.objects.filter(name="Warehouse")
    talk = about(here, "Warehouse")
    assert folder.exists()
    assert "{{" in talk.ask("What is the invoice robot?")
