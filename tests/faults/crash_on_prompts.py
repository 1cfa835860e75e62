"""Crash scenarios of what a model is sent and what it costs: a full window, what a person keeps, budgets."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from chat.models import (
    AlwaysSend,
    Budget,
    BudgetPeriod,
    BudgetUnit,
    Message,
    ModelCall,
    Reservation,
    Run,
    RunStatus,
    StreamEvent,
    Summary,
)
from graphs.models import Graph, Workspace
from tests.chat.engine.driving import until
from tests.faults.crash_scripts import SLOW, TELL, asked
from tests.faults.crash_stage import MESSAGES, NBA, TAKEN_OVER_WITHIN_S, Stage
from tests.things import product_of
from tests.vendors.scripts import Script

#: Its window is small (`test_crash_points.py`): two of these questions fit, three do not.
SMALL = "anthropic:claude-sonnet-4-6"
LONG = "word " * 2_200


def summarise(stage: Stage) -> str:
    """The third question does not fit any more: the first is summarised once, and an answer comes."""
    with _under_budget():
        opened = stage.alice.at(stage.first.url).post(
            MESSAGES, {"context": NBA, "message": _long(stage), "model": SMALL}
        )
        session: str = opened["sessionId"]
        stage.rests(session)
        stage.alice.at(stage.first.url).post(MESSAGES, {"sessionId": session, "message": _long(stage)})
        stage.rests(session)
        assert not Summary.objects.filter(session=session).exists()
        stage.posted_once({"sessionId": session, "message": _long(stage)})
        stage.rests(session)
    *earlier, last = Run.objects.filter(session=session).select_related("message")
    assert [run.status for run in earlier] == [RunStatus.SUCCEEDED] * 2
    # An answer of which something was stored before its process died is closed with that, not written again.
    died_while_shown = last.status == RunStatus.FAILED and last.message.content and last.error["retryable"]
    assert last.status == RunStatus.SUCCEEDED or died_while_shown
    assert Summary.objects.filter(session=session).count() == 1
    told = StreamEvent.objects.filter(stream__session=session, type="session_updated", data__has_key="summary")
    assert told.count() == 1
    return session


def _long(stage: Stage) -> str:
    """A long question; that of the summary is answered by what was answered to this one."""
    name = str(uuid.uuid4())
    stage.site.vendor.answers[name] = (Script(text="SCRIPT:hello"),)
    return f"{LONG}{name}"


def keep(stage: Stage) -> str:
    """Pinned, and told once, whatever the person heard of it."""
    accepted = stage.ask(asked(TELL))
    session, message = accepted["sessionId"], accepted["userMessageId"]
    stage.rests(session)
    path = f"/api/v1/chat/messages/{message}"
    stage.arm()
    stage.at_first("PATCH", path, {"inPrompt": "pinned"})
    stage.await_death()
    assert stage.at_survivor("PATCH", path, {"inPrompt": "pinned"})["inPrompt"] == "pinned"
    assert Message.objects.get(pk=message).in_prompt == Message.InPrompt.PINNED
    told = StreamEvent.objects.filter(stream__session=session, type="session_updated", data__has_key="message")
    assert told.count() == 1
    return str(session)


def always(stage: Stage) -> None:
    _always(stage, "graphs/nba", {"nodeKey": "fetch-api"})
    assert AlwaysSend.objects.get().part_key == "fetch-api"


def always_row(stage: Stage) -> None:
    row = product_of(Workspace.objects.get()).item
    _always(stage, f"objects/{row.type}/{row.key}", {})
    assert AlwaysSend.objects.get().object_key == row.key


def _always(stage: Stage, what: str, part: dict[str, str]) -> None:
    """A record that is always sent is so once."""
    AlwaysSend.objects.all().delete()
    path, body = f"/api/v1/{what}/always-send", {**part, "alwaysSend": True}
    stage.arm()
    stage.at_first("PUT", path, body)
    stage.await_death()
    assert stage.at_survivor("PUT", path, body)["alwaysSend"] is True


def deeper(stage: Stage) -> str:
    """One deeper answer, whatever the client heard of it."""
    opened = stage.alice.at(stage.first.url).post(MESSAGES, {"context": NBA, "message": asked(TELL), "model": SMALL})
    session: str = opened["sessionId"]
    stage.rests(session)
    path = f"/api/v1/chat/messages/{opened['messageId']}/deepen"
    stage.arm()
    told = stage.at_first("POST", path, {})
    stage.await_death()
    answer = stage.at_survivor("POST", path, {})
    assert told in (None, answer)
    assert Message.objects.filter(session=session, deepens=opened["messageId"]).count() == 1
    return session


def paid(stage: Stage) -> str:
    """Whatever dies, nothing stays set aside, and the budget has spent what the calls that are recorded took."""
    with _under_budget():
        session = stage.posted_once({"context": NBA, "message": asked(TELL)})
        stage.rests(session)
    return session


def paid_twice(stage: Stage) -> str:
    """The vendor falls silent, and is asked again: what that took is set aside, too."""
    with _under_budget():
        stage.site.vendor.script(Script(stall_at=0), Script(text="At the second attempt."))
        session = stage.posted_once({"context": NBA, "message": f"Who answers? {uuid.uuid4()}"})
        stage.rests(session)
    assert Message.objects.get(session=session, role=Message.Role.ASSISTANT).content == "At the second attempt."
    return session


def settled(stage: Stage) -> str:
    """Who takes the run of a dead process over dies, too, while it settles what that one had set aside."""
    with _under_budget():
        session: str = stage.ask(asked(SLOW))["sessionId"]
        until(lambda: StreamEvent.objects.filter(stream__session=session, type="content_delta").exists())
        stage.arm()
        stage.kill(stage.driving(session))
        stage.await_death()
        stage.all_ready()
        stage.rests(session)
    assert ModelCall.objects.get(session=session, provider="custom").outcome == "crashed"
    return session


@contextmanager
def _under_budget() -> Iterator[None]:
    workspace = Graph.objects.get(key="nba").workspace
    Budget.objects.all().delete()
    budget = Budget.objects.create(workspace=workspace, unit=BudgetUnit.TOKENS, period=BudgetPeriod.DAY, limit=10**8)
    before = _tokens(workspace)
    yield
    until(lambda: not Reservation.objects.exists(), TAKEN_OVER_WITHIN_S)
    (use,) = budget.uses.all()
    assert (use.reserved, use.used) == (0, _tokens(workspace))
    assert use.used > before
    budget.delete()


def _tokens(workspace: Workspace) -> int:
    calls = ModelCall.objects.filter(workspace=workspace).exclude(provider="local")
    return sum(call.prompt_tokens + call.completion_tokens for call in calls)
