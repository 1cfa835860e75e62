"""The demo fills in the five forms, the same each time, and says that it is no model."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User

from chat.engine.generation_worker import GenerationWorker
from chat.models import Proposal
from graphs.models import UseCase
from tests.chat.engine.driving import rested, until
from tests.chat.engine.generating import begun, generation_worker, told
from tests.graphs.records.portfolio import Portfolio, portfolio

__all__ = ["portfolio"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def working(transactional_db: None) -> Iterator[GenerationWorker]:
    with generation_worker() as worker:
        yield worker


def test_without_a_key_all_five_work(working: GenerationWorker, alice: User, portfolio: Portfolio) -> None:
    folder = portfolio.folder
    folder.matrix_config = {
        "valueAxes": [{"id": "impact", "name": "Impact", "levels": [{"rating": 2, "label": "some", "points": 3}]}],
        "complexityAxes": [{"id": "effort", "name": "Effort"}],
    }
    folder.save()
    info = rested(begun(alice, "company_info", "company", portfolio.company.pk).pk)
    portfolio.company.refresh_from_db()
    assert (info.status, portfolio.company.industry) == ("succeeded", "Industry of Northwind")
    assert "not a language model" in info.message.content

    found = rested(begun(alice, "use_case_list", "folder", folder.pk, count=3).pk)
    until(lambda: told(alice, found)["state"] == "succeeded")
    made = UseCase.objects.filter(folder=folder).exclude(pk__in=[each.pk for each in portfolio.use_cases])
    assert {each.data["valueScores"][0]["rating"] for each in made} == {2}
    assert all(each.data["complexityScores"] and each.data["nextSteps"] for each in made)
    assert {each.model for each in made} == {"demo"}

    named = rested(begun(alice, "folder_name", "folder", folder.pk).pk)
    folder.refresh_from_db()
    assert (folder.name, folder.description.startswith("Use cases of Northwind")) == ("Warehouse", True)
    waiting = Proposal.objects.get(message=named.message, status="pending")
    assert waiting.arguments["updates"] == {"name": "Ideas for Northwind"}

    rested(begun(alice, "executive_summary", "executive_summary", folder.pk).pk)
    folder.refresh_from_db()
    assert sorted(folder.executive_summary) == ["analysis", "introduction", "recommendation", "references"]
    assert "5 use cases" in folder.executive_summary["introduction"]
