"""What the demo answers and proposes about business records, in both languages, with the real tools."""

import re
from typing import Any

import pytest
from django.utils import translation

from chat.providers.demo.sentences import PHRASES
from chat.subjects.registered_subjects import subject_of
from config.demo.records import Language
from graphs.history import editing
from graphs.models import UseCase
from graphs.objects.actions import parse
from tests.chat.providers.demo.conversing import Conversation
from tests.chat.providers.demo.recording import about, names
from tests.seeded import World, northwind, world

pytestmark = pytest.mark.django_db


@pytest.fixture
def here() -> World:
    return world()


@pytest.mark.parametrize("question", ["What is this folder about?", "What is it?", "Describe this folder"])
def test_what_a_record_is_about(here: World, question: str) -> None:
    answer = about(here, "Warehouse").ask(question)
    assert "easier and faster" in answer
    assert "not a language model" in answer


@pytest.mark.parametrize(
    ("folder", "language", "question"),
    [
        ("Warehouse", "en", "Which use cases are in this folder?"),
        ("Warehouse", "en", "How many use cases are there?"),
        ("Warehouse", "en", "List the use cases"),
        ("Entrepôt", "fr", "Quels cas d’usage y a-t-il dans ce dossier ?"),
        ("Entrepôt", "fr", "Liste les cas d'usage"),
    ],
)
def test_what_a_folder_holds(here: World, folder: str, language: Language, question: str) -> None:
    answer = about(here, folder, language).ask(question)
    assert len(names(answer)) == 6
    assert "6" in answer


@pytest.mark.parametrize(
    ("folder", "language", "question"),
    [
        ("Warehouse", "en", "Which use cases are valuable and easy?"),
        ("Warehouse", "en", "Which are the best?"),
        ("Entrepôt", "fr", "Quels cas d’usage sont utiles et faciles ?"),
    ],
)
def test_what_is_valuable_and_easy(here: World, folder: str, language: Language, question: str) -> None:
    answer = about(here, folder, language).ask(question)
    first, second, *others = names(answer)
    assert {first, second} <= {"Label check by camera", "Picking routes"} or language == "fr"
    assert not others


@pytest.mark.parametrize(
    ("name", "language", "question", "told"),
    [
        ("Customer service", "en", "What is missing?", "Customers notice"),
        ("Customer service", "en", "Which use cases are not rated yet?", "Customers notice"),
        ("Service client", "fr", "Que manque-t-il ?", ""),
        ("Mood of customers", "en", "What is missing here?", "Customers notice"),
        ("Picking routes", "en", "What is missing?", "nothing missing"),
    ],
)
def test_what_is_missing(here: World, name: str, language: Language, question: str, told: str) -> None:
    answer = about(here, name, language).ask(question)
    assert told in answer
    if name in ("Customer service", "Service client"):
        assert len(names(answer)) == 1


@pytest.mark.parametrize(
    ("name", "language", "question"),
    [
        ("Customer service", "en", "Which use cases are similar?"),
        ("Customer service", "en", "Find near-duplicates"),
        ("Suggested replies", "en", "Which use cases are similar?"),
        ("Service client", "fr", "Trouve les doublons"),
        ("Réponses suggérées", "fr", "Quels cas d’usage se ressemblent ?"),
    ],
)
def test_near_duplicates_are_found_by_rules(here: World, name: str, language: Language, question: str) -> None:
    found = names(about(here, name, language).ask(question))
    wanted = {"en": {"Suggested replies", "Drafts of replies for agents"}}.get(
        language, {"Réponses suggérées", "Brouillons de réponses pour les conseillers"}
    )
    assert set(found) == wanted


def test_two_records_are_compared(here: World) -> None:
    talk = about(here, "Customer service")
    answer = talk.ask("Compare Suggested replies with Drafts of replies for agents")
    assert "- description: " in answer
    assert "↔" in answer


