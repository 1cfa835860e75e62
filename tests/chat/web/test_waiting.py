import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from chat.access import open_readers
from chat.concurrency.database import in_db
from chat.engine import runner, runtime
from chat.events import hub
from chat.events.hub import Hub
from chat.events.vocabulary import EVENT_VERSION, StoredEvent
from chat.models import Message, Run, RunStatus, Session
from chat.providers.pieces import ToolCallDelta, ToolCallStart, TurnEnd
from chat.providers.provider_error import ProviderError
from chat.web import waiting
from graphs.models import Graph, Membership, Node, Role
from tests import cast
from tests.chat.events import hubs
from tests.chat.inprocess import Model, asked, request, run

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/api/v1/chat/messages"
BODY = {"message": "Hello", "context": {"type": "graph", "id": "nba"}, "wait": True}

ENDS: dict[str, Callable[[User], Any]] = {
    "member removed": lambda user: Membership.objects.filter(user=user).delete(),
    "role lowered": lambda user: Membership.objects.filter(user=user).update(role=Role.VIEWER),
    "account disabled": lambda user: User.objects.filter(pk=user.pk).update(is_active=False),
    "password changed": lambda user: User.objects.filter(pk=user.pk).update(password="another one"),
    "conversation deleted": lambda user: Session.objects.filter(owner=user).update(hidden_at=timezone.now()),
}


@pytest.fixture
def nothing_by_itself(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    """What a process asks the database from time to time it does not ask within a test."""
    settings.HEARTBEAT_S = 600
    for module, pause in ((hub, "POLL_S"), (runner, "LOOK_EVERY_S"), (open_readers, "CHECK_EVERY_S")):
        monkeypatch.setattr(module, pause, 600)


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch, nothing_by_itself: None) -> list[str]:
    """All statements of this process, in threads and on its loop; "SHOWN" where an answer's first words were shown."""
    made: list[str] = []

    def noting(execute: Callable[..., Any]) -> Callable[..., Any]:
        def noted(cursor: Any, statement: Any, *more: Any, **named: Any) -> Any:
            made.append(" ".join(str(statement).split())[:100])
            return execute(cursor, statement, *more, **named)

        return noted

    for kind in (psycopg.Cursor, psycopg.AsyncCursor):
        monkeypatch.setattr(kind, "execute", noting(kind.execute))
    deliver = Hub.deliver

    def delivered(to: Hub, events: Sequence[StoredEvent]) -> None:
        made.extend("SHOWN" for event in events if event.type == "content_delta")
        deliver(to, events)

    monkeypatch.setattr(Hub, "deliver", delivered)
    return made


async def answered(model: Model, person: User, made: list[str], question: str, **where: Any) -> dict[str, Any]:
    """The whole answer. Its first words come when the request waits, and are shown before the last are said."""
    made.clear()
    model.requests.clear()
    async with asked("POST", PATH, person, {"message": question, "wait": True, **where}) as answer:
        async with asyncio.timeout(20):
            while not (runtime.current().hub._tails and model.requests):
                await asyncio.sleep(0.005)
            model.say("First")
            while "SHOWN" not in made:
                await asyncio.sleep(0.005)
        model.say(", last.")
        model.end()
        await answer.until(lambda each: each.complete)
        assert (answer.status, answer.json()["message"]) == (200, "First, last.")
        return dict(answer.json())


