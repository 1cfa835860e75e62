"""What the demo finds missing in records: it claims no more than it looked at."""

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


def test_it_claims_no_more_than_it_was_given(here: World) -> None:
    talk = about(here, "Warehouse")
    folder = Folder.objects.get(name="Warehouse")
    for number in range(54):
        data = {"name": f"Spare {number:02}", "description": "Something."}
        UseCase.objects.create(workspace=folder.workspace, folder=folder, name=data["name"], data=data)
    answer = talk.ask("What is missing?")
    assert "Of the 60 that it holds I was given 20" in answer
    assert "Empty: problem" in answer


@pytest.mark.parametrize(
    ("name", "language", "question", "told"),
    [
        ("Warehouse", "en", "What is missing in Picking routes?", "constraints"),
        ("Warehouse", "en", "What is missing in Mood of customers?", "Customers notice"),
        ("Picking routes", "en", "What is missing?", "constraints"),
        ("Northwind Logistics", "en", "What is missing?", "Of the 2 that it holds I was given 2"),
        ("Entrepôt", "fr", "Que manque-t-il dans Tournées de préparation ?", "contraintes"),
    ],
)
def test_the_empty_fields_of_a_record_are_named(
    here: World, name: str, language: Language, question: str, told: str
) -> None:
    assert told in about(here, name, language).ask(question)


def test_of_a_node_nothing_is_claimed(here: World) -> None:
    assert "nothing missing" not in Conversation(here.alice, here.nba).ask("What is missing in fetch-api?")
