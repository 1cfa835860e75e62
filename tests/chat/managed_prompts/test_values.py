"""What variables stand for: the fields of the object and of what holds it, and the use cases of a folder."""

import json

import pytest
from django.contrib.auth.models import User

from chat.managed_prompts import values
from chat.managed_prompts.values import values_for
from graphs.models import Company, UseCase
from graphs.objects.refs import Ref
from graphs.site.access import NotFound, member_of
from tests.graphs.records.portfolio import Portfolio, portfolio

__all__ = ["portfolio"]
pytestmark = pytest.mark.django_db
ALL = ["use_case", "folder", "company", "axes", "use_cases", "instructions", "count"]


def test_a_use_case_is_told_with_its_folder_and_company(alice: User, portfolio: Portfolio) -> None:
    of = Ref("usecase", str(portfolio.use_cases[0].pk))
    found = values_for(member_of(alice), of, ALL, instructions=" Be brief. ", count=4)
    assert "Optimise where goods lie." in found.texts["use_case"]
    assert "Warehouse" in found.texts["folder"]
    assert "Northwind" in found.texts["company"]
    assert "Slot planning" in found.texts["use_cases"]
    assert "Claims triage" in found.texts["use_cases"]
    assert (found.texts["instructions"], found.texts["count"]) == ("Be brief.", "4")
    assert {ref.type for ref in found.read} == {"usecase", "folder", "company"}


def test_a_summary_is_told_with_the_use_cases_of_its_folder(alice: User, portfolio: Portfolio) -> None:
    of = Ref("executive_summary", str(portfolio.folder.pk))
    found = values_for(member_of(alice), of, ["folder", "company", "use_cases"])
    assert "Warehouse" in found.texts["folder"]
    assert "Claims triage" in found.texts["use_cases"]
    assert "complexity" in found.texts["use_cases"]
    assert {ref.type for ref in found.read} == {"executive_summary", "usecase", "folder", "company"}


def test_what_is_not_there_is_told_as_nothing(alice: User, portfolio: Portfolio) -> None:
    of = Ref("company", str(portfolio.company.pk))
    assert values_for(member_of(alice), of, ["folder", "instructions"]).texts == {"folder": "-", "instructions": "-"}


def test_foreign_is_as_absent(charlie: User, portfolio: Portfolio) -> None:
    with pytest.raises(NotFound):
        values_for(member_of(charlie), Ref("company", str(portfolio.company.pk)), ["company"])


def test_long_values_give_way_to_short_ones(alice: User, portfolio: Portfolio, monkeypatch: pytest.MonkeyPatch) -> None:
    Company.objects.filter(pk=portfolio.company.pk).update(products="p" * 50_000)
    of = Ref("folder", str(portfolio.folder.pk))
    found = values_for(member_of(alice), of, ["folder", "company"])
    assert "Warehouse" in found.texts["folder"]
    assert sum(map(len, found.texts.values())) <= values.ROOM + 1
    monkeypatch.setattr(values, "MOST_USE_CASES", 1)
    told = values_for(member_of(alice), of, ["use_cases"])
    assert told.texts["use_cases"].endswith("and 1 more")
    assert UseCase.objects.count() == 2
    assert len([ref for ref in told.read if ref.type == "usecase"]) == 1
    assert json.dumps(told.texts)
