"""What is done again, when, and how often; what is not; and that nobody waits longer than the limits."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import product

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from chat.actions import conversations
from chat.models import ModelCall
from graphs.models import Graph
from graphs.site.access import member_of
from tests import checker
from tests.chat.engine.driving import Engine, ask, of_run, types, until
from tests.faults.vendors.asking import MODELS, Asked, ask_all, ended
from tests.vendors import Script, VendorServer, recorded

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]


def waits_of(asked: Asked) -> list[dict]:
    return [event.data for event in of_run(asked.run.pk) if event.data.get("state") == "retrying"]


def test_it_waits_as_long_as_it_is_told_and_shows_it(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    for kind, headers in zip(recorded.KINDS, told_to_wait(), strict=True):
        vendor.reset()
        vendor.script(Script(status=429, error="slow down", headers=headers), Script(text="Now."))
        run = ended(ask(alice, "Hello", model=MODELS[kind]).run_id)
        assert run.outcome == "finished", kind
        first, second = vendor.requests
        (wait,) = [event.data for event in of_run(run.pk) if event.data.get("state") == "retrying"]
        assert (wait["attempt"], wait["code"]) == (2, "rate_limit"), kind
        assert wait["delayS"] == 1 or "GMT" in str(headers), kind
        assert second.received_at - first.received_at >= wait["delayS"] - 0.1, kind


def told_to_wait() -> Iterator[dict[str, str]]:
    """For a second, or to the end of the next one, as dates have whole seconds."""
    yield {"retry-after": "1"}
    yield {"retry-after-ms": "1000"}
    yield {"retry-after": format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)}


def test_it_does_not_wait_for_an_account_that_is_used_up(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    quota = {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota", "type": "x"}}
    credit = {"error": {"type": "invalid_request_error", "message": "Your credit balance is too low."}, "type": "error"}
    scripts = [Script(status=429, error=quota), Script(status=402, error="Insufficient Balance")]
    cases = [("openai", each) for each in scripts] + [("anthropic", Script(status=400, error=credit))]
    for asked in ask_all(alice, vendor, [(kind, [script]) for kind, script in cases]):
        assert (asked.run.error["code"], asked.run.error["retryable"]) == ("rate_limit", False)
        assert "account with the model's service is used up" in asked.run.error["message"]
        assert len(asked.requests(vendor)) == 1
        assert waits_of(asked) == []


def test_it_says_when_a_vendor_wants_to_be_left_alone_for_long(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    hour = Script(status=429, error="slow down", headers={"retry-after": "3600"})
    for asked in ask_all(alice, vendor, [(kind, [hour]) for kind in recorded.KINDS]):
        assert "in 60 minutes" in asked.run.error["message"]
        assert (asked.run.error["retryable"], len(asked.requests(vendor))) == (True, 1)


def test_it_tries_three_times_where_a_vendor_may_recover(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    broken = [Script(status=status, error="sorry") for status in (408, 409, 429, 500, 502, 503, 504, 529)]
    broken.append(Script(status=502, raw=b"<html><h1>Bad Gateway</h1></html>", content_type="text/html"))
    cases = [(kind, [script]) for kind in recorded.KINDS for script in broken]
    for (kind, [script]), asked in zip(cases, ask_all(alice, vendor, cases), strict=True):
        case = kind, script.status
        assert asked.run.error["retryable"], case
        assert len(asked.requests(vendor)) == len(asked.costs()) == 3, case
        assert [wait["attempt"] for wait in waits_of(asked)] == [2, 3], case
        assert not any(cost.prompt_tokens or cost.estimated for cost in asked.costs()), case
    checker.check_database()


def test_it_never_repeats_what_was_refused(running: Engine, vendor: VendorServer, alice: User, nba: Graph) -> None:
    refused = [Script(status=status, error="rate limit, overloaded") for status in (400, 401, 403, 404, 413, 422)]
    cases = [(kind, [script]) for kind in recorded.KINDS for script in refused]
    for (kind, [script]), asked in zip(cases, ask_all(alice, vendor, cases), strict=True):
        case = kind, script.status
        assert not asked.run.error["retryable"], case
        assert len(asked.requests(vendor)) == len(asked.costs()) == 1, case


def test_all_attempts_end_within_the_time_for_one(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, settings: Settings
) -> None:
    settings.MODEL_CALL_TIMEOUT_S = 4
    late = Script(status=503, error="sorry", first_delay_s=1.5)
    pings = Script(raw=(b": ping\n\n",) * 1000, delay_s=0.05)
    vendor.script(late, pings)
    accepted = ask(alice, "Slowly")
    run = ended(accepted.run_id)
    assert (run.error["code"], run.error["retryable"]) == ("timeout", True)
    assert len(vendor.requests) == 2
    assert vendor.requests[1].disconnected.wait(30)
    # A second attempt with a time of its own would have received four seconds of pings.
    assert vendor.requests[1].chunks_sent < 65
    assert [cost.estimated for cost in ModelCall.objects.filter(run=run)] == [False, True]


def test_it_gives_up_an_answer_that_only_drips(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, settings: Settings
) -> None:
    settings.MODEL_CALL_TIMEOUT_S = 2
    drip = Script(text="word " * 1000, delay_s=0.05)
    for asked in ask_all(alice, vendor, [(kind, [drip]) for kind in recorded.KINDS]):
        assert (asked.run.error["code"], asked.run.error["retryable"]) == ("timeout", True)
        assert asked.run.message.content.startswith("word word")
        (request,), (cost,) = asked.requests(vendor), asked.costs()
        assert request.disconnected.wait(30)
        assert (cost.estimated, cost.completion_tokens > 0, cost.outcome) == (True, True, "timeout")


def test_a_stop_hangs_up(running: Engine, vendor: VendorServer, alice: User, nba: Graph) -> None:
    mute, begun = Script(stall_at=0), Script(text="one two three", stall_at=4)
    for kind, script in product(recorded.KINDS, (mute, begun)):
        vendor.reset()
        vendor.script(script)
        accepted = ask(alice, "Go on and on", model=MODELS[kind])
        (request,) = vendor.wait_for_requests(1)
        if script.text:
            until(lambda run_id=accepted.run_id: "content_delta" in types(of_run(run_id)))
        conversations.stop(member_of(alice), str(accepted.session_id))
        assert request.disconnected.wait(30), (kind, script)
        assert ended(accepted.run_id).outcome == "stopped"
        (cost,) = ModelCall.objects.filter(run_id=accepted.run_id)
        assert (cost.estimated, cost.outcome) == (True, "stopped"), (kind, script)
