from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from rest_framework_simplejwt.tokens import AccessToken

from chat.access import open_readers
from chat.actions.conversations import post_message
from chat.concurrency.database import in_db
from chat.engine import runtime
from chat.events.append import append
from chat.events.vocabulary import NewEvent
from chat.models import Session, Stream
from chat.web import sse
from graphs.models import Graph, Membership
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from graphs.site.api import tokens
from tests import cast
from tests.chat.inprocess import Answer, Model, asked, request, run

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/api/v1/streams/sse"


def conversation(user: User, text: str = "Hello") -> str:
    """The stream of a new conversation."""
    return post_message(member_of(user), text, context=Ref("graph", "nba")).stream


def tell(name: str, *texts: str) -> None:
    stream = Stream.objects.get(name=name)
    with transaction.atomic():
        append(stream.pk, [NewEvent("content_delta", {"delta": text}) for text in texts])


def of(answer: Answer, stream: str) -> list[dict[str, Any]]:
    return [event for _cursor, event in answer.events() if event["stream"] == stream]


def test_it_streams_the_events_of_a_conversation(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        stream = await in_db(conversation, alice)
        async with asked("GET", f"{PATH}?streams={stream}", alice) as answer:
            model.say("Good ", "day")
            model.end()
            await answer.until(lambda each: any(event["type"] == "done" for _, event in each.events()))
        events = of(answer, stream)
        page = (await request("GET", f"/api/v1/streams/events/{stream}", alice)).json()
        assert (answer.status, answer.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
        assert events == page["events"]
        assert [each["sequence"] for each in events] == list(range(1, page["last"] + 1))

    run(test)


def test_it_reads_several_streams_and_goes_on_from_any_cursor(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        first, second = await in_db(conversation, alice), await in_db(conversation, alice, "Second")
        names = f"{PATH}?streams={first},{second}"
        async with asked("GET", names, alice) as answer:
            await in_db(tell, first, "a", "b")
            await in_db(tell, second, "c")
            await answer.until(lambda each: {"a", "b", "c"} <= {e["data"].get("delta") for _, e in each.events()})
            # Both runs have begun: nothing more comes until the model speaks.
            await answer.until(lambda each: [e["data"].get("state") for _, e in each.events()].count("started") == 2)
        everything = answer.events()
        for place, (cursor, _event) in enumerate(everything):
            expected = everything[place + 1 :]
            for query, headers in ((f"&cursor={cursor}", {}), ("&cursor=0-0", {"last-event-id": cursor})):
                async with asked("GET", names + query, alice, headers=headers) as again:
                    await again.until(lambda each, rest=expected: len(each.events()) >= len(rest))
                for stream in (first, second):
                    assert of(again, stream)[: len(expected)] == [e for _, e in expected if e["stream"] == stream]

    run(test)


def test_it_refuses_a_cursor_that_is_not_of_these_streams(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        first, second = await in_db(conversation, alice), await in_db(conversation, alice)
        one, two = await in_db(lambda: [Stream.objects.get(name=name).pk for name in (first, second)])
        wrong = [f"{one}-1000", f"{two}-1", f"{one}-1.{two}-1", f"{one}-1.{one}-1", "x", "1", "-", f"{one}--1", "²-1"]
        for cursor in wrong:
            answer = await request("GET", f"{PATH}?streams={first}", alice, last_event_id=cursor)
            assert (answer.status, answer.json()["code"]) == (400, "cursor"), cursor
            assert answer.headers["content-type"] == "application/problem+json"
        both = await request("GET", f"{PATH}?streams={first},{second}&cursor={one}-1", alice)
        assert both.status == 400
        assert not runtime.current().hub._tails

    run(test)


def test_it_refuses_a_cursor_that_lost_the_race_with_a_restore(
    alice: User, nba: Graph, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        first, second = await in_db(conversation, alice), await in_db(conversation, alice)
        monkeypatch.setattr(
            sse, "_positions", lambda _cursor, found: {each.id: 10_000 * n for n, each in enumerate(found)}
        )
        answer = await request("GET", f"{PATH}?streams={first},{second}", alice)
        assert answer.status == 400
        assert not runtime.current().hub._tails

    run(test)


def test_it_takes_foreign_streams_for_absent(alice: User, bob: User, charlie: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        theirs = await in_db(conversation, alice)
        own = await in_db(lambda: post_message(member_of(charlie), "Mine").stream)
        absent = await request("GET", f"{PATH}?streams=session_none", charlie)
        assert absent.status == 404
        for names in (theirs, f"{own},{theirs}", "%00", "a%00b", "%ff", "x" * 500, f"{own},nonsense"):
            answer = await request("GET", f"{PATH}?streams={names}", charlie)
            assert (answer.status, answer.body) == (404, absent.body), names
        assert (await request("GET", f"{PATH}?streams={theirs}", bob)).body == absent.body
        await in_db(Session.objects.filter(owner=alice).update, hidden_at="2026-01-01T00:00Z")
        assert (await request("GET", f"{PATH}?streams={theirs}", alice)).body == absent.body

    run(test)


def test_it_needs_a_person(alice: User, nba: Graph, model: Model) -> None:
    cookie = f"sessionid={cast.signed_in(alice).cookies['sessionid'].value}"
    expired = AccessToken(tokens.issue(alice).access)
    expired.set_exp(lifetime=timedelta(seconds=-1))

    async def test() -> None:
        stream = await in_db(conversation, alice)
        path = f"{PATH}?streams={stream}"
        for headers in (
            {},
            {"cookie": "sessionid=unknown"},
            {"authorization": "Bearer nonsense", "cookie": cookie},
            {"authorization": "Bearer", "cookie": cookie},
            {"authorization": f"Bearer {expired}"},
        ):
            answer = await request("GET", path, **headers)
            assert (answer.status, answer.json()["code"]) == (401, "not_authenticated")
            assert answer.headers["www-authenticate"].startswith("Bearer")
        for shown in ({}, {"authorization": "Foo x"}, {"authorization": ""}):
            async with asked("GET", path, headers={"cookie": cookie, **shown}) as answer:
                await answer.until(lambda each: each.events())
            assert answer.status == 200

    run(test)


def test_it_answers_only_get_with_one_to_eight_streams(alice: User, nba: Graph) -> None:
    async def test() -> None:
        for method in ("POST", "PUT", "DELETE", "HEAD", "OPTIONS"):
            answer = await request(method, PATH, alice)
            assert (answer.status, answer.headers["allow"]) == (405, "GET")
        for query in ("", "?streams=", "?streams=,,", "?streams=" + ",".join(f"s_{n}" for n in range(9))):
            answer = await request("GET", PATH + query, alice)
            assert (answer.status, list(answer.json()["errors"])) == (400, ["streams"])

    run(test)


def test_it_ends_when_its_reader_may_not_read_on(
    alice: User, nba: Graph, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_readers, "CHECK_EVERY_S", 0.05)

    async def test() -> None:
        stream = await in_db(conversation, alice)
        for end in (
            lambda: Session.objects.update(hidden_at="2026-01-01T00:00Z"),
            lambda: Membership.objects.filter(user=alice).delete(),
        ):
            async with asked("GET", f"{PATH}?streams={stream}", alice) as answer:
                await answer.until(lambda each: each.events())
                await in_db(end)
                await answer.until(lambda each: each.complete)
            await in_db(Session.objects.update, hidden_at=None)
        assert not sse._open

    run(test)


def test_it_frees_everything_when_its_reader_leaves(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        stream = await in_db(conversation, alice)
        async with asked("GET", f"{PATH}?streams={stream}", alice) as answer:
            await answer.until(lambda each: each.events())
            assert runtime.current().hub._tails
        assert not runtime.current().hub._tails
        assert not sse._open

    run(test)


def test_it_ends_all_responses_when_the_process_stops(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        stream = await in_db(conversation, alice)
        async with asked("GET", f"{PATH}?streams={stream}", alice) as answer:
            await answer.until(lambda each: each.events())
            sse.close_all()
            await answer.until(lambda each: each.complete)

    run(test)
