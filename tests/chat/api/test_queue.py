"""GET queue and its commands: who sees what runs or waits, and who may stop it or have it tried again."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from chat.models import Message, ModelCall, Run, RunStatus, Session, StreamEvent
from graphs.models import Graph, Membership, Role, Workspace
from tests.cast import member
from tests.chat.api.callers import API, ask, get, post
from tests.graphs.api.callers import problem, with_token

pytestmark = pytest.mark.django_db


def queue(user: User, query: str = "") -> list[dict[str, Any]]:
    answer = get(user, f"queue{query}")
    assert answer.status_code == 200, answer.content
    return answer.json()["results"]


def asked(user: User, text: str = "How fast is it?", **more: Any) -> str:
    """The entry of an answer that waits."""
    return f"answer:{ask(user, text, **more)['runId']}"


def run_of(entry: str) -> Run:
    return Run.objects.get(pk=entry.partition(":")[2])


def failed(entry: str, *, retryable: bool = True, ago: timedelta = timedelta()) -> Run:
    """An answer that ended with an error."""
    Run.objects.filter(pk=run_of(entry).pk).update(
        status=RunStatus.FAILED,
        ended_at=timezone.now() - ago,
        error={"code": "network", "message": "It broke off.", "retryable": retryable},
    )
    return run_of(entry)


def test_an_own_answer_is_told_with_all_about_it(alice: User, nba: Graph) -> None:
    given = ask(alice, "How fast is it?")
    run = Run.objects.get()
    for cost in ("0.25", "0.5"):
        call = {"provider": "demo", "model": "demo", "outcome": "ok", "cost": Decimal(cost)}
        ModelCall.objects.create(workspace=nba.workspace, user=alice, run=run, session=run.session, **call)
    (entry,) = queue(alice)
    assert entry == {
        "id": f"answer:{given['runId']}",
        "kind": "answer",
        "state": "waiting",
        "since": run.created_at.isoformat(),
        "person": "alice",
        "own": True,
        "reason": "It waits for a server that has room for it.",
        "progress": None,
        "title": "How fast is it?",
        "object": {"type": "graph", "id": "nba"},
        "objectTitle": "NBA scores",
        "url": "/graphs/nba/",
        "streamId": given["streamId"],
        "sessionId": given["sessionId"],
        "messageId": given["messageId"],
        "model": "",
        "cost": "0.75000000",
        "mayCancel": True,
        "mayRetry": False,
    }


def test_of_others_it_tells_only_that_they_wait(alice: User, bob: User, nba: Graph) -> None:
    asked(alice, "A secret plan", model="demo:demo")
    admin = member("dora", nba.workspace, Role.ADMIN)
    for user, may in ((bob, False), (admin, True)):
        answer = get(user, "queue")
        assert "secret" not in answer.content.decode()
        (entry,) = answer.json()["results"]
        told = ("person", "own", "state", "reason", "mayCancel", "mayRetry")
        assert [entry[name] for name in told] == ["alice", False, "waiting", entry["reason"], may, False]
        hidden = ("object", "streamId", "sessionId", "messageId", "cost", "progress")
        assert {name: entry[name] for name in hidden} == dict.fromkeys(hidden)
        assert {entry[name] for name in ("title", "model", "url", "objectTitle")} == {""}


def test_strangers_and_other_workspaces_see_nothing_of_it(alice: User, charlie: User, nba: Graph) -> None:
    mine = asked(alice)
    assert queue(charlie) == []
    problem(get(charlie, "queue?workspace=demo"), 404, "not_found")
    assert with_token(alice).get("/api/v1/queue", headers={"X-Workspace": "other"}).status_code == 404
    Membership.objects.create(user=alice, workspace=charlie.memberships.get().workspace, role=Role.ADMIN)
    assert queue(alice, "?workspace=other") == []
    for command in ("cancel", "retry"):
        problem(post(alice, f"queue/{mine}/{command}?workspace=other"), 404, "not_found")
        problem(post(charlie, f"queue/{mine}/{command}"), 404, "not_found")
    assert run_of(mine).status == RunStatus.QUEUED


def test_it_says_why_an_answer_waits(alice: User, nba: Graph) -> None:
    first = asked(alice)
    second = asked(alice, "And then?", sessionId=str(run_of(first).session_id))
    assert [entry["id"] for entry in queue(alice)] == [first, second]
    assert queue(alice)[1]["reason"] == "It waits for the answer before it in the same conversation."
    Run.objects.filter(pk=run_of(first).pk).update(first_sequence=3)
    assert queue(alice)[0]["reason"] == "The server that wrote it has stopped. Another one takes over."
    Run.objects.filter(pk=run_of(first).pk).update(status=RunStatus.RUNNING)
    assert (queue(alice)[0]["state"], queue(alice)[0]["reason"]) == ("running", "")
    Run.objects.filter(pk=run_of(first).pk).update(stop_requested_at=timezone.now())
    assert (queue(alice)[0]["reason"], queue(alice)[0]["mayCancel"]) == ("It is being stopped.", False)


def test_who_reads_a_conversation_sees_what_it_is_and_who_writes_along_stops_it(
    alice: User, bob: User, nba: Graph
) -> None:
    mine = asked(alice, "Our plan")
    session = str(run_of(mine).session_id)
    post(alice, f"chat/sessions/{session}/shares", {"user": "bob", "access": "read"})
    told = ("title", "sessionId", "person", "own", "mayCancel")
    assert [[each[name] for name in told] for each in queue(bob)] == [["Our plan", session, "alice", False, False]]
    problem(post(bob, f"queue/{mine}/cancel"), 403, "forbidden")
    post(alice, f"chat/sessions/{session}/shares", {"user": "bob", "access": "write"})
    bobs = asked(bob, "Mine", sessionId=session)
    assert [[each[name] for name in told] for each in queue(bob)] == [
        ["Our plan", session, "alice", False, True],
        ["Our plan", session, "bob", True, True],
    ]
    assert [(each["person"], each["own"], each["mayCancel"]) for each in queue(alice)][1] == ("bob", False, True)
    assert post(bob, f"queue/{bobs}/cancel").status_code == 204
    with_token(alice).delete(f"{API}chat/sessions/{session}/shares")
    assert [[each[name] for name in told] for each in queue(bob)] == [["", None, "alice", False, False]]
    problem(post(bob, f"queue/{mine}/cancel"), 403, "forbidden")
    problem(post(bob, f"queue/{bobs}/cancel"), 404, "not_found")


def test_what_waits_is_cancelled_at_once_and_only_that(alice: User, nba: Graph) -> None:
    first = asked(alice)
    second = asked(alice, "And then?", sessionId=str(run_of(first).session_id))
    assert post(alice, f"queue/{second}/cancel").status_code == 204
    assert [entry["id"] for entry in queue(alice)] == [first]
    cancelled = run_of(second)
    assert (cancelled.status, cancelled.message.status) == (RunStatus.CANCELLED, Message.Status.STOPPED)
    ends = StreamEvent.objects.filter(run_id=cancelled.pk, type="done")
    assert [event.data["reason"] for event in ends] == ["stopped"]
    assert run_of(first).status == RunStatus.QUEUED


def test_what_is_written_is_asked_to_stop(alice: User, nba: Graph) -> None:
    mine = asked(alice)
    Run.objects.update(status=RunStatus.RUNNING)
    assert post(alice, f"queue/{mine}/cancel").status_code == 204
    stopped = run_of(mine).stop_requested_at
    assert stopped is not None
    assert post(alice, f"queue/{mine}/cancel").status_code == 204, "asking twice is once"
    assert run_of(mine).stop_requested_at == stopped


def test_who_may_stop_whose(alice: User, bob: User, nba: Graph) -> None:
    """Editors are no more than viewers here: what somebody asks is theirs."""
    bobs, mine = asked(bob), asked(alice)
    problem(post(alice, f"queue/{bobs}/cancel"), 403, "forbidden")
    problem(post(bob, f"queue/{mine}/cancel"), 403, "forbidden")
    assert {run_of(bobs).status, run_of(mine).status} == {RunStatus.QUEUED}
    admin = member("dora", nba.workspace, Role.ADMIN)
    assert post(admin, f"queue/{bobs}/cancel").status_code == 204
    assert post(bob, f"queue/{mine}/retry").status_code == 404
    assert post(admin, f"queue/{mine}/retry").status_code == 404


def test_what_has_ended_is_a_conflict_for_its_owner_and_absent_for_others(alice: User, bob: User, nba: Graph) -> None:
    mine = asked(alice)
    Run.objects.update(status=RunStatus.SUCCEEDED, ended_at=timezone.now())
    problem(post(alice, f"queue/{mine}/cancel"), 409, "conflict")
    admin = member("dora", nba.workspace, Role.ADMIN)
    for user in (bob, admin):
        problem(post(user, f"queue/{mine}/cancel"), 404, "not_found")
    assert queue(alice) == []


@pytest.mark.parametrize(
    "wrong", ["nothing", "answer:", "answer:x", "planet:1", ":", "answer:00000000-0000-4000-8000-000000000007"]
)
@pytest.mark.parametrize("command", ["cancel", "retry"])
def test_what_names_nothing_is_absent(alice: User, nba: Graph, wrong: str, command: str) -> None:
    problem(post(alice, f"queue/{wrong}/{command}"), 404, "not_found")


def test_a_failed_answer_of_ones_own_is_listed_and_tried_again(alice: User, bob: User, nba: Graph) -> None:
    mine = asked(alice)
    failed(mine)
    (entry,) = queue(alice)
    assert (entry["id"], entry["state"], entry["reason"]) == (mine, "failed", "It broke off.")
    assert (entry["mayCancel"], entry["mayRetry"]) == (False, True)
    assert queue(bob) == []
    problem(post(bob, f"queue/{mine}/retry"), 404, "not_found")
    assert post(alice, f"queue/{mine}/retry").status_code == 204
    (entry,) = queue(alice)
    assert (entry["state"], entry["id"] == mine) == ("waiting", False)
    problem(post(alice, f"queue/{mine}/retry"), 409, "conflict")
    assert Run.objects.count() == 2


def test_only_what_can_be_tried_again_stays_and_not_for_long(alice: User, nba: Graph) -> None:
    mine = asked(alice)
    failed(mine, retryable=False)
    assert queue(alice) == []
    failed(mine, ago=timedelta(hours=25))
    assert queue(alice) == []
    failed(mine)
    Session.objects.update(archived_at=timezone.now())
    assert queue(alice) == [], "nothing is asked in an archived conversation"
    Session.objects.update(archived_at=None, hidden_at=timezone.now())
    assert queue(alice) == []
    problem(post(alice, f"queue/{mine}/retry"), 404, "not_found")


def test_an_older_failure_is_not_tried_again(alice: User, nba: Graph) -> None:
    first = asked(alice)
    failed(first)
    second = asked(alice, "Again?", sessionId=str(run_of(first).session_id))
    failed(second)
    assert [entry["id"] for entry in queue(alice)] == [second]
    problem(post(alice, f"queue/{first}/retry"), 409, "conflict")


def test_trying_again_counts_as_a_message(alice: User, nba: Graph, settings: Settings) -> None:
    mine = asked(alice)
    failed(mine)
    settings.LIMIT_MESSAGES = "1/hour"
    problem(post(alice, f"queue/{mine}/retry"), 429, "throttled")
    assert run_of(mine).status == RunStatus.FAILED


def test_it_comes_in_pages(alice: User, bob: User, nba: Graph) -> None:
    made = [asked(user) for user in (alice, bob, alice, bob, alice)]
    found: list[list[str]] = []
    link: str | None = "/api/v1/queue?limit=2"
    while link:
        answer = with_token(alice).get(link).json()
        found.append([entry["id"] for entry in answer["results"]])
        link = answer["next"]
    assert found == [made[:2], made[2:4], made[4:]]


@pytest.mark.parametrize(
    "query",
    ["cursor=x", "cursor=AAAA", "cursor=WyJ4IiwgIngiXQ", "cursor=" + "A" * 500, "limit=0", "limit=1000", "limit=x"],
)
def test_it_refuses_pages_that_are_none(alice: User, query: str) -> None:
    assert get(alice, f"queue?{query}").status_code == 400


def test_a_long_queue_takes_as_many_statements_as_a_short_one(
    alice: User, bob: User, demo_workspace: Workspace, nba: Graph, django_assert_num_queries: Any
) -> None:
    for user in (alice, bob) * 3:
        asked(user)
    client = with_token(alice)
    with django_assert_num_queries(8):
        assert len(client.get("/api/v1/queue").json()["results"]) == 6
