"""People talk about a folder with the demo: it answers, rates, and proposes to delete; others see what was decided."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from config.demo.records import import_demo_records
from graphs.models import Company, Folder, Graph, UseCase
from tests.browser import port
from tests.flows.visitor import Visitor
from tests.site import Site, site

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Visit = Callable[..., Visitor]


@pytest.fixture
def northwind(cast: None, nba: Graph) -> Company:
    return import_demo_records(nba.workspace)


@pytest.fixture
def without_a_key(northwind: Company) -> Iterator[Site]:
    with site(port=port(), LLM_PROVIDER="demo") as started:
        yield started


def path_of(record: Folder | UseCase | Company) -> str:
    where = {Folder: "folders", UseCase: "use-cases", Company: "companies"}[type(record)]
    return f"/{where}/{record.pk}/"


def open_page(visitor: Visitor, path: str) -> Visitor:
    visitor.page.goto(f"{visitor.url}{path}")
    visitor.connected()
    return visitor


def test_alice_asks_rates_and_approves_bob_sees_it_and_charlie_nothing(without_a_key: Site, visit: Visit) -> None:
    folder, mood = Folder.objects.get(name="Customer service"), UseCase.objects.get(name="Mood of customers")
    url = without_a_key.web.url
    alice, bob = open_page(visit(url, "alice"), path_of(folder)), open_page(visit(url, "bob"), path_of(mood))
    answer = alice.ask("Which use cases are not rated?")
    expect(answer).to_contain_text("not a language model")
    expect(answer.get_by_role("link", name="Mood of customers")).to_have_attribute("href", f"{url}{path_of(mood)}")
    alice.ask("Rate the value of Mood of customers with 4")
    expect(alice.cards).to_contain_text("Change Mood of customers")
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


def test_deleting_a_company_shows_counts_and_a_list_and_undo_brings_all_back(
    without_a_key: Site, visit: Visit, northwind: Company
) -> None:
    cases = set(UseCase.objects.values_list("pk", flat=True))
    alice = open_page(visit(without_a_key.web.url, "alice"), path_of(northwind))
    alice.ask("Delete Northwind Logistics")
    expect(alice.cards.get_by_role("heading")).to_have_text("Delete 12 use cases, 2 folders, and Northwind Logistics")
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
