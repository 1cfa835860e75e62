"""Generations and who cancels them, edits their object by hand, or generates about it, too: one of them wins."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction

from chat.engine.generating import Wanted, begin
from chat.managed_prompts.versions import active_or_latest
from chat.models import ModelCall, Proposal, Run, Session, StructuredRun
from graphs.models import ChangeSet, Company, Membership, Object, Role
from graphs.models.history import Origin
from graphs.objects.headers import object_for
from graphs.objects.holding import held
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from tests.chat.api.callers import patch, post
from tests.chat.engine.driving import Engine, rested, until
from tests.chat.engine.generating import OF_COMPANY, begun, form, generation_worker, states_of, stream_of, told
from tests.chat.engine.test_runs import somebody_waits
from tests.graphs.api.callers import with_token
from tests.graphs.records.asking import change, update
from tests.graphs.records.portfolio import Portfolio, portfolio
from tests.vendors import Script, VendorServer

__all__ = ["portfolio"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def bare(portfolio: Portfolio) -> Company:
    """A company of which nothing but its name is known."""
    return Company.objects.create(workspace=portfolio.company.workspace, name="Sphinx Freight")


def written(company: Company, **fields: str) -> Script:
    return Script(tool_calls=(form("company_info", **OF_COMPANY | {"name": company.name} | fields),))


def edited(user: User, company: Company, **fields: str) -> None:
    """Changes the company by hand."""
    answer = update(with_token(user), company, **fields)
    assert answer.status_code == 201, answer.content


@contextmanager
def as_it_ends(stack: ExitStack, company: Company) -> Iterator[None]:
    """Within, a generation of the company waits to be stored; its worker lives as long as the stack."""
    with transaction.atomic():
        list(held(Object.objects.filter(type="company", key=str(company.pk))))
        stack.enter_context(generation_worker())
        until(somebody_waits)
        yield


def test_cancelled_first_nothing_is_made(vendor: VendorServer, alice: User, bare: Company) -> None:
    vendor.script(written(bare))
    run = begun(alice, "company_info", "company", bare.pk)
    with ExitStack() as stack:
        with as_it_ends(stack, bare):
            assert patch(alice, f"structured/{run.pk}/cancel", {}).status_code == 200
        assert rested(run.pk).status == "cancelled"
    bare.refresh_from_db()
    assert (bare.industry, Proposal.objects.count(), ChangeSet.objects.count()) == ("", 0, 0)
    assert states_of(run) == ["queued", "running", "cancelled"]


def test_finished_first_it_stays(vendor: VendorServer, alice: User, bare: Company) -> None:
    vendor.script(written(bare))
    with generation_worker():
        run = rested(begun(alice, "company_info", "company", bare.pk).pk)
    answer = patch(alice, f"structured/{run.pk}/cancel", {}).json()
    bare.refresh_from_db()
    assert (answer["state"], len(answer["changeSets"]), bare.industry) == ("succeeded", 1, "Transport")
    assert [event.type for event in stream_of(run)].count("done") == 1


def test_who_cancels_while_it_ends_stops_what_came_of_it(alice: User, portfolio: Portfolio) -> None:
    run = begun(alice, "use_case_list", "folder", portfolio.folder.pk)
    about = object_for(member_of(alice), Ref("usecase", str(portfolio.use_cases[0].pk)))

    def cancelled() -> str:
        try:
            return str(patch(alice, f"structured/{run.pk}/cancel", {}).json()["state"])
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            session = Session.objects.select_for_update(no_key=True).get(pk=run.session_id)
            answer = pool.submit(cancelled)
            until(somebody_waits)
            version = active_or_latest(portfolio.workspace, "use_case_detail")
            parent = StructuredRun.objects.get(pk=run.pk)
            begin(Wanted(about, alice, portfolio.workspace, version, "en", within=session, parent=parent, place=0))
        assert answer.result(30) == "cancelled"
    assert {each.status for each in Run.objects.all()} == {"cancelled"}
    assert told(alice, run)["progress"] == {"of": 1, "done": 1, "failed": 0, "cancelled": 1}


def test_what_a_person_writes_meanwhile_stays(vendor: VendorServer, alice: User, bare: Company) -> None:
    vendor.script(written(bare))
    run = begun(alice, "company_info", "company", bare.pk)
    with ExitStack() as stack:
        with as_it_ends(stack, bare):
            with connection.cursor() as cursor:  # Where both held what the other wants, this one would be refused.
                cursor.execute("SET LOCAL deadlock_timeout = '10ms'")
            edited(alice, bare, industry="Shipping")
        assert rested(run.pk).status == "succeeded"
    bare.refresh_from_db()
    assert (bare.industry, bare.products) == ("Shipping", "Parcels.")
    waiting = Proposal.objects.get(status="pending")
    assert waiting.arguments["updates"] == {"industry": "Transport"}
    origins = list(ChangeSet.objects.order_by("created_at").values_list("origin", flat=True))
    assert origins[-2:] == [Origin.MANUAL, Origin.GENERATION]


def test_of_two_generations_and_a_hand_each_field_has_one_winner(
    running: Engine, vendor: VendorServer, alice: User, bare: Company
) -> None:
    vendor.script(written(bare), written(bare, industry="Rail", products="Coal."))
    with generation_worker():
        first, second = [begun(alice, "company_info", "company", bare.pk) for _ in range(2)]
        rested(second.pk)
    assert [told(alice, each)["state"] for each in (first, second)] == ["succeeded", "waiting"]
    (proposal,) = told(alice, second)["proposals"]
    assert Proposal.objects.get(pk=proposal).arguments["updates"] == {"industry": "Rail", "products": "Coal."}
    edited(alice, bare, industry="Shipping")
    decided = post(alice, f"proposals/{proposal}/decide", {"approved": True})
    bare.refresh_from_db()
    assert (bare.industry, bare.products, bare.size) == ("Shipping", "Parcels.", "1,200 people (2025)")
    stale = Proposal.objects.get(pk=proposal)
    assert (stale.status, stale.change_set) == ("stale", None), decided.content
    assert told(alice, second)["state"] == "succeeded"


def deleted(user: User, company: Company) -> None:
    answer = change(with_token(user), company, "delete_object")
    assert answer.status_code == 201, answer.content


def demoted(user: User, _company: Company) -> None:
    Membership.objects.filter(user=user).update(role=Role.VIEWER)


OBJECT_GONE = "What this was to be generated for was deleted. Nothing was changed."
ROLE_GONE = "alice may not change anything in this workspace any more. Nothing was changed."


@pytest.mark.parametrize(
    ("happens", "said"), [(deleted, OBJECT_GONE), (demoted, ROLE_GONE)], ids=["deleted", "demoted"]
)
@pytest.mark.parametrize("reply", ["form", "text"])
def test_what_takes_its_object_or_the_right_to_it_ends_it_without_another_call(
    vendor: VendorServer, alice: User, bare: Company, reply: str, happens: Callable[[User, Company], None], said: str
) -> None:
    vendor.script(written(bare) if reply == "form" else Script(text="I would rather chat. " * 20, delay_s=0.02))
    run = begun(alice, "company_info", "company", bare.pk)
    with ExitStack() as stack:
        with transaction.atomic():
            list(held(Object.objects.filter(type="company", key=str(bare.pk))))
            stack.enter_context(generation_worker())
            until(somebody_waits if reply == "form" else lambda: bool(vendor.requests))
            happens(alice, bare)
        ended = rested(run.pk)
    assert (ended.status, len(vendor.requests)) == ("failed", 1)
    assert ended.error == {
        "code": "forbidden" if happens is demoted else "not_found",
        "message": said,
        "retryable": False,
    }
    assert ModelCall.objects.get(run=run).completion_tokens > 0
    assert ("Transport" if reply == "form" else "I would rather chat.") in told(alice, run)["text"]
    assert (Proposal.objects.exists(), states_of(run)[-1]) == (False, "failed")


def test_what_is_gone_or_forbidden_before_it_begins_asks_nothing(
    vendor: VendorServer, alice: User, portfolio: Portfolio
) -> None:
    bare = Company.objects.create(workspace=portfolio.workspace, name="Sphinx Freight")
    gone = begun(alice, "company_info", "company", bare.pk)
    deleted(alice, bare)
    with generation_worker():
        assert (rested(gone.pk).error or {})["message"] == OBJECT_GONE
    kept = begun(alice, "company_info", "company", portfolio.company.pk)
    demoted(alice, portfolio.company)
    with generation_worker():
        assert (rested(kept.pk).error or {})["message"] == ROLE_GONE
    assert vendor.requests == []
