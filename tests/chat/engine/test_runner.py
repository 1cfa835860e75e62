"""Claiming, stopping, taking over: who drives a run, and what happens when that process goes away."""

import asyncio
import threading
import uuid
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, OperationalError, connection, connections, transaction

from chat.actions import conversations
from chat.engine import claims, enriching, error_texts, heartbeat
from chat.engine.driver import Driver
from chat.engine.runtime import Runtime
from chat.events import presence
from chat.models import Message, ModelCall, Process, Run, RunStatus, Session
from graphs.models import Graph, Membership
from graphs.site.access import member_of
from tests import checker
from tests.chat.engine.driving import (
    answer_of,
    ask,
    claimed_by_a_process_that_died,
    engine,
    events,
    of_run,
    rested,
    silence,
    types,
    until,
)
from tests.vendors import Script, ScriptedCall, VendorServer

pytestmark = pytest.mark.django_db(transaction=True)


SEARCH = ScriptedCall("search_nodes", {"query": "fetch"}, id="call_a")


def test_it_gives_a_run_to_one_process_only(vendor: VendorServer, alice: User, nba: Graph) -> None:
    ask(alice, "SCRIPT:hello")
    first, second = uuid.uuid4(), uuid.uuid4()
    claims.register(first, "a:1")
    claims.register(second, "b:1")
    assert len(claims.claim(first, 10)) == 1
    assert claims.claim(second, 10) == []


def test_it_takes_the_runs_of_a_session_one_after_the_other(vendor: VendorServer, alice: User, nba: Graph) -> None:
    first = ask(alice, "one")
    ask(alice, "two", session_id=str(first.session_id))
    process = uuid.uuid4()
    claims.register(process, "a:1")
    assert [run.id for run in claims.claim(process, 10)] == [first.run_id]
    assert claims.claim(process, 10) == []


def test_it_goes_on_with_a_run_whose_process_died_before_anything_was_shown(
    vendor: VendorServer, alice: User, nba: Graph
) -> None:
    accepted = ask(alice, "SCRIPT:hello")
    claimed_by_a_process_that_died()
    with engine():
        run = rested(accepted.run_id)
    assert run.outcome == "finished"
    assert run.attempts == 2
    started = [event for event in of_run(accepted.run_id) if event.data.get("state") == "started"]
    assert len(started) == 1


def test_it_closes_a_run_whose_process_died_in_the_middle_of_its_answer(
    vendor: VendorServer, alice: User, nba: Graph
) -> None:
    accepted = ask(alice, "SCRIPT:hello")
    claimed_by_a_process_that_died(shown="Half an ans")
    with engine():
        run = rested(accepted.run_id)
    assert run.status == RunStatus.FAILED
    assert run.error["retryable"]
    assert run.message.content == "Half an ans"
    assert of_run(accepted.run_id)[-1].type == "error"
    assert vendor.requests == []


def test_it_goes_on_after_a_round_that_was_stored(vendor: VendorServer, alice: User, nba: Graph) -> None:
    found = Script(text="I found {{node:fetch-api}}.")
    vendor.script(Script(text="I look.", tool_calls=(SEARCH,)), Script(text="too late", first_delay_s=30), found)
    accepted = ask(alice, "Where?")
    with engine() as first:
        until(lambda: len(vendor.requests) == 2)
        assert answer_of(accepted).rounds
        process = first.runtime.process_id
    with engine():
        run = rested(accepted.run_id)
    assert run.message.content == "I look.\n\nI found {{node:fetch-api}}."
    assert not Process.objects.filter(pk=process).exists()


def test_it_does_not_let_the_old_process_write_after_a_takeover(vendor: VendorServer, alice: User, nba: Graph) -> None:
    accepted = ask(alice, "SCRIPT:slow")
    with engine() as first:
        until(lambda: "content_delta" in types(of_run(accepted.run_id)))
        taker = uuid.uuid4()
        claims.register(taker, "b:1")

        def taken_over() -> list[claims.ClaimedRun]:
            silence(first.runtime.process_id)  # which may look for runs just then, and live
            return claims.claim(taker, 10)

        (taken,) = until(taken_over)
        assert vendor.requests[0].disconnected.wait(30)
        count = len(events(accepted.session_id))
        assert taken.epoch == 2
        assert not first.failed.is_set()
    assert len(events(accepted.session_id)) == count
    assert Run.objects.get(pk=accepted.run_id).process == taker


