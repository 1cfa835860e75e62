"""What the demo suggests where a person asks for it: a sentence with its evidence, and a proposal."""

from typing import Any

import pytest

from config.demo.records import Language
from graphs.history import editing
from graphs.models import Company, Folder, Role, UseCase
from graphs.objects.actions import parse
from graphs.objects.headers import object_for
from graphs.objects.refs import Ref
from graphs.site.access import Member
from rag.sources.objects import family
from tests.chat.providers.demo.conversing import Conversation
from tests.chat.providers.demo.recording import about, names
from tests.seeded import World, world

pytestmark = pytest.mark.django_db
Row = dict[str, Any]


@pytest.fixture
def here() -> World:
    return world()


def proposals(talk: Conversation) -> list[Row]:
    return [arguments for name, arguments in talk.calls if name.startswith("propose_")]


def approve(here: World, call: Row) -> None:
    """Applies what was proposed, as an approval does."""
    kind, _colon, key = call["object"].partition(":")
    of = object_for(here.alice, Ref(kind, key))
    wanted = {name: value for name, value in call.items() if name != "reason"}
    editing.edit(here.alice, of, editing.Request([parse("update_object", wanted)]))


def case(name: str) -> UseCase:
    return UseCase.objects.get(name=name)


@pytest.mark.parametrize(
    ("name", "language", "question", "told", "fits"),
    [
        ("Northwind Logistics", "en", "Which use cases fit its objectives?", "“answers to customers within an hour”",
         "Answers about where a parcel is"),
        ("Northwind Logistics", "fr", "Quels cas d'usage servent ses objectifs ?", "« des réponses aux clients",
         "Réponses suggérées"),
        ("Customer service", "en", "Which use cases fit the objectives?", "both say: answers",
         "Answers about where a parcel is"),
        ("Answers about where a parcel is", "en", "Which objectives does this use case serve?", "both say",
         "Answers about where a parcel is"),
    ],
)  # fmt: skip
def test_what_fits_the_objectives_is_told_with_the_words_that_say_so(
    here: World, name: str, language: Language, question: str, told: str, fits: str
) -> None:
    answer = about(here, name, language).ask(question).replace("\u202f", " ")
    assert told in answer
    assert fits in names(answer)
    assert "you know better" in answer or "vous savez mieux" in answer


def test_of_objectives_that_are_not_there_nothing_is_claimed(here: World) -> None:
    talk = about(here, "Northwind Logistics")
    Company.objects.update(objectives="")
    assert "says no objectives" in talk.ask("Which use cases fit its objectives?")
    Company.objects.update(objectives="Zeppelins")
    assert "none that shares words" in talk.ask("Which use cases fit its objectives?")


def test_use_cases_of_another_company_are_not_told(here: World) -> None:
    talk = about(here, "Northwind Logistics")
    other = Company.objects.create(workspace=here.alice.workspace, name="Other")
    folder = Folder.objects.create(workspace=here.alice.workspace, company=other, name="Others")
    data = {"name": "Answers to customers", "description": "Answers to customers within an hour."}
    UseCase.objects.create(workspace=here.alice.workspace, folder=folder, name=data["name"], data=data)
    assert "Answers to customers" not in names(talk.ask("Which use cases fit its objectives?"))


def test_a_like_one_among_many_is_found_and_its_archiving_proposed_on_demand(here: World) -> None:
    talk = about(here, "Suggested replies")
    folder = Folder.objects.get(name="Customer service")
    for number in range(60):
        data = {"name": f"A spare {number:02}", "description": f"Spare number {number}."}
        UseCase.objects.create(workspace=folder.workspace, folder=folder, name=data["name"], data=data)
    answer = talk.ask("Which use cases are similar?")
    assert set(names(answer)) == {"Suggested replies", "Drafts of replies for agents"}
    assert "reply" in answer
    assert proposals(talk) == []
    talk.ask("propose it")
    (call,) = proposals(talk)
    assert call["updates"] == {"status": "archived"}
    assert call["object"] == f"usecase:{case('Drafts of replies for agents').pk}", "it says less"
    assert "Suggested replies" in call["reason"]
    approve(here, call)
    assert case("Drafts of replies for agents").status == "archived"