def test_two_versions_are_compared(here: World) -> None:
    talk = about(here, "Picking routes")
    assert talk.about is not None
    updates = {"data.contact": "Somebody else"}
    action = parse("update_object", {"object": f"usecase:{talk.about.key}", "updates": updates})
    editing.edit(here.alice, talk.about, editing.Request([action]))
    answer = talk.ask("Compare versions 1 and 2")
    assert "- contact: Claire Dumas → Somebody else" in answer


@pytest.mark.parametrize(
    ("name", "language", "question", "field", "rated"),
    [
        ("Mood of customers", "en", "Rate the value with 4", "data.valueScores", {"savings": 4, "customers": 4}),
        ("Customer service", "en", "Rate the value of Mood of customers with 4", "data.valueScores", {"reach": 4}),
        ("Mood of customers", "en", "Rate Customers notice with 5", "data.valueScores", {"customers": 5, "reach": 2}),
        ("Humeur des clients", "fr", "Note la complexité à 3", "data.complexityScores", {"people": 3, "data": 3}),
        ("Mood of customers", "en", "rate Savings 4", "data.valueScores", {"savings": 4, "reach": 2}),
        ("Mood of customers", "en", "rate it Savings 4", "data.valueScores", {"savings": 4, "reach": 2}),
        ("Customer service", "en", "Rate the value of Mood of customers 4", "data.valueScores", {"reach": 4}),
        ("Mood of customers", "en", "set the rating of Savings to 4", "data.valueScores", {"savings": 4, "reach": 2}),
        ("Mood of customers", "en", "Change the rating of Customers notice to 5", "data.valueScores", {"customers": 5}),
        ("Warehouse", "en", "set the rating of Savings of Picking routes to 2", "data.valueScores", {"savings": 2}),
        ("Humeur des clients", "fr", "Note la complexité 3", "data.complexityScores", {"people": 3, "data": 3}),
        ("Humeur des clients", "fr", "Mets la note de complexité à 3", "data.complexityScores", {"people": 3}),
    ],
)  # fmt: skip
def test_a_rating_is_proposed(
    here: World, name: str, language: Language, question: str, field: str, rated: dict[str, int]
) -> None:
    talk = about(here, name, language)
    talk.ask(question)
    tool, arguments = talk.calls[-1]
    assert tool == "propose_update_object"
    given = {score["axisId"]: score["rating"] for score in arguments["updates"][field]}
    assert len(given) == 3
    assert rated.items() <= given.items()
    assert arguments["object"].startswith("usecase:")


@pytest.mark.parametrize(
    ("name", "language", "question", "told"),
    [
        ("Picking routes", "en", "Propose a better description", "Pickers walk eleven kilometres"),
        ("Warehouse", "en", "Improve the description of Picking routes", "Pickers walk eleven kilometres"),
        ("Réponses suggérées", "fr", "Propose une meilleure description", "vingt mêmes réponses"),
    ],
)
def test_a_better_description_is_proposed(here: World, name: str, language: Language, question: str, told: str) -> None:
    talk = about(here, name, language)
    talk.ask(question)
    tool, arguments = talk.calls[-1]
    assert tool == "propose_update_object"
    assert told in arguments["updates"]["data.description"]


@pytest.mark.parametrize(
    "question",
    [
        "Rate the value with 4", "Rate the value of Picking routes with 4", "Rate savings with 4",
        "Propose a better description",
    ],
)  # fmt: skip
def test_what_the_question_has_is_not_read_again(here: World, question: str) -> None:
    talk = about(here, "Picking routes")
    talk.ask(question)
    assert [name for name, _arguments in talk.calls] == ["propose_update_object"]


def test_what_the_question_has_not_whole_is_read(here: World) -> None:
    talk = about(here, "Picking routes")
    assert talk.about is not None
    row = UseCase.objects.get(pk=talk.about.key)
    row.data["problem"] = "Pickers walk far. " * 300
    row.save()
    talk.ask("Propose a better description")
    assert [name for name, _arguments in talk.calls] == ["read_object", "propose_update_object"]


