"""Runs under budgets: what is reserved, settled and refused, whatever becomes of the run."""

import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.db.models.functions import Now

from chat.actions import conversations
from chat.engine import calling
from chat.engine.acting import ProposalRound
from chat.engine.available_models import configured
from chat.events.append import Fenced
from chat.models import (
    Budget,
    BudgetPeriod,
    BudgetScope,
    BudgetUnit,
    Message,
    ModelCall,
    Purpose,
    Reservation,
    Run,
    RunStatus,
    Session,
    StreamEvent,
)
from chat.providers import retrying
from chat.providers.model_request import ModelRequest, PromptMessage
from chat.providers.provider import Price
from chat.spending import crashed
from chat.spending.calls import CallCost
from chat.spending.refusing import BudgetRefused
from chat.spending.reserving import cover, reserve
from chat.spending.settling import record_costs_now
from graphs.models import Graph
from graphs.site.access import member_of
from graphs.site.accounts import Account
from tests.chat.engine.driving import Engine, ask, engine, of_run, rested, types, until
from tests.chat.spending.paid import account, bound, budget, session_of, took
from tests.vendors import Script, ScriptedCall, VendorServer

pytestmark = pytest.mark.django_db(transaction=True)

RENAME = {"nodeKey": "fetch-api", "updates": {"name": "Fetch"}, "reason": "Shorter."}


def state(found: Budget) -> tuple[int, int]:
    """Tokens spent and reserved in the only period."""
    (use,) = found.uses.all()
    return int(use.used), int(use.reserved)


def test_it_pays_for_every_call_of_an_answer(running: Engine, vendor: VendorServer, alice: User, nba: Graph) -> None:
    day = budget(nba.workspace, 10**6)
    accepted = ask(alice, "SCRIPT:two_tools")
    until(lambda: day.uses.filter(reserved__gt=0).exists() or Run.objects.get(pk=accepted.run_id).ended_at)
    run = rested(accepted.run_id)
    assert state(day) == (240, 0)
    assert not Reservation.objects.exists()
    first, second = ModelCall.objects.filter(run=run)
    assert (first.workspace, first.user, first.session_id, first.object) == (
        nba.workspace, alice, accepted.session_id, "graph:nba",
    )  # fmt: skip
    assert (first.purpose, first.retries, second.outcome) == (Purpose.CHAT, 0, "complete")
    assert first.first_token_ms is not None
    assert first.first_token_ms <= first.latency_ms


def test_it_refuses_what_no_budget_pays_for(running: Engine, vendor: VendorServer, alice: User, nba: Graph) -> None:
    small = budget(nba.workspace, 100, scope=BudgetScope.USER, period=BudgetPeriod.MONTH)
    run = rested(ask(alice, "Hello").run_id)
    assert (run.status, run.error["code"], run.error["retryable"]) == (RunStatus.FAILED, "rate_limit", False)
    assert run.error["message"].startswith("Your budget for this month does not cover this: it may take up to")
    assert "It begins anew on" in run.error["message"]
    assert not vendor.requests
    assert not ModelCall.objects.exists()
    small.delete()
    budget(nba.workspace, 5, unit=BudgetUnit.USD)
    run = rested(ask(alice, "Hello").run_id)
    assert "nobody knows what scripted costs" in run.error["message"]
    Budget.objects.all().delete()
    assert rested(ask(alice, "SCRIPT:hello").run_id).status == RunStatus.SUCCEEDED


def test_it_settles_what_was_stopped(running: Engine, vendor: VendorServer, alice: User, nba: Graph) -> None:
    day = budget(nba.workspace, 10**6)
    accepted = ask(alice, "SCRIPT:slow")
    until(lambda: "content_delta" in types(of_run(accepted.run_id)))
    assert state(day)[1] > 4096
    conversations.stop(member_of(alice), str(accepted.session_id))
    call = ModelCall.objects.get(run=rested(accepted.run_id))
    assert state(day) == (call.prompt_tokens + call.completion_tokens, 0)
    assert Session.objects.get(pk=accepted.session_id).usage["estimated"]


def test_it_sets_aside_for_a_second_attempt_what_the_first_one_took(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrying, "FIRST_DELAY_S", 0.001)
    day = budget(nba.workspace, 10**6)
    vendor.script(Script(raw=b"<html>"), Script(text="Now."))
    run = rested(ask(alice, "Go").run_id)
    broken, whole = ModelCall.objects.filter(run=run)
    assert (broken.retries, whole.retries) == (0, 1)
    assert state(day) == (broken.prompt_tokens + 120, 0)
    held = Reservation.objects.none()
    day.limit = 120 + broken.prompt_tokens + most(run)
    day.save()
    vendor.script(Script(raw=b"<html>"), Script(text="Not any more."))
    run = rested(ask(alice, "Go").run_id)
    assert run.error["code"] == "rate_limit"
    assert [call.outcome for call in ModelCall.objects.filter(run=run)] == ["server_error"]
    assert (state(day)[1], held.count()) == (0, 0)