def test_it_answers_with_the_whole_message(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        model.say(ToolCallStart("c1", "read_node_detail"), ToolCallDelta("c1", '{"nodeKey": "root"}'))
        model.say(TurnEnd("tool_calls"), "It starts.")
        model.end()
        answer = await request("POST", PATH, alice, BODY)
        found = answer.json()
        assert (answer.status, found["type"], found["message"]) == (200, "message", "It starts.")
        assert [(each["name"], each["status"]) for each in found["toolCalls"]] == [("read_node_detail", "ok")]
        assert found["proposals"] == []
        assert {"sessionId", "userMessageId", "messageId", "runId", "streamId"} < set(found)
        assert "error" not in found
        assert int(answer.headers["content-length"]) == len(answer.body)
        assert not runtime.current().hub._tails

    run(test)


def test_a_question_is_answered_in_few_statements(alice: User, nba: Graph, model: Model, statements: list[str]) -> None:
    """In a new conversation and in a known one; that which stores the first words comes before they are shown."""

    async def test() -> None:
        about = {"context": BODY["context"]}
        await answered(model, alice, statements, "one", **about)  # the first of a process connects, and fills caches
        session_id = (await answered(model, alice, statements, "two", **about))["sessionId"]
        new = list(statements)
        await answered(model, alice, statements, "three", sessionId=session_id)
        for all_made in (new, statements):
            made = [each for each in all_made if "UPDATE chat_process" not in each]  # a heartbeat
            assert made.index("SHOWN") <= 7, "\n".join(made)
            assert len(made) - made.count("SHOWN") <= 11, "\n".join(made)

    run(test)


def test_it_answers_with_the_error_of_a_run_and_with_its_retry(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        model.say("Half", ProviderError("server_error", "down"))
        found = (await request("POST", PATH, alice, BODY)).json()
        assert (found["type"], found["message"], found["error"]["code"]) == ("error", "Half", "server_error")
        assert found["error"]["retryable"] is True
        model.say("Whole")
        model.end()
        path = f"/api/v1/chat/sessions/{found['sessionId']}/retry"
        again = await request("POST", path, alice, {"wait": True})
        assert (again.status, again.json()["type"], again.json()["message"]) == (200, "message", "Whole")

    run(test)


def test_it_answers_with_the_limit_of_tool_rounds_and_goes_on(
    alice: User, nba: Graph, model: Model, settings: Settings
) -> None:
    settings.TOOL_ROUNDS, settings.TOOL_ROUNDS_EXTENDED = 1, 2

    async def test() -> None:
        model.say(ToolCallStart("c1", "read_node_detail"), ToolCallDelta("c1", '{"nodeKey": "root"}'))
        model.say(TurnEnd("tool_calls"))
        found = (await request("POST", PATH, alice, BODY)).json()
        assert found["type"] == "toolLimit"
        model.say("Summary")
        model.end()
        path = f"/api/v1/chat/sessions/{found['sessionId']}/resume"
        again = (await request("POST", path, alice, {"continue": False, "wait": True})).json()
        assert (again["type"], again["message"]) == ("message", "Summary")

    run(test)


def test_one_person_does_not_hold_all_the_places(
    alice: User, bob: User, nba: Graph, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "MAX_WAITING_OF_ONE", 1)

    async def test() -> None:
        first = asyncio.create_task(request("POST", PATH, alice, BODY))
        while not waiting._of_person[alice.pk]:
            await asyncio.sleep(0.01)
        assert (await request("POST", PATH, alice, BODY)).status == 202
        others = asyncio.create_task(request("POST", PATH, bob, BODY))
        while not waiting._of_person[bob.pk]:
            await asyncio.sleep(0.01)
        for _question in range(3):
            model.say("Here.")
            model.end()
        assert {(await each).status for each in (first, others)} == {200}
        assert not waiting._of_person

    run(test)


def test_it_answers_202_when_the_run_takes_too_long(
    alice: User, nba: Graph, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "WAIT_S", 0.2)

    async def test() -> None:
        answer = await request("POST", PATH, alice, BODY)
        assert answer.status == 202
        assert "message" not in answer.json()
        assert not runtime.current().hub._tails
        model.say("Later")
        model.end()
        path = f"/api/v1/streams/events/{answer.json()['streamId']}"
        async with asyncio.timeout(20):
            while "Later" not in (await request("GET", path, alice)).body.decode():
                await asyncio.sleep(0.05)

    run(test)


def test_it_answers_202_when_it_cannot_wait_any_longer(alice: User, nba: Graph, model: Model) -> None:
    """Here because a newer version of the program wrote into the stream."""

    def write_as_a_newer_version() -> None:
        """Another process: readers of this one find the row."""
        hubs.elsewhere(Session.objects.get().stream_id, 1, version=EVENT_VERSION + 1)

    async def test() -> None:
        async with asked("POST", PATH, alice, BODY) as answer:
            async with asyncio.timeout(20):
                while not runtime.current().hub._tails:
                    await asyncio.sleep(0.01)
            await in_db(write_as_a_newer_version)
            await answer.until(lambda each: each.complete)
            assert answer.status == 202
            assert answer.json()["runId"]

    run(test)


def test_it_waits_for_a_bounded_number_at_once(
    alice: User, nba: Graph, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "MAX_WAITING", 1)

    async def test() -> None:
        async with asked("POST", PATH, alice, BODY) as first:
            async with asyncio.timeout(20):
                while not (runtime.current().hub._tails and model.requests):
                    await asyncio.sleep(0.01)
            assert (await request("POST", PATH, alice, BODY)).status == 202
            # Both answers at once: either run may take any piece, and each ends with one of the two ends.
            for word in ("One", "Two"):
                model.say(word)
                model.end()
            await first.until(lambda each: each.complete)
            assert first.status == 200

    run(test)


def test_it_gives_waiting_twins_with_one_key_the_same_answer(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        twins = [asyncio.create_task(request("POST", PATH, alice, BODY, idempotency_key="k")) for _ in range(4)]
        async with asyncio.timeout(20):
            while not model.requests:
                await asyncio.sleep(0.01)
        model.say("Once")
        model.end()
        answers = await asyncio.gather(*twins)
        assert {each.status for each in answers} == {200}
        assert len({each.body for each in answers}) == 1
        later = await request("POST", PATH, alice, {**BODY, "wait": False}, idempotency_key="k")
        assert (later.status, later.json()["runId"]) == (202, answers[0].json()["runId"])
        again = await request("POST", PATH, alice, BODY, idempotency_key="k")
        assert (again.status, again.body) == (200, answers[0].body)
        assert await in_db(Message.objects.filter(role="user").count) == 1

    run(test)


@pytest.mark.parametrize("ends", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("shows", ["token", "cookie"])
def test_it_tells_nothing_to_whose_access_ended_while_the_answer_was_written(
    alice: User, nba: Graph, model: Model, nothing_by_itself: None, shows: str, ends: Callable[[User], Any]
) -> None:
    """Looked at again with the answer, however short it was."""
    browser = cast.signed_in(alice)

    async def test() -> None:
        headers = {"cookie": f"sessionid={browser.cookies['sessionid'].value}; csrftoken={'a' * 32}"}
        headers |= {"x-csrftoken": "a" * 32, "origin": "http://testserver"}
        by_token, by_cookie = (alice, None), (None, headers)
        person, shown = by_token if shows == "token" else by_cookie
        async with asked("POST", PATH, person, BODY, shown) as answer:
            async with asyncio.timeout(20):
                while not (runtime.current().hub._tails and model.requests):
                    await asyncio.sleep(0.01)
            await in_db(ends, alice)
            model.say("Secret.")
            model.end()
            await answer.until(lambda each: each.complete)
        assert (answer.status, b"Secret" in answer.body) == (202, False)

    run(test)


def test_it_finds_the_end_of_a_run_that_another_process_drives(alice: User, nba: Graph, model: Model) -> None:
    def end_elsewhere() -> None:
        """As another process ends it: nothing is said in this one."""
        run_ = Run.objects.select_related("message", "session").get()
        Message.objects.filter(pk=run_.message_id).update(content="From elsewhere.", status="complete")
        Run.objects.update(status=RunStatus.SUCCEEDED, outcome="finished", ended_at=timezone.now())
        hubs.elsewhere(run_.session.stream_id, 1, type_="done", run_id=run_.pk)

    async def test() -> None:
        runtime.current().runner._claiming = False
        async with asked("POST", PATH, alice, BODY) as answer:
            async with asyncio.timeout(20):
                while not runtime.current().hub._tails:
                    await asyncio.sleep(0.01)
            await in_db(end_elsewhere)
            await answer.until(lambda each: each.complete)
        assert (answer.status, answer.json()["message"]) == (200, "From elsewhere.")

    run(test)


def test_it_leaves_refusing_to_django(alice: User, nba: Graph) -> None:
    async def test() -> None:
        for body, status in (
            ({**BODY, "wait": "yes"}, 400),
            ({**BODY, "wait": None, "message": ""}, 400),
            (b'{"wait": true', 400),
            (b'{"wait": true, "wait": true}', 400),
            (b'{"message": "\x00", "wait": true}', 400),
            (b'{"message": "\\ud800", "wait": true}', 400),
            (b'["wait"]', 400),
            (b'{"message": "' + b"x" * 2_000_000 + b'", "wait": true}', 400),
            (b'{"message": "' + b"x" * 3_000_000 + b'", "wait": true}', 413),
        ):
            answer = await request("POST", PATH, alice, body)
            assert answer.status == status, body[:60]
            assert answer.headers["content-type"] == "application/problem+json"
        assert (await request("POST", PATH, None, BODY)).status == 401
        assert await in_db(Message.objects.count) == 0

    run(test)


def test_it_answers_a_proposal_and_a_decision_with_how_the_model_goes_on(
    alice: User, bob: User, nba: Graph, model: Model
) -> None:
    call = json.dumps({"nodeKey": "root", "updates": {"name": "Begin"}, "reason": "Shorter."})

    async def propose() -> dict[str, Any]:
        model.say(ToolCallStart("c1", "propose_update_node"), ToolCallDelta("c1", call), TurnEnd("tool_calls"))
        found = (await request("POST", PATH, alice, BODY)).json()
        assert found["type"] == "interrupt"
        (proposal,) = found["proposals"]
        assert (proposal["status"], proposal["toolCallId"]) == ("pending", found["toolCalls"][0]["id"])
        return dict(proposal)

    async def test() -> None:
        for approved, status in ((True, "applied"), (False, "rejected")):
            proposal = await propose()
            path = f"/api/v1/proposals/{proposal['id']}/decide"
            assert (await request("POST", path, bob, {"approved": approved, "wait": True})).status == 403
            model.say("I see.")
            model.end()
            body = {"approved": approved, "feedback": "Hm.", "wait": True}
            answer = await request("POST", path, alice, body)
            found = answer.json()
            assert (answer.status, found["type"], found["message"]) == (200, "message", "I see.")
            assert (found["proposal"]["status"], found["proposal"]["decidedBy"]) == (status, "alice")
            again = await request("POST", path, alice, body)
            assert (again.status, again.json()["code"]) == (409, "decided")
            if approved:
                await in_db(Node.objects.filter(key="root").update, name="Start")

    run(test)
