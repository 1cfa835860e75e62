"""People talk about a portfolio with the demo: it answers, rates, and proposes to delete; others see what was decided.

Tests are named after their use cases; `test_portfolio_talks.py` has those that a scripted model tells.
"""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from chat.models import Session
from config.demo.records import import_demo_records
from graphs.models import Company, Folder, UseCase, Workspace
from tests.browser import port
from tests.flows.records import open_record, path_of
from tests.flows.visitor import Visitor
from tests.site import Site, site

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Visit = Callable[..., Visitor]


@pytest.fixture(scope="module")
def without_a_key(shared_cast: Workspace) -> Iterator[Site]:
    import_demo_records(shared_cast)
    with site(port=port(), LLM_PROVIDER="demo") as started:
        yield started


def test_cu_018_alice_asks_rates_sees_what_would_change_and_approves_bob_sees_it_and_charlie_nothing(
    without_a_key: Site, visit: Visit
) -> None:
    folder, mood = Folder.objects.get(name="Customer service"), UseCase.objects.get(name="Mood of customers")
    url = without_a_key.web.url
    alice, bob = open_record(visit(url, "alice"), folder), open_record(visit(url, "bob"), mood)
    answer = alice.ask("Which use cases are not rated?")
    expect(answer).to_contain_text("not a language model")
    expect(answer.get_by_role("link", name="Mood of customers")).to_have_attribute("href", f"{url}{path_of(mood)}")
    alice.ask("Rate the value of Mood of customers with 4")
    expect(alice.cards).to_contain_text("Change Mood of customers")
    expect(alice.cards).to_contain_text("Savings: rating")
    assert UseCase.objects.get(pk=mood.pk).data == mood.data
    alice.cards.get_by_role("button", name="Approve").click()
    expect(alice.cards).to_have_attribute("data-status", "applied")
    expect(bob.page.locator('[data-field="data.valueScores"]')).not_to_contain_text("None")
    ratings = [score["rating"] for score in UseCase.objects.get(pk=mood.pk).data["valueScores"]]
    assert ratings == [4, 4, 4]
    charlie = visit(url, "charlie")
    for record in (folder, mood):
        answered = charlie.page.goto(f"{url}{path_of(record)}")
        assert answered is not None
        assert answered.status == 404
    found = charlie.page.request.get(f"{url}/api/v1/objects/usecase/{mood.pk}")
    assert found.status == 404


def test_cu_011_deleting_a_company_shows_counts_and_a_list_and_undo_brings_all_back_with_conversations(
    without_a_key: Site, visit: Visit
) -> None:
    northwind = Company.objects.get(name="Northwind Logistics")
    cases = set(UseCase.objects.values_list("pk", flat=True))
    picking = UseCase.objects.get(name="Picking routes")
    alice = open_record(visit(without_a_key.web.url, "alice"), picking)
    expect(alice.ask("What is this use case about?")).to_contain_text("not a language model")
    open_record(alice, northwind)
    alice.ask("Delete Northwind Logistics")
    expect(alice.cards.get_by_role("heading")).to_have_text("Delete Northwind Logistics, 2 folders, and 12 use cases")
    alice.cards.scroll_into_view_if_needed()
    expect(alice.cards.locator(".diff-item")).to_have_count(15)
    expect(alice.cards).to_contain_text("Picking routes")
    assert UseCase.objects.count() == 12
    alice.cards.get_by_role("button", name="Approve").click()
    expect(alice.cards).to_have_attribute("data-status", "applied")
    assert not UseCase.objects.exists()
    alice.cards.get_by_role("button", name="Undo").click()
    expect(alice.cards).to_have_attribute("data-status", "undone")
    assert set(UseCase.objects.values_list("pk", flat=True)) == cases
    open_record(alice, picking)
    expect(alice.questions).to_have_text("What is this use case about?")
    expect(alice.ask("What is missing?")).to_contain_text("nothing missing")
    assert Session.objects.filter(context_type="usecase", context_id=str(picking.pk)).count() == 1