def test_it_makes_no_further_attempt_of_a_call_that_was_settled_by_who_took_the_run_over(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrying, "FIRST_DELAY_S", 0.001)
    day = budget(nba.workspace, 10**6)

    def taken_over(reservation: uuid.UUID, failed: CallCost) -> None:
        Reservation.objects.update(created_at="2026-01-01T00:00Z")
        assert crashed.settle_all() == 1
        cover(reservation, failed)

    monkeypatch.setattr(calling, "cover", taken_over)
    vendor.script(Script(raw=b"<html>"), Script(text="Too late."))
    config = configured().resolve()
    request = ModelRequest((PromptMessage("user", "Long story"),), (), config.model, 200)
    told: list[CallCost] = []

    def tell(costs: Sequence[CallCost]) -> None:
        told.extend(costs)

    with pytest.raises(Fenced):
        running.on_loop(calling.ask_aside(account(nba.workspace, alice), config, request, Purpose.SUMMARY, tell))
    assert len(vendor.requests) == 1
    assert [cost.outcome for cost in told] == ["server_error"]
    call = ModelCall.objects.get()
    assert call.outcome == "crashed"
    assert state(day) == (call.prompt_tokens, 0)


def most(run: Run) -> int:
    """About what one more question like that of a run can take."""
    call = ModelCall.objects.filter(run=run, estimated=True).get()
    return 3 * call.prompt_tokens + 4096


