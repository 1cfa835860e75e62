"""What the demo says of the matrix: why a use case stands where it does, and which are worth it."""

import re

import pytest

from config.demo.records import Language
from graphs.models import Folder, UseCase
from tests.chat.providers.demo.conversing import Conversation
from tests.chat.providers.demo.recording import about, names
from tests.seeded import World, world

pytestmark = pytest.mark.django_db
FORECAST = "Demand forecast by article"


@pytest.fixture
def here() -> World:
    return world()


@pytest.mark.parametrize(
    ("name", "language", "question", "told"),
    [
        ("Picking routes", "en", "Why does it stand where it does in the matrix?", ["43 points", "8 × weight 3 = 24"]),
        ("Warehouse", "en", "Why is Picking routes where it is in the matrix?", ["43 points", "= 24"]),
        ("Picking routes", "en", "Why is it a quick win?", ["“quick win”", "43 points", "8 × weight 3 = 24"]),
        ("Warehouse", "en", "Why is Picking routes a quick win?", ["“quick win”", "high is from 36 on", "= 24"]),
        ("Northwind Logistics", "en", "Why is Picking routes a quick win?", ["“quick win”", "43 points", "= 24"]),
        ("Customer service", "en", "What is the value of Picking routes?", ["43 points", "high is from 36 on"]),
        ("Warehouse", "en", "Is Demand forecast by article a quick win?", ["under “quick win”, but", "large project"]),
        ("Mood of customers", "en", "Why is it a quick win?", ["no place", "Customers notice: not rated"]),
        ("Entrepôt", "fr", "Pourquoi Tournées de préparation est-il un gain rapide ?", ["× poids 3 = 24"]),
        ("Humeur des clients", "fr", "Pourquoi est-il là dans la matrice ?", ["pas encore de place", "sans note"]),
        ("Warehouse", "en", "Why is Warehouse a quick win?", ["Only use cases are rated"]),
        ("Warehouse", "en", "Why is the invoice robot a quick win?", ["nothing called “invoice robot”"]),
    ],
)  # fmt: skip
def test_why_a_use_case_stands_where_it_does(
    here: World, name: str, language: Language, question: str, told: list[str]
) -> None:
    answer = about(here, name, language).ask(question).replace("\u202f", " ")
    assert [part for part in told if part not in answer] == []


@pytest.mark.parametrize(
    ("name", "question", "first"),
    [
        ("Warehouse", "What are the quick wins?", ["Label check by camera", "Picking routes"]),
        ("Warehouse", "Which are hard to justify?", ["Maintenance of conveyors", "Trucks that unload themselves"]),
        ("Warehouse", "Which use cases are the most valuable?", [FORECAST, "Picking routes"]),
        ("Warehouse", "Which are the easiest?", ["Label check by camera", "Stock count by drone"]),
        ("Warehouse", "Which are the two most complex?", ["Trucks that unload themselves", FORECAST]),
        ("Northwind Logistics", "Which are the best?", ["Answers about where a parcel is", "Label check by camera"]),
        ("Picking routes", "What should we do first?", ["Label check by camera", "Picking routes"]),
    ],
)  # fmt: skip
def test_what_is_worth_it_is_said_in_its_order(here: World, name: str, question: str, first: list[str]) -> None:
    assert names(about(here, name).ask(question))[:2] == first


def test_of_more_than_it_looks_at_it_says_how_many(here: World) -> None:
    talk = about(here, "Northwind Logistics")
    folder = Folder.objects.get(name="Warehouse")
    for number in range(54):
        data = {"name": f"A spare {number:02}"}
        UseCase.objects.create(workspace=folder.workspace, folder=folder, name=data["name"], data=data)
    assert re.search(r"I looked at \d+ of 66 only", talk.ask("What are the quick wins?"))


def test_about_nothing_it_looks_at_all_use_cases(here: World) -> None:
    about(here, "Warehouse")
    answer = Conversation(here.alice, None).ask("What are the quick wins?")
    assert len(names(answer)) == 5
    assert "only" not in answer