def test_a_like_one_in_another_folder_is_found(here: World) -> None:
    talk = about(here, "Suggested replies")
    UseCase.objects.filter(name="Drafts of replies for agents").update(folder=Folder.objects.get(name="Warehouse"))
    assert "Drafts of replies for agents" in names(talk.ask("Which use cases are similar?"))


@pytest.mark.parametrize(
    ("name", "language", "question", "again", "shared"),
    [
        ("Warehouse", "en", "Which use cases are complementary?", "propose it", "Warehouse management system"),
        ("Picking routes", "en", "Which use cases complement this one?", "propose it", "Warehouse management system"),
        ("Entrepôt", "fr", "Quels cas d'usage sont complémentaires ?", "propose-le", "Système de gestion d’entrepôt"),
    ],
)
def test_what_works_with_the_same_data_complements(
    here: World, name: str, language: Language, question: str, again: str, shared: str
) -> None:
    talk = about(here, name, language)
    answer = talk.ask(question)
    assert shared in answer
    assert len(names(answer)) == 2
    assert proposals(talk) == []
    talk.ask(again)
    (call,) = proposals(talk)
    approve(here, call)
    key = call["object"].partition(":")[2]
    assert shared in UseCase.objects.get(pk=key).data["references"][0]


def test_what_could_be_better_is_told_and_proposed_as_one_change(here: World) -> None:
    talk = about(here, "Mood of customers")
    answer = talk.ask("What could be improved?")
    assert "Empty: benefits, metrics and next steps" in answer
    assert "Customers notice and Change for people" in answer
    (call,) = proposals(talk)
    assert call["updates"] == {
        "data.nextSteps": ["Fill in: benefits, metrics and next steps", "Rate: Customers notice and Change for people"]
    }
    assert call["reason"].endswith("metrics and next steps. Rate: Customers notice and Change for people.")
    approve(here, call)
    assert len(case("Mood of customers").data["nextSteps"]) == 2


def test_a_description_that_says_little_is_written_from_the_other_fields(here: World) -> None:
    talk = about(here, "Picking routes")
    row = case("Picking routes")
    row.data["description"] = "Routes."
    row.save()
    assert "only 1 words" in talk.ask("What could be improved?")
    (call,) = proposals(talk)
    assert call["updates"]["data.description"].startswith("Pickers walk eleven kilometres")


@pytest.mark.parametrize(
    ("name", "language", "question", "told"),
    [
        ("Customer service", "en", "What could be improved?", "begin with Answers about where a parcel is and Sorting"),
        ("Service client", "fr", "Que pourrait-on améliorer ?", "4 brouillons et 2 prêts"),
    ],
)
def test_an_empty_summary_is_written_by_the_numbers(
    here: World, name: str, language: Language, question: str, told: str
) -> None:
    talk = about(here, name, language)
    assert told in talk.ask(question)
    (call,) = proposals(talk)
    assert set(call["updates"]) == {"executive_summary.introduction", "executive_summary.recommendation"}
    approve(here, call)
    assert told in str(Folder.objects.get(name=name).executive_summary)


@pytest.mark.parametrize(
    ("language", "name", "folder", "question"),
    [
        ("en", "Mood of customers", "Customer service", "Are there inconsistencies?"),
        ("fr", "Humeur des clients", "Service client", "Y a-t-il des incohérences ?"),
    ],
)
def test_ready_with_ratings_missing_does_not_fit_together(
    here: World, language: Language, name: str, folder: str, question: str
) -> None:
    about(here, name, language)
    UseCase.objects.filter(name=name).update(status="ready")
    for of in (name, folder):
        talk = about(here, of, language)
        answer = talk.ask(question)
        assert {"en": "Customers notice", "fr": "Clients qui le remarquent"}[language] in answer
        (call,) = proposals(talk)
        assert (call["object"], call["updates"]) == (f"usecase:{case(name).pk}", {"status": "draft"})
        if language == "fr":
            assert "ready" not in answer
            assert "draft" not in answer


