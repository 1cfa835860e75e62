"""How many records the demo counts, and which it lists by their status, with the real tools."""

import pytest

from config.demo.records import Language
from graphs.models import Company, Folder, UseCase
from tests.chat.providers.demo.conversing import Conversation
from tests.chat.providers.demo.recording import about, names
from tests.seeded import World, world

pytestmark = pytest.mark.django_db


@pytest.fixture
def here() -> World:
    return world()


def full(here: World, name: str, language: Language = "en") -> Conversation:
    """A conversation about a record of the demo, where the folder Warehouse has 60 use cases."""
    talk = about(here, name, language)
    folder = Folder.objects.get(name="Warehouse" if language == "en" else "Entrepôt")
    for number in range(54):
        data = {"name": f"Spare {number:02}"}
        UseCase.objects.create(workspace=folder.workspace, folder=folder, name=data["name"], data=data)
    return talk


@pytest.mark.parametrize(
    ("name", "language", "question", "told", "calls"),
    [
        ("Warehouse", "en", "How many use cases are there?", "I count 60:", 0),
        ("Warehouse", "en", "How many use cases are in this folder?", "I count 60:", 0),
        ("Warehouse", "en", "List the use cases", "I count 60:", 1),
        ("Northwind Logistics", "en", "How many use cases are there?", "I count 66:", 0),
        ("Northwind Logistics", "en", "How many use cases does it have?", "I count 66:", 0),
        ("Northwind Logistics", "en", "Which folders does it have?", "I count 2:", 0),
        ("Northwind Logistics", "en", "Which use cases are there?", "I count 66:", 2),
        ("Picking routes", "en", "How many use cases are there?", "I count 60:", 1),
        ("Customer service", "en", "How many use cases are in Warehouse?", "I count 60:", 3),
        ("Entrepôt", "fr", "Combien de cas d’usage y a-t-il ?", "J'en compte 60 :", 0),
        ("Northwind Logistics", "fr", "Combien de cas d’usage y a-t-il ?", "J'en compte 66 :", 0),
        ("Service client", "fr", "Combien de cas d'usage y a-t-il dans Entrepôt ?", "J'en compte 60 :", 3),
    ],
)  # fmt: skip
def test_all_that_a_record_holds_is_counted(
    here: World, name: str, language: Language, question: str, told: str, calls: int
) -> None:
    talk = full(here, name, language)
    answer = talk.ask(question)
    assert told in answer.replace("\u202f", " ")
    assert len(talk.calls) == calls


def test_what_another_company_has_is_not_counted(here: World) -> None:
    talk = full(here, "Northwind Logistics")
    other = Company.objects.create(workspace=here.alice.workspace, name="Other")
    folder = Folder.objects.create(workspace=here.alice.workspace, company=other, name="Others")
    UseCase.objects.create(workspace=here.alice.workspace, folder=folder, name="Another", data={"name": "Another"})
    assert "I count 66:" in talk.ask("How many use cases are there?")
    assert "I count 2:" in talk.ask("How many folders are there?")


def test_it_says_at_least_where_not_all_folders_are_known(here: World) -> None:
    talk = full(here, "Northwind Logistics")
    company = Company.objects.get(name="Northwind Logistics")
    for number in range(30):
        folder = Folder.objects.create(workspace=company.workspace, company=company, name=f"Folder {number}")
        name = f"Of {number}"
        UseCase.objects.create(workspace=company.workspace, folder=folder, name=name, data={"name": name})
    assert "at least" in talk.ask("How many use cases are there?")
    assert "I count 32:" in talk.ask("How many folders are there?")


@pytest.mark.parametrize(
    ("language", "question", "told"),
    [
        ("en", "How many companies are there?", "I count 1:"),
        ("en", "How many executive summaries are there?", "I count 2:"),
        ("fr", "Combien d'entreprises y a-t-il ?", "J'en compte 1 :"),
        ("fr", "Liste les synthèses", "J'en compte 2 :"),
    ],
)
def test_kinds_are_understood_in_the_plural(here: World, language: Language, question: str, told: str) -> None:
    talk = about(here, "Warehouse" if language == "en" else "Entrepôt", language)
    assert told in talk.ask(question).replace("\u202f", " ")
    assert [name for name, _arguments in talk.calls] == ["list_objects"]


@pytest.mark.parametrize(
    ("name", "language", "question", "status", "calls"),
    [
        ("Warehouse", "en", "How many use cases are ready?", "ready", 0),
        ("Warehouse", "en", "Which ones are ready?", "ready", 0),
        ("Warehouse", "en", "Which use cases are archived?", "archived", 0),
        ("Warehouse", "en", "List the ready use cases", "ready", 0),
        ("Picking routes", "en", "Which use cases are ready?", "ready", 1),
        ("Entrepôt", "fr", "Combien de cas d’usage sont prêts ?", "ready", 0),
        ("Entrepôt", "fr", "Lesquels sont prêts ?", "ready", 0),
        ("Entrepôt", "fr", "Quels cas d'usage sont archivés ?", "archived", 0),
        ("Entrepôt", "fr", "Lesquels sont en brouillon ?", "draft", 0),
    ],
)  # fmt: skip
def test_those_of_a_status_are_told(
    here: World, name: str, language: Language, question: str, status: str, calls: int
) -> None:
    talk = about(here, name, language)
    answer = talk.ask(question)
    folder = Folder.objects.get(name="Warehouse" if language == "en" else "Entrepôt")
    wanted = set(UseCase.objects.filter(folder=folder, status=status).values_list("name", flat=True))
    assert set(names(answer)) == wanted
    assert f" {len(wanted)}" in answer
    assert len(talk.calls) == calls


def test_those_of_a_status_are_counted_among_more_than_are_given(here: World) -> None:
    talk = full(here, "Warehouse")
    drafts = UseCase.objects.filter(folder__name="Warehouse", status="draft").count()
    assert drafts > 20
    assert f"I count {drafts}:" in talk.ask("How many use cases are in draft?")


def test_the_ones_are_those_that_were_asked_about_before(here: World) -> None:
    talk = about(here, "Northwind Logistics")
    talk.ask("How many use cases are there?")
    ready = UseCase.objects.filter(folder__isnull=False, status="ready").count()
    assert f"I count {ready}:" in talk.ask("Which ones are ready?")
