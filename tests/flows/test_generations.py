"""What people do with generations, in real browsers; each test is named after its use case.

Alice edits, Bob looks, Charlie is a stranger. The demo fills in the forms, in a worker of the test's own.
"""

import uuid
from collections.abc import Callable, Iterator

import pytest
from django.db import transaction
from playwright.sync_api import expect

from chat.engine import claims
from chat.engine.generation_worker import GenerationWorker
from chat.events.append import append
from chat.events.vocabulary import NewEvent
from chat.models import Run, RunStatus
from graphs.models import UseCase
from tests.chat.engine.driving import silence
from tests.chat.engine.generating import generation_worker
from tests.flows.records import new_portfolio, open_record, path_of, value
from tests.flows.visitor import Visitor
from tests.graphs.records.portfolio import Portfolio
from tests.site import Site

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Visit = Callable[..., Visitor]


@pytest.fixture
def work(shared_site: Site) -> Portfolio:
    return new_portfolio()


@pytest.fixture
def working(shared_site: Site, transactional_db: None) -> Iterator[GenerationWorker]:
    with generation_worker() as worker:
        yield worker


def test_cu_008_generations_stream_on_every_page_and_what_was_empty_is_changed(
    work: Portfolio, working: GenerationWorker, shared_site: Site, visit: Visit
) -> None:
    company, folder = work.company, work.folder
    alice, bob = (open_record(visit(shared_site.web.url, name), company) for name in ("alice", "bob"))
    expect(bob.page.locator("[data-generate]")).to_have_count(0)
    alice.page.get_by_role("button", name="Fill in with AI").click()
    for visitor in (alice, bob):
        block = visitor.page.locator(".generation")
        expect(block.locator(".generation-state")).to_have_text("done")
        expect(block.get_by_text("I am the demo, not a language model")).to_be_visible()
        expect(value(visitor, "industry")).to_have_text("Industry of Northwind")
    expect(bob.page.locator(".generation").get_by_role("button", name="Cancel")).to_be_hidden()

    expect(alice.page.locator(".toasts .toast")).to_have_count(0)
    alice = open_record(alice, folder)
    alice.page.get_by_text("Instructions…").click()
    alice.page.get_by_label("How many (3 to 25)").fill("3")
    alice.page.get_by_role("button", name="Find use cases").click()
    expect(alice.page.locator(".generation-state")).to_have_text("done · 3 of 3", timeout=30_000)
    assert UseCase.objects.filter(folder=folder, data__has_key="nextSteps").count() == 3

    alice.page.get_by_role("button", name="Name with AI").click()
    waiting = alice.page.locator(".generation[data-state=waiting]")
    waiting.get_by_role("button", name="Approve").click()
    expect(alice.page.get_by_role("heading", level=1)).to_have_text("Ideas for Northwind")
    expect(waiting).to_have_count(0)
    charlie = visit(shared_site.web.url, "charlie")
    answered = charlie.page.goto(f"{charlie.url}{path_of(folder)}")
    assert answered is not None
    assert answered.status == 404
    assert not Run.objects.filter(author__username="bob").exists()
    assert alice.errors == bob.errors == []


def test_alice_watches_a_generation_in_the_queue_and_is_told_elsewhere_that_it_is_over(
    work: Portfolio, shared_site: Site, visit: Visit
) -> None:
    alice = open_record(visit(shared_site.web.url, "alice"), work.company)
    alice.page.get_by_role("button", name="Fill in with AI").click()
    expect(alice.page.locator(".generation-state")).to_have_text("waits for its turn")
    statuses = alice.page.locator(".facts .status:visible")
    expect(statuses).to_have_text(["Draft", "Generating"])
    alice.page.goto(f"{alice.url}/queue/")
    entry = alice.page.locator("work-queue .entry")
    entry.get_by_role("button", name="Watch").click()
    expect(entry).to_contain_text("Nothing is written yet.")
    run = Run.objects.latest("created_at")
    claims.register(process := uuid.uuid4(), "somewhere:1")
    (claimed,) = claims.claim_generations(process, 1)
    with transaction.atomic():
        said = NewEvent("content_delta", {"delta": "I look it up."}, claimed.message_id, claimed.id)
        append(claimed.stream_id, [said], claimed.epoch)
    expect(entry.locator(".assistant")).to_contain_text("I look it up.")
    with alice.page.expect_response("**/proposals/waiting"):  # asked for once it hears of its workspace
        alice.page.goto(f"{alice.url}/companies/")
    silence(process)
    with generation_worker():
        toast = alice.page.locator(".toasts .toast")
        expect(toast).to_contain_text("what was generated is there")
        assert Run.objects.get(pk=run.pk).status == RunStatus.SUCCEEDED
        toast.get_by_role("link", name="Show").click()
        expect(value(alice, "industry")).to_have_text("Industry of Northwind")
        expect(statuses).to_have_text(["Draft"])
    assert alice.errors == []