def test_a_process_taken_for_dead_ends(vendor: VendorServer, alice: User, nba: Graph, settings: Any) -> None:
    settings.HEARTBEAT_S = 0.1
    with engine() as first:
        claims.leave(first.runtime.process_id)
        assert first.failed.wait(30)


def test_it_hands_over_what_it_could_not_finish(vendor: VendorServer, alice: User, nba: Graph) -> None:
    vendor.script(Script(text="too late", first_delay_s=30))
    accepted = ask(alice, "Tell me")
    with engine():
        until(lambda: vendor.requests)
    assert Run.objects.get(pk=accepted.run_id).status == RunStatus.QUEUED
    with engine():
        assert rested(accepted.run_id).outcome == "finished"


def test_it_closes_what_was_half_shown_when_the_process_ends(vendor: VendorServer, alice: User, nba: Graph) -> None:
    accepted = ask(alice, "SCRIPT:slow")
    with engine():
        until(lambda: "content_delta" in types(of_run(accepted.run_id)))
    run = rested(accepted.run_id)
    assert run.status == RunStatus.FAILED
    assert run.error["retryable"]
    assert run.message.content


def test_it_lets_runs_finish_when_the_process_ends_in_peace(vendor: VendorServer, alice: User, nba: Graph) -> None:
    accepted = ask(alice, 'SCRIPT={"text": "one two three four", "delay_s": 0.1}')
    with engine() as only:
        until(lambda: "content_delta" in types(of_run(accepted.run_id)))
        only.on_loop(only.runtime.runner.close(25))
        assert Run.objects.get(pk=accepted.run_id).status == RunStatus.SUCCEEDED


def test_it_stops_an_answer_that_everybody_left(vendor: VendorServer, alice: User, nba: Graph, settings: Any) -> None:
    settings.DISCONNECT_GRACE_S = 0.5
    accepted = ask(alice, "SCRIPT:slow")
    stream = Session.objects.get(pk=accepted.session_id).stream_id
    with engine():
        until(lambda: vendor.requests)
        presence.renew([stream], None)
        run = rested(accepted.run_id)
    assert run.outcome == "stopped"
    assert vendor.requests[0].disconnected.wait(30)


def test_it_lets_an_answer_finish_that_nobody_ever_watched(
    vendor: VendorServer, alice: User, nba: Graph, settings: Any
) -> None:
    settings.DISCONNECT_GRACE_S = 0.2
    accepted = ask(alice, 'SCRIPT={"text": "one two three four five", "delay_s": 0.4}')
    with engine():
        assert rested(accepted.run_id).outcome == "finished"


def test_it_lets_an_answer_finish_where_the_session_says_so(
    vendor: VendorServer, alice: User, nba: Graph, settings: Any
) -> None:
    settings.DISCONNECT_GRACE_S = 0.2
    accepted = ask(alice, 'SCRIPT={"text": "one two three four five", "delay_s": 0.4}')
    session = Session.objects.get(pk=accepted.session_id)
    Session.objects.filter(pk=session.pk).update(on_disconnect=Session.OnDisconnect.CONTINUE)
    presence.renew([session.stream_id], None)
    with engine():
        assert rested(accepted.run_id).outcome == "finished"


def test_it_refuses_the_run_of_a_person_who_left_the_workspace(vendor: VendorServer, alice: User, nba: Graph) -> None:
    accepted = ask(alice, "SCRIPT:hello")
    Membership.objects.filter(user=alice).delete()
    with engine():
        run = rested(accepted.run_id)
    assert run.status == RunStatus.FAILED
    assert run.error["code"] == "forbidden"
    assert "no longer a member" in run.error["message"]
    assert vendor.requests == []


def test_it_gives_up_on_a_run_that_kills_every_process(vendor: VendorServer, alice: User, nba: Graph) -> None:
    accepted = ask(alice, "SCRIPT:hello")
    for _ in range(3):
        claimed_by_a_process_that_died()
    with engine():
        run = rested(accepted.run_id)
    assert run.status == RunStatus.FAILED
    assert Message.objects.get(pk=accepted.message_id).status == Message.Status.FAILED


