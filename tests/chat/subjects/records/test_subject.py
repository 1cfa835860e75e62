"""What conversations about records are told, offered and asked first."""

from typing import Any

import pytest
from django.utils import translation

from chat.prompts.system import system_prompt
from chat.subjects.records.subject import SUBJECTS
from chat.subjects.registered_subjects import subject_of
from chat.subjects.tools import specs
from graphs.models import Company, Folder, Role, UseCase
from graphs.objects.headers import object_for
from graphs.objects.refs import Ref
from graphs.records import limits
from tests import seeded
from tests.seeded import World, world

pytestmark = pytest.mark.django_db
KINDS = [subject.kind for subject in SUBJECTS]


@pytest.fixture
def here() -> World:
    return world()


@pytest.fixture
def northwind(here: World) -> Company:
    return seeded.northwind(here)


def prompt(here: World, kind: str) -> str:
    models: dict[str, Any] = {"company": Company, "usecase": UseCase}
    rows = models.get(kind, Folder).objects.order_by("name")
    return system_prompt(object_for(here.alice, Ref(kind, str(rows[0].pk))), here.alice)


@pytest.mark.parametrize("kind", KINDS)
def test_its_words_are_those_of_records(here: World, northwind: Company, kind: str) -> None:
    text = prompt(here, kind)
    for words in (
        "A company holds folders",
        "points x weight",
        "highFrom",
        f"up to {limits.AXES} a side",
        f"weight 0 to {limits.WEIGHT:,}",
        f"points 0 to {limits.POINTS:,}",
        f"up to {limits.OTHER_KEYS} other keys ({limits.KEY_CHARS} each)",
        f"description ({limits.TEXT_CHARS:,}) says why",
        f"name of a company or folder: {limits.NAME_CHARS}",
        f"{limits.SECTION_CHARS:,}",
        "{{usecase:ID}}",
    ):
        assert words in text, words
    assert "Suggest nothing unasked" in text
    assert f"It is about {kind}:" in text


@pytest.mark.parametrize("kind", KINDS)
def test_its_prompt_keeps_its_bytes_whatever_the_records_become(here: World, northwind: Company, kind: str) -> None:
    before = prompt(here, kind)
    for row in (*Company.objects.all(), *Folder.objects.all()):
        row.status = "archived"
        row.save()
    UseCase.objects.filter(data__name="Picking routes").update(status="archived")
    assert prompt(here, kind) == before


def test_prompts_about_other_things_say_nothing_of_it(here: World) -> None:
    for about in (None, here.nba):
        assert "points x weight" not in system_prompt(about, here.alice)


@pytest.mark.parametrize("kind", KINDS)
def test_it_compares_versions_and_searches_conversations(kind: str) -> None:
    for offered in (kind, "", "product"):
        names = {spec.name for spec in specs(Role.VIEWER, subject_of(offered))}
        assert {"compare_versions", "search_conversations", "read_object"} <= names
    assert "compare_versions" not in {spec.name for spec in specs(Role.EDITOR, subject_of("graph"))}
    assert "compare_versions" in {spec.name for spec in specs(Role.EDITOR, subject_of("graph"), loaded=True)}


@pytest.mark.parametrize("kind", KINDS)
def test_its_first_questions_are_in_the_language_of_the_page(kind: str) -> None:
    english = subject_of(kind).welcome("Warehouse")
    with translation.override("fr"):
        french = subject_of(kind).welcome("Warehouse")
    assert "Warehouse" in english.invitation
    assert "Warehouse" in french.invitation
    assert len(english.questions) == 3
    assert not {text for _icon, text in english.questions} & {text for _icon, text in french.questions}