def test_a_summary_that_counts_wrong_or_leaves_out_the_best_does_not_fit(here: World) -> None:
    talk = about(here, "Warehouse")
    assert "nothing" in talk.ask("Are there inconsistencies?")
    UseCase.objects.filter(name="Stock count by drone").delete()
    Folder.objects.filter(name="Warehouse").update(
        executive_summary={"introduction": "Six use cases were described.", "recommendation": "Begin with the routes."}
    )
    answer = talk.ask("Are there inconsistencies?")
    assert "says 6 use cases, and there are 5" in answer
    (call,) = proposals(talk)
    assert call["updates"]["executive_summary.introduction"] == "5 use cases were described."
    assert "Label check by camera" in call["updates"]["executive_summary.recommendation"]
    approve(here, call)
    assert "nothing" in talk.ask("Are there inconsistencies?")


@pytest.mark.parametrize("said", ["1,006 use cases.", "1.006 use cases.", "1\u202f006 use cases.", "1006 use cases."])
def test_a_number_in_groups_is_one_number(here: World, said: str) -> None:
    talk = about(here, "Warehouse")
    Folder.objects.filter(name="Warehouse").update(executive_summary={"introduction": f"We described {said}"})
    assert "says 1006 use cases, and there are 6" in talk.ask("Are there inconsistencies?")


@pytest.mark.parametrize(("at_most", "is_told"), [(6, True), (5, False)])
def test_numbers_are_written_only_of_all(
    here: World, monkeypatch: pytest.MonkeyPatch, at_most: int, is_told: bool
) -> None:
    monkeypatch.setattr(family, "MAX_HELD", at_most)
    talk = about(here, "Customer service")
    answer = talk.ask("What could be improved?")
    (call,) = proposals(talk)
    assert ("executive_summary.introduction" in call["updates"]) is is_told
    assert ("There are 6 use cases" in answer) is is_told
    assert "introduction" in answer
    assert ("I count 6" in talk.ask("How many use cases are there?")) is is_told
    assert ("at least 5" in talk.ask("What is missing?")) is not is_told
    Folder.objects.filter(name="Customer service").update(executive_summary={"introduction": "Seven use cases."})
    assert ("says 7 use cases, and there are 6" in talk.ask("Are there inconsistencies?")) is is_told


def test_a_text_that_stands_twice_does_not_fit(here: World) -> None:
    talk = about(here, "Picking routes")
    row = case("Picking routes")
    row.data["risks"] = ["Fire", "Water", "fire"]
    row.data["valueScores"] = [*row.data["valueScores"], {"axisId": "colour", "rating": 2}]
    row.save()
    talk.ask("Is it consistent?")
    (call,) = proposals(talk)
    assert call["updates"]["data.risks"] == ["Fire", "Water"]
    assert "colour" not in [score["axisId"] for score in call["updates"]["data.valueScores"]]


def test_who_may_not_edit_gets_the_findings_without_proposals(here: World) -> None:
    talk = about(here, "Mood of customers")
    talk.member = Member(here.alice.user, here.alice.workspace, Role.VIEWER)
    assert "Empty: benefits" in talk.ask("What could be improved?")
    assert proposals(talk) == []
    assert "propose" not in talk.ask("Which use cases are complementary?").lower()


def test_it_suggests_nothing_unasked(here: World) -> None:
    talk = about(here, "Mood of customers")
    for question in ("What is this use case about?", "What is missing?", "What is the domain?"):
        talk.ask(question)
        assert proposals(talk) == []


def test_there_is_nothing_to_propose_where_nothing_was_suggested(here: World) -> None:
    talk = about(here, "Warehouse")
    assert "nothing before" in talk.ask("propose it")
    assert proposals(talk) == []