def test_it_does_not_count_a_handover_as_a_failed_attempt(vendor: VendorServer, alice: User, nba: Graph) -> None:
    vendor.script(*[Script(text="too late", first_delay_s=30)] * 4, Script(text="At last."))
    accepted = ask(alice, "Tell me")
    for handed_over in range(1, 5):
        with engine():
            until(lambda count=handed_over: len(vendor.requests) == count)
    with engine():
        assert rested(accepted.run_id).message.content == "At last."


def test_it_leaves_a_session_that_a_newer_version_wrote(vendor: VendorServer, alice: User, nba: Graph) -> None:
    accepted = ask(alice, "SCRIPT:hello")
    Session.objects.filter(pk=accepted.session_id).update(state={"version": 999})
    process = uuid.uuid4()
    claims.register(process, "a:1")
    assert claims.claim(process, 10) == []


def test_writing_and_stopping_while_runs_start_and_end_never_deadlocks(
    vendor: VendorServer, alice: User, nba: Graph
) -> None:
    first = ask(alice, "SCRIPT:hello")
    session = str(first.session_id)
    failures: list[BaseException] = []

    def write_and_stop() -> None:
        try:
            for _ in range(15):
                ask(alice, "SCRIPT:hello", session_id=session)
                conversations.stop(member_of(alice), session)
        except DatabaseError as error:
            failures.append(error)
        finally:
            connections.close_all()

    with engine():
        threads = [threading.Thread(target=write_and_stop) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        until(lambda: not Run.objects.filter(status__in=[RunStatus.QUEUED, RunStatus.RUNNING]).exists())
    assert failures == []


def test_it_stops_the_answer_of_a_person_who_is_removed_meanwhile(
    vendor: VendorServer, alice: User, nba: Graph
) -> None:
    accepted = ask(alice, "SCRIPT:slow")
    with engine():
        until(lambda: "content_delta" in types(of_run(accepted.run_id)))
        Membership.objects.filter(user=alice).delete()
        assert vendor.requests[0].disconnected.wait(30)
        assert rested(accepted.run_id).outcome == "stopped"


def test_stopping_a_run_that_was_handed_over_keeps_what_was_shown(
    vendor: VendorServer, alice: User, nba: Graph
) -> None:
    vendor.script(Script(text="I look.", tool_calls=(SEARCH,)), Script(text="too late", first_delay_s=30))
    accepted = ask(alice, "Where?")
    with engine():
        until(lambda: len(vendor.requests) == 2)
    assert Run.objects.get(pk=accepted.run_id).status == RunStatus.QUEUED
    conversations.stop(member_of(alice), str(accepted.session_id))
    with engine():
        run = rested(accepted.run_id)
        assert (run.outcome, run.message.content) == ("stopped", "I look.")
        assert of_run(accepted.run_id)[-1].data == {"reason": "stopped", "fullText": "I look.", "changes": 0}
        later = ask(alice, "SCRIPT:hello", session_id=str(accepted.session_id))
        assert rested(later.run_id).outcome == "finished"
    checker.check_database()


def test_it_records_what_a_handed_over_call_cost(vendor: VendorServer, alice: User, nba: Graph) -> None:
    vendor.script(Script(text="too late", first_delay_s=30))
    accepted = ask(alice, "Tell me")
    with engine():
        until(lambda: vendor.requests)
    told = [event.data for event in of_run(accepted.run_id) if event.type == "usage"]
    stored = ModelCall.objects.filter(run_id=accepted.run_id)
    assert [data["promptTokens"] for data in told] == [call.prompt_tokens for call in stored] != []


def test_after_an_outage_it_gives_the_others_time_to_show_that_they_live(
    vendor: VendorServer, alice: User, nba: Graph, settings: Any
) -> None:
    with engine() as only:
        runner = only.runtime.runner
        assert runner._may_take_over()

        async def after_an_outage() -> bool:
            runner._last_contact -= settings.PROCESS_SILENT_S
            return runner._may_take_over()

        assert not only.on_loop(after_an_outage())


def test_after_a_look_that_failed_it_gives_the_others_time_too(
    vendor: VendorServer, alice: User, nba: Graph, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: Any, **_named: Any) -> list[claims.ClaimedRun]:
        raise OperationalError("away")

    settings.PROCESS_SILENT_S = 60
    with engine() as only:
        runner = only.runtime.runner
        assert runner._may_take_over()
        with monkeypatch.context() as outage:
            outage.setattr(claims, "claim", fail)
            runner.ring()
            until(lambda: not runner._may_take_over())
        runner.ring()
        assert not runner._may_take_over()


def test_a_process_that_begins_gives_the_others_time_to_show_that_they_live(
    vendor: VendorServer, alice: User, nba: Graph
) -> None:
    """It may begin as the database comes back, when all that it sees is old."""

    async def main() -> bool:
        return Runtime(lambda: None).runner._may_take_over()

    assert not asyncio.run(main())


def test_while_it_cannot_show_that_it_lives_it_takes_nobody_for_dead(
    vendor: VendorServer, alice: User, nba: Graph, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database that only reads: whoever looks finds everybody silent."""
    settings.HEARTBEAT_S = 0.05
    settings.PROCESS_SILENT_S = 60
    with engine() as only:
        runner = only.runtime.runner
        assert runner._may_take_over()
        with monkeypatch.context() as outage:
            outage.setattr(heartbeat, "_BEAT", "UPDATE nowhere SET seen_at = now() WHERE id = %s")
            until(lambda: not runner._may_take_over())
            settings.HEARTBEAT_S = 60
            last = runner._heartbeat.last
        until(lambda: runner._heartbeat.last > last)
        until(lambda: runner._patient_until >= runner._heartbeat.last + settings.PROCESS_SILENT_S / 2)


def test_looking_for_runs_is_a_sign_of_life(vendor: VendorServer, alice: User, nba: Graph) -> None:
    process = uuid.uuid4()
    claims.register(process, "a:1")
    ask(alice, "SCRIPT:hello")
    (run,) = claims.claim(process, 10)
    silence(process)
    assert claims.claim(process, 10) == []
    assert Run.objects.get(pk=run.id).attempts == 1


@pytest.mark.parametrize("state", [{"version": 1}, {"version": "1"}, {"version": 0}, {"phase": "IDLE"}])
def test_a_state_that_cannot_be_read_stops_nobody(
    vendor: VendorServer, alice: User, nba: Graph, state: dict[str, Any]
) -> None:
    broken, fine = ask(alice, "SCRIPT:hello"), ask(alice, "SCRIPT:hello")
    Session.objects.filter(pk=broken.session_id).update(state=state)
    with engine() as here:
        assert rested(fine.run_id).status == RunStatus.SUCCEEDED
        assert rested(broken.run_id).status == RunStatus.SUCCEEDED
        assert not here.failed.is_set()
    checker.check_database()


def test_a_statement_that_takes_too_long_each_time_ends_the_run(
    vendor: VendorServer, alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def enrich(*_: Any) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 1")
            cursor.execute("SELECT pg_sleep(10)")

    monkeypatch.setattr(enriching, "enrich", enrich)
    accepted = ask(alice, "SCRIPT:hello")
    with engine():
        run = rested(accepted.run_id)
    assert run.error == {"code": "internal", "message": error_texts.sentence("internal"), "retryable": True}
    checker.check_database()


def test_a_run_that_was_given_to_a_process_twice_is_driven_as_given_last(
    vendor: VendorServer, alice: User, nba: Graph
) -> None:
    with engine() as here:
        vendor.script(Script(text="one two three", stall_at=2, goes_on=(seen := threading.Event())))
        accepted = ask(alice, "Count")
        runner = here.runtime.runner
        driver = until(lambda: runner._drivers.get(accepted.run_id))

        async def adopted() -> Driver | None:
            runner.adopt(replace(driver.run, epoch=driver.run.epoch - 1))
            await asyncio.sleep(0.05)
            return runner._drivers.get(accepted.run_id)

        assert here.on_loop(adopted()) is driver
        seen.set()
        assert rested(accepted.run_id).status == RunStatus.SUCCEEDED
    assert answer_of(accepted).content == "one two three"