@pytest.mark.parametrize("limited", [True, False])
def test_it_records_what_a_reply_cost_that_was_stopped_before_it_acted(
    limited: bool, running: Engine, vendor: VendorServer, alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, though its commit is not answered."""
    day, perform, commits = budget(nba.workspace, 10**6, active=limited), ProposalRound.perform, []

    def stopped_before(self: ProposalRound, *args: Any) -> None:
        Run.objects.filter(pk=self.run.id).update(stop_requested_at=Now())
        perform(self, *args)
        commits.append(self.result)
        if len(commits) == 1:
            self.result = None
            raise OperationalError("the connection is gone")

    monkeypatch.setattr(ProposalRound, "perform", stopped_before)
    vendor.script(Script(tool_calls=(ScriptedCall("propose_update_node", RENAME),)))
    run = rested(ask(alice, "Rename it").run_id)
    assert run.outcome == "stopped"
    assert ModelCall.objects.get(run=run).prompt_tokens == 100
    assert run.session.usage["promptTokens"] == 100
    assert not limited or state(day) == (120, 0)


@pytest.mark.parametrize(("limited", "settled"), [(True, False), (False, False), (True, True)])
def test_a_call_whose_process_died_is_settled_at_an_estimate(
    limited: bool, settled: bool, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    if limited:
        day = budget(nba.workspace, 10**6)
    vendor.script(Script(text="字 " * 40, stall_at=20))
    with engine() as dying:
        accepted = ask(alice, "Tell me")
        until(lambda: "content_delta" in types(of_run(accepted.run_id)))
        # As after a kill: it writes nothing more, and its process is gone.
        dying.on_loop(_die(dying, accepted.run_id))
    assert Run.objects.get(pk=accepted.run_id).status == RunStatus.RUNNING
    assert Reservation.objects.count() == limited
    if settled:  # by a task, or by somebody who took the run over and died, too
        Reservation.objects.update(epoch=-1)
        assert crashed.settle_all() == 1
    with engine():
        run = rested(accepted.run_id)
    call = ModelCall.objects.get(run=run)
    assert (call.outcome, call.estimated) == ("crashed", True)
    assert call.prompt_tokens > 100
    shown = sum(len(event.data["delta"].encode()) for event in of_run(run.pk) if event.type == "content_delta")
    assert call.completion_tokens == -(-shown // 4) > 0
    if limited:
        assert state(day) == (call.prompt_tokens + call.completion_tokens, 0)


def test_a_call_whose_process_died_before_its_first_word_is_recorded(
    vendor: VendorServer, alice: User, nba: Graph
) -> None:
    """The vendor reads the prompt, and may think for minutes, before anything of it is in the log."""
    vendor.script(Script(text="Too late.", first_delay_s=30), Script(text="Here."))
    with engine() as dying:
        accepted = ask(alice, "Tell me")
        until(lambda: vendor.requests)
        dying.on_loop(_die(dying, accepted.run_id))
    with engine():
        run = rested(accepted.run_id)
    died, whole = ModelCall.objects.filter(run=run).order_by("pk")
    assert (died.outcome, died.estimated, died.completion_tokens) == ("crashed", True, 0)
    assert died.prompt_tokens > 100
    assert (whole.outcome, whole.estimated) == ("complete", False)


async def _die(dying: Engine, run_id: Any) -> None:
    runner = dying.runtime.runner
    runner._claiming = False
    task = runner._drivers[run_id].task
    assert task is not None
    task.cancel()


def test_a_call_beside_an_answer_is_paid_and_recorded(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    day = budget(nba.workspace, 10**6)
    vendor.script(Script(text="In brief."))
    config = configured().resolve()
    request = ModelRequest((PromptMessage("user", "Long story"),), (), config.model, 200)

    told: list[CallCost] = []

    def tell(costs: Sequence[CallCost]) -> None:
        told.extend(costs)

    def aside() -> str:
        who = account(nba.workspace, alice)
        return str(running.on_loop(calling.ask_aside(who, config, request, Purpose.SUMMARY, tell)).text)

    assert aside() == "In brief."
    assert [cost.tokens for cost in told] == [120]
    assert ModelCall.objects.get().purpose == Purpose.SUMMARY
    assert state(day) == (120, 0)
    day.limit = 130
    day.save()
    with pytest.raises(BudgetRefused):
        aside()
    assert len(vendor.requests) == 1


def test_a_call_that_somebody_settled_meanwhile_is_recorded_once(alice: User, nba: Graph) -> None:
    """The process that made it was frozen, or asked again because its commit was not answered."""
    day, reservation = budget(nba.workspace, 1000), uuid.uuid4()
    who = account(nba.workspace, alice, session_of(alice, nba.workspace))
    reserve(who, bound(), reservation)
    Reservation.objects.update(created_at="2026-01-01T00:00Z")
    assert crashed.settle_all() == 1
    for _ in range(2):
        record_costs_now(who, [took(reservation, 70, 20)])
    assert ModelCall.objects.get().outcome == "crashed"
    assert Session.objects.get(pk=who.session_id).usage["promptTokens"] == 60
    assert state(day) == (60, 0)


def test_what_is_recorded_again_because_its_commit_was_not_answered_is_recorded_once(alice: User, nba: Graph) -> None:
    """Also without a budget, and beside what is new."""
    who = account(nba.workspace, alice, session_of(alice, nba.workspace))
    first, second = took(None), took(None)
    record_costs_now(who, [first])
    record_costs_now(who, [first, second])
    assert ModelCall.objects.count() == 2
    assert Session.objects.get(pk=who.session_id).usage["promptTokens"] == 60
    day = budget(nba.workspace, 1000)
    reserve(who, bound(), uuid.uuid4())
    record_costs_now(who, [first, second])
    assert state(day) == (80, 100)


def test_it_records_a_call_beside_an_answer_once_whose_commit_was_not_answered(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    commits = []

    def unanswered(who: Account, costs: Sequence[CallCost]) -> None:
        record_costs_now(who, costs)
        commits.append(costs)
        if len(commits) == 1:
            raise OperationalError("the connection is gone")

    def tell(_costs: Sequence[CallCost]) -> None:
        """Nobody listens."""

    monkeypatch.setattr(calling, "record_costs_now", unanswered)
    vendor.script(Script(text="In brief."))
    config = configured().resolve()
    request = ModelRequest((PromptMessage("user", "Long story"),), (), config.model, 200)
    who = account(nba.workspace, alice, session_of(alice, nba.workspace))
    running.on_loop(calling.ask_aside(who, config, request, Purpose.SUMMARY, tell))
    assert len(commits) == 2
    assert ModelCall.objects.get().prompt_tokens == 100
    assert Session.objects.get(pk=who.session_id).usage["promptTokens"] == 100


def test_a_call_whose_process_died_says_where_its_price_was_written(nba: Graph) -> None:
    budget(nba.workspace, 1000)
    priced = replace(bound(), price=Price(2.0, 1.0, 4.0, source="entered:7"))
    assert reserve(account(nba.workspace), priced, uuid.uuid4())
    Reservation.objects.update(created_at="2026-01-01T00:00Z")
    assert crashed.settle_all() == 1
    assert ModelCall.objects.get().price_source == "entered:7"


def test_a_reservation_outside_of_runs_is_known_by_its_age(nba: Graph) -> None:
    day = budget(nba.workspace, 100)
    use = day.uses.create(starts_on="2026-11-01", reserved=50)
    held = Reservation.objects.create(
        workspace=nba.workspace, purpose=Purpose.EMBEDDING, provider="openai", model="m", prompt_tokens=20, tokens=50,
        input_price=2.0, output_price=0.0, uses=[use.pk],
    )  # fmt: skip
    assert crashed.settle_all() == 0
    Reservation.objects.filter(pk=held.pk).update(created_at="2026-01-01T00:00Z")
    assert crashed.settle_all() == 1
    use.refresh_from_db()
    assert (use.used, use.reserved) == (20, 0)
    assert not day.uses.exclude(pk=use.pk).filter(used__gt=0).exists()
    call = ModelCall.objects.get()
    assert (call.outcome, call.purpose, float(call.cost or 0)) == ("crashed", Purpose.EMBEDDING, pytest.approx(4e-5))
    assert not Message.objects.exists()
    assert not StreamEvent.objects.exists()
