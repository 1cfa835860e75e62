"""What the demo proposes where a record gets a field that was empty, or is new, with the real tools."""

from typing import Any

import pytest

from config.demo.records import Language
from graphs.models import Folder
from tests.chat.providers.demo.conversing import Conversation
from tests.chat.providers.demo.recording import about
from tests.seeded import World, world

pytestmark = pytest.mark.django_db
Row = dict[str, Any]


@pytest.fixture
def here() -> World:
    return world()


def proposed(talk: Conversation, question: str) -> tuple[str, Row]:
    talk.ask(question)
    tool, arguments = talk.calls[-1]
    return tool, {name: value for name, value in arguments.items() if name != "reason"}


@pytest.mark.parametrize(
    ("name", "language", "question", "updates"),
    [
        ("Mood of customers", "en", "Set the domain to Service", {"data.domain": "Service"}),
        ("Mood of customers", "en", "Set the next steps to Ask them", {"data.nextSteps": "Ask them"}),
        ("Warehouse", "en", "Set constraints of Picking routes to None", {"data.constraints": "None"}),
        ("Humeur des clients", "fr", "Mets le domaine à Service", {"data.domain": "Service"}),
        ("Humeur des clients", "fr", "Mets l'échéance à bientôt", {"data.deadline": "bientôt"}),
    ],
)
def test_an_empty_field_is_filled_by_its_name(
    here: World, name: str, language: Language, question: str, updates: Row
) -> None:
    tool, arguments = proposed(about(here, name, language), question)
    assert (tool, arguments["updates"]) == ("propose_update_object", updates)


@pytest.mark.parametrize(
    ("name", "language", "question", "named", "calls"),
    [
        ("Warehouse", "en", "Add a use case called Foo", "Foo", 1),
        ("Picking routes", "en", "Add a use case called Foo", "Foo", 1),
        ("Customer service", "en", "Add a use case called Foo in Warehouse", "Foo", 2),
        ("Customer service", "en", "Add a use case in Warehouse called Foo", "Foo", 2),
        ("Warehouse", "en", "Add a use case called Foo in production", "Foo in production", 2),
        ("Warehouse", "en", 'Add a use case called "Foo in Customer service"', "Foo in Customer service", 1),
        ("Entrepôt", "fr", "Ajoute un cas d'usage nommé Foo", "Foo", 1),
        ("Service client", "fr", "Ajoute un cas d'usage nommé Foo dans Entrepôt", "Foo", 2),
    ],
)  # fmt: skip
def test_a_new_record_is_held_by_what_is_at_hand_or_named(
    here: World, name: str, language: Language, question: str, named: str, calls: int
) -> None:
    talk = about(here, name, language)
    tool, arguments = proposed(talk, question)
    folder = Folder.objects.get(name="Warehouse" if language == "en" else "Entrepôt")
    wanted = {"kind": "usecase", "fields": {"data.name": named}, "parent": f"folder:{folder.pk}"}
    assert (tool, arguments, len(talk.calls)) == ("propose_create_object", wanted, calls)


def test_a_new_folder_is_held_by_the_company_at_hand(here: World) -> None:
    talk = about(here, "Northwind Logistics")
    assert talk.about is not None
    assert proposed(talk, "Add a folder called Returns")[1]["parent"] == f"company:{talk.about.key}"


def test_a_new_company_is_held_by_nothing(here: World) -> None:
    wanted = {"kind": "company", "fields": {"name": "Acme"}}
    assert proposed(about(here, "Warehouse"), "Add a company called Acme") == ("propose_create_object", wanted)


def test_a_holder_that_is_not_there_is_told(here: World) -> None:
    talk = about(here, "Warehouse")
    assert "“Nowhere”" in talk.ask("Add a use case in Nowhere called Foo")
    assert not [name for name, _arguments in talk.calls if name.startswith("propose_")]


def test_a_new_record_is_no_node_of_the_graph_at_hand(here: World) -> None:
    talk = Conversation(here.alice, here.nba)
    assert proposed(talk, "Add a company called Acme")[0] == "propose_create_object"


@pytest.mark.parametrize(
    ("name", "language", "question", "asked", "answer"),
    [
        ("Northwind Logistics", "en", "Add a use case called Foo", "Which folder shall hold", "in Warehouse"),
        ("Northwind Logistics", "fr", "Ajoute un cas d'usage nommé Foo", "Quel dossier doit contenir", "dans Entrepôt"),
        ("", "en", "Add a use case called Foo", "Which folder shall hold", "in the folder Warehouse"),
        ("", "fr", "Ajoute un cas d'usage nommé Foo", "Quel dossier doit contenir", "dans le dossier Entrepôt"),
    ],
)
def test_where_a_new_use_case_belongs_is_asked(
    here: World, name: str, language: Language, question: str, asked: str, answer: str
) -> None:
    about(here, "Northwind Logistics", language)
    talk = about(here, name, language) if name else Conversation(here.alice, None)
    said = talk.ask(question)
    assert asked in said
    assert all(f"{{{{folder:{folder.pk}}}}}" in said for folder in Folder.objects.all())
    assert not [each for each, _arguments in talk.calls if each.startswith("propose_")]
    tool, arguments = proposed(talk, answer)
    folder = Folder.objects.get(name="Warehouse" if language == "en" else "Entrepôt")
    assert (tool, arguments["parent"], arguments["fields"]) == (
        "propose_create_object", f"folder:{folder.pk}", {"data.name": "Foo"}
    )  # fmt: skip


@pytest.mark.parametrize(
    ("language", "question", "told"),
    [
        ("en", "Add a use case called Foo without a folder", ", without a folder"),
        ("fr", "Ajoute un cas d'usage nommé Foo sans dossier", ", sans dossier"),
    ],
)
def test_without_a_folder_it_is_proposed_where_that_is_said(
    here: World, language: Language, question: str, told: str
) -> None:
    talk = about(here, "Northwind Logistics", language)
    said = talk.ask(question)
    assert told in said
    assert "parent" not in talk.calls[-1][1]
    asking = about(here, "Northwind Logistics", language)
    asking.ask(question.removesuffix(" without a folder").removesuffix(" sans dossier"))
    assert told in asking.ask("without a folder" if language == "en" else "sans dossier")
    assert asking.calls[-1][1]["fields"] == {"data.name": "Foo"}


def test_a_company_without_folders_holds_no_use_case(here: World) -> None:
    talk = about(here, "Northwind Logistics")
    Folder.objects.all().delete()
    assert "no folder yet" in talk.ask("Add a use case called Foo")
    assert not [each for each, _arguments in talk.calls if each.startswith("propose_")]


def test_an_answer_to_nothing_is_a_question_like_any_other(here: World) -> None:
    talk = about(here, "Northwind Logistics")
    assert "not a language model" in talk.ask("in Warehouse")
    assert not [each for each, _arguments in talk.calls if each.startswith("propose_")]


def test_a_list_gets_one_text_more(here: World) -> None:
    tool, arguments = proposed(about(here, "Picking routes"), "Add “Too slow” to the risks")
    assert (tool, arguments["updates"]) == (
        "propose_update_object", {"data.risks": ["Layouts of three sites are out of date", "Too slow"]}
    )  # fmt: skip