def test_a_rating_of_no_axis_is_told(here: World) -> None:
    talk = about(here, "Picking routes")
    assert "no axis" in talk.ask("Rate the colour with 4")
    assert not [name for name, _arguments in talk.calls if name.startswith("propose_")]


@pytest.mark.parametrize(
    ("name", "language", "question", "told"),
    [
        ("Picking routes", "en", "set the rating of Savings to 9", "from 1 to 5"),
        ("Picking routes", "en", "set the rating of Savings to high", "from 1 to 5"),
        ("Picking routes", "en", "set the rating of the colour to 4", "no axis"),
        ("Picking routes", "en", "set the rating to 4", "no axis"),
        ("Picking routes", "en", "Rate this use case", "for example: Rate Savings of"),
        ("Picking routes", "en", "Rate it with 4", "which axis gets which rating"),
        ("Réponses suggérées", "fr", "Note ce cas d'usage", "quel axe reçoit quelle note"),
        ("Réponses suggérées", "fr", "Notez-le à 4", "quel axe reçoit quelle note"),
        ("Warehouse", "en", "Rate it", "Only use cases are rated"),
        ("Picking routes", "en", "set the colour to red", "There is no field"),
        ("Picking routes", "en", "set Savings to 4", "There is no field"),
        ("Picking routes", "en", "set the colour of Savings to 4", "nothing called “Savings”"),
        ("Warehouse", "en", "set the rating of Savings to 4", "Only use cases are rated"),
        ("Warehouse", "en", "rate Savings 4", "Only use cases are rated"),
        ("Entrepôt", "fr", "Mets la note de la valeur à 4", "Seuls les cas"),
        ("Réponses suggérées", "fr", "Mets la note de la valeur à 9", "un nombre de 1 à 5"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_told_and_nothing_else(
    here: World, name: str, language: Language, question: str, told: str
) -> None:
    talk = about(here, name, language)
    said = talk.ask(question)
    assert told in said
    assert not [name for name, _arguments in talk.calls if name.startswith("propose_")]
    assert PHRASES[language]["waits"] not in said


@pytest.mark.parametrize("language", ["en", "fr"])
def test_no_answer_says_that_a_decision_is_awaited_before_there_is_a_proposal(here: World, language: Language) -> None:
    """What is said stands before the call, which may be refused: it has to be true then, too."""

    def refuse(_name: str, _arguments: dict[str, Any]) -> dict[str, Any]:
        return {"error": "Too long."}

    name, question = {"en": ("Picking routes", "Rename it to X"), "fr": ("Réponses suggérées", "Renomme-le en X")}[
        language
    ]
    talk = about(here, name, language)
    talk.decide = refuse
    assert "Too long." in talk.ask(question)
    said = "\n".join(message.content for message in talk.messages if message.role == "assistant")
    assert PHRASES[language]["waits"] in said
    assert not re.search("waits? for|attend", said)


def test_a_graph_has_no_places_and_a_node_no_rating(here: World) -> None:
    talk = Conversation(here.alice, here.nba)
    assert "No use case" in talk.ask("Which use cases are valuable and easy?")
    assert "with objects only" in talk.ask("Rate the value of fetch-api with 4")


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize(("kind", "told"), [("company", "company:"), ("folder", "folder:"), ("usecase", "usecase:")])
def test_what_lists_offer_to_ask_is_answered(here: World, kind: str, told: str, language: Language) -> None:
    northwind(here, language)
    with translation.override(language):
        first, second, _help = (question for _icon, question in subject_of(kind).welcome("").questions)
    assert f"{{{{{told}" in Conversation(here.alice, None).ask(first)
    assert "{{usecase:" in Conversation(here.alice, None).ask(second)
