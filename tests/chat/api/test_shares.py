"""Conversations that are shared with members: who reads, who writes along, what stays with the owner, how it ends."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.utils import timezone

from chat.models import Message, Session, Share, SharedLink
from chat.rights.links import digest_of
from graphs.models import Graph, Membership, Role, Workspace
from tests import cast
from tests.chat.api.callers import API, ask, get, patch, post
from tests.graphs.api.callers import problem, with_token
from tests.sent_files import content_of

pytestmark = pytest.mark.django_db
NOWHERE = "00000000-0000-4000-8000-000000000007"


@pytest.fixture
def dave(demo_workspace: Workspace) -> User:
    """Another editor of the workspace."""
    return cast.member("dave", demo_workspace, Role.EDITOR)


def share(owner: User, session: str, **body: Any) -> HttpResponse:
    return post(owner, f"chat/sessions/{session}/shares", body)


def delete(user: User, path: str) -> HttpResponse:
    return with_token(user).delete(API + path)


def reads(session: str, message: str) -> list[str]:
    """What whoever may read a conversation can get of it."""
    return [
        f"chat/sessions/{session}",
        f"chat/sessions/{session}/messages",
        f"chat/sessions/{session}/stream-events",
        f"chat/messages/{message}/stream-events",
        f"streams/events/session_{session}",
    ]


def statuses(user: User, paths: list[str]) -> set[int]:
    return {get(user, path).status_code for path in paths}


def test_who_it_is_shared_with_reads_all_of_it_and_nobody_else(
    alice: User, bob: User, dave: User, charlie: User, nba: Graph
) -> None:
    told = ask(alice, "What is in there?")
    session, paths = told["sessionId"], reads(told["sessionId"], told["messageId"])
    assert statuses(bob, paths) == {404}
    shared = share(alice, session, user="bob", access="read").json()["share"]
    assert (shared["user"], shared["access"]) == ("bob", "read")
    assert statuses(bob, paths) == {200}
    assert statuses(dave, paths) | statuses(charlie, paths) == {404}
    seen = get(bob, f"chat/sessions/{session}").json()
    assert (seen["owner"], seen["access"]) == ("alice", "read")
    assert get(alice, f"chat/sessions/{session}").json()["access"] == "owner"
    (question, _answer) = get(bob, f"chat/sessions/{session}/messages").json()["results"]
    assert (question["content"], question["author"]) == ("What is in there?", None)


def test_it_is_listed_among_those_of_others(alice: User, bob: User, nba: Graph) -> None:
    session = ask(alice)["sessionId"]
    own = ask(bob)["sessionId"]
    share(alice, session, user="bob", access="write")
    for query in ("shared=true", "shared=true&context=graph:nba"):
        (listed,) = get(bob, f"chat/sessions?{query}").json()["results"]
        assert (listed["id"], listed["owner"], listed["access"]) == (session, "alice", "write")
    assert [each["id"] for each in get(bob, "chat/sessions").json()["results"]] == [own]
    assert get(bob, "chat/sessions?shared=true&context=graph:none").json()["results"] == []
    assert get(alice, "chat/sessions?shared=true").json()["results"] == []
    assert "shared" in problem(get(bob, "chat/sessions?shared=yes"), 400, "validation")["errors"]


def test_who_reads_changes_nothing(alice: User, bob: User, nba: Graph) -> None:
    told = ask(alice)
    session = told["sessionId"]
    share(alice, session, user="bob", access="read")
    rows = list(Session.objects.values()), Message.objects.count()
    path = f"chat/sessions/{session}"
    for answer in (
        post(bob, "chat/messages", {"message": "Me, too", "sessionId": session}),
        post(bob, f"{path}/resume", {"answer": "Yes"}),
        post(bob, f"{path}/retry", {}),
        post(bob, f"{path}/stop", {}),
        post(bob, f"chat/messages/{told['messageId']}/deepen", {}),
        patch(bob, f"chat/messages/{told['userMessageId']}", {"inPrompt": "pinned"}),
        patch(bob, path, {"title": "Mine"}),
        delete(bob, path),
        get(bob, f"{path}/shares"),
        share(bob, session, user="bob", access="write"),
        delete(bob, f"{path}/shares"),
    ):
        problem(answer, 403, "forbidden")
    assert (list(Session.objects.values()), Message.objects.count()) == rows


def test_who_writes_along_is_named_and_the_rest_stays_with_the_owner(alice: User, bob: User, nba: Graph) -> None:
    session = ask(alice, "First")["sessionId"]
    share(alice, session, user="bob", access="write")
    written = ask(bob, "Second", sessionId=session)
    ask(alice, "Third", sessionId=session)
    for reader in (alice, bob):
        messages = get(reader, f"chat/sessions/{session}/messages").json()["results"]
        asked = [(each["content"], each["author"]) for each in messages if each["role"] == "user"]
        assert asked == [("First", None), ("Second", "bob"), ("Third", None)]
    events = get(alice, f"chat/sessions/{session}/stream-events").json()["events"]
    said = [each["data"] for each in events if each["type"] == "user_message"]
    assert said == [{"content": "First"}, {"content": "Second", "author": "bob"}, {"content": "Third"}]
    file = json.loads(content_of(get(bob, f"chat/sessions/{session}/export?format=json")))
    assert [each["author"] for each in file["messages"] if each["role"] == "user"] == ["alice", "bob", "alice"]
    assert post(bob, f"chat/sessions/{session}/stop", {}).status_code == 204
    for answer in (
        patch(bob, f"chat/messages/{written['userMessageId']}", {"inPrompt": "pinned"}),
        patch(bob, f"chat/sessions/{session}", {"title": "Mine"}),
        delete(bob, f"chat/sessions/{session}"),
        get(bob, f"chat/sessions/{session}/shares"),
    ):
        problem(answer, 403, "forbidden")


def test_every_change_asks_once_somebody_writes_along(alice: User, bob: User, dave: User, nba: Graph) -> None:
    session = ask(alice)["sessionId"]
    asks = [get(alice, f"chat/sessions/{session}").json()["requireValidation"]]
    for access in ("read", "write"):
        share(alice, session, user="bob", access=access)
        asks.append(get(alice, f"chat/sessions/{session}").json()["requireValidation"])
    assert asks == [False, False, True]
    assert patch(alice, f"chat/sessions/{session}", {"requireValidation": False}).status_code == 200
    share(alice, session, user="dave", access="read")
    assert get(alice, f"chat/sessions/{session}").json()["requireValidation"] is False


END = {
    "the share": lambda: Share.objects.all().delete(),
    "the reader's membership": lambda: Membership.objects.filter(user__username="bob", workspace__slug="demo").delete(),
    "the owner's membership": lambda: Membership.objects.filter(user__username="alice").delete(),
    "the owner's account": lambda: User.objects.filter(username="alice").update(is_active=False),
    "the conversation": lambda: Session.objects.update(hidden_at=timezone.now()),
}


@pytest.mark.parametrize("end", END)
def test_it_is_absent_as_soon_as_it_ends(
    alice: User, bob: User, nba: Graph, other_workspace: Workspace, end: str
) -> None:
    Membership.objects.create(user=bob, workspace=other_workspace, role=Role.VIEWER)
    told = ask(alice)
    share(alice, told["sessionId"], user="bob", access="write")
    paths = reads(told["sessionId"], told["messageId"])
    assert statuses(bob, paths) == {200}
    END[end]()
    absent = [path.replace(told["sessionId"], NOWHERE).replace(told["messageId"], NOWHERE) for path in paths]
    for path, nowhere in zip(paths, absent, strict=True):
        assert get(bob, path).content.replace(told["sessionId"].encode(), b"") == get(bob, nowhere).content.replace(
            NOWHERE.encode(), b""
        )
    problem(post(bob, "chat/messages", {"message": "Still?", "sessionId": told["sessionId"]}), 404, "not_found")
    assert get(bob, "chat/sessions?shared=true").json()["results"] == []


def test_the_owner_sees_and_changes_and_ends_it(alice: User, bob: User, dave: User, nba: Graph) -> None:
    session = ask(alice)["sessionId"]
    path = f"chat/sessions/{session}/shares"
    assert get(alice, path).json() == {"shares": [], "links": [], "people": ["bob", "dave"]}
    first = share(alice, session, user="bob", access="read").json()["share"]
    again = share(alice, session, user="bob", access="write").json()["share"]
    assert (again["id"], again["access"]) == (first["id"], "write")
    share(alice, session, user="dave")
    assert [(each["user"], each["access"]) for each in get(alice, path).json()["shares"]] == [
        ("bob", "write"), ("dave", "read"),
    ]  # fmt: skip
    assert delete(alice, f"{path}?share={first['id']}").status_code == 204
    problem(delete(alice, f"{path}?share={first['id']}"), 404, "not_found")
    problem(delete(alice, f"{path}?share=nonsense"), 404, "not_found")
    assert [each["user"] for each in get(alice, path).json()["shares"]] == ["dave"]
    assert delete(alice, path).status_code == 204
    assert get(alice, path).json()["shares"] == []


def test_the_share_of_another_conversation_is_not_taken_back(alice: User, bob: User, nba: Graph) -> None:
    mine, theirs = ask(alice)["sessionId"], ask(bob)["sessionId"]
    given = share(bob, theirs, user="alice").json()["share"]
    problem(delete(alice, f"chat/sessions/{mine}/shares?share={given['id']}"), 404, "not_found")
    assert Share.objects.count() == 1


def until(**given: float) -> str:
    return (timezone.now() + timedelta(**given)).isoformat()


def test_a_link_is_told_once_and_only_its_digest_is_kept(alice: User, nba: Graph) -> None:
    session = ask(alice)["sessionId"]
    made = share(alice, session, link=True, expiresAt=until(days=90), toolResults=True).json()["link"]
    token = made["url"].split("/")[2]
    assert len(token) == 43
    kept = SharedLink.objects.get()
    assert (kept.digest, kept.reasoning, kept.tool_results) == (digest_of(token), False, True)
    (listed,) = get(alice, f"chat/sessions/{session}/shares").json()["links"]
    assert token not in json.dumps(listed)
    assert listed == {name: value for name, value in made.items() if name != "url"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "body"),
        ({"user": "bob", "link": True}, "user"),
        ({"user": "charlie"}, "user"),
        ({"user": "nobody"}, "user"),
        ({"user": "alice"}, "user"),
        ({"user": "bob", "access": "owner"}, "access"),
        ({"user": "bob", "access": "admin"}, "access"),
        ({"user": "bob", "expiresAt": "2026-12-01T00:00:00Z"}, "expiresAt"),
        ({"user": "bob", "access": "read", "toolResults": False}, "toolResults"),
        ({"link": True, "expiresAt": "2026-12-01T00:00:00Z", "access": "read"}, "access"),
        ({"link": True}, "expiresAt"),
        ({"link": True, "expiresAt": "tomorrow"}, "expiresAt"),
        ({"link": True, "expiresAt": 1_800_000_000}, "expiresAt"),
        ({"link": True, "expiresAt": "2027-01-01T00:00:00"}, "expiresAt"),
        ({"link": True, "expiresAt": "2020-01-01T00:00:00Z"}, "expiresAt"),
        ({"link": True, "expiresAt": "9999-12-31T23:59:59Z"}, "expiresAt"),
        ({"link": True, "expiresAt": "2026-12-01T00:00:00Z", "documents": True}, "documents"),
    ],
)
def test_it_refuses_what_is_no_share(
    alice: User, bob: User, charlie: User, nba: Graph, body: dict[str, Any], field: str
) -> None:
    session = ask(alice)["sessionId"]
    assert field in problem(share(alice, session, **body), 400, "validation")["errors"]
    assert (Share.objects.count(), SharedLink.objects.count()) == (0, 0)


def test_there_are_only_so_many_links(alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.actions.sharing.MOST_LINKS", 1)
    session = ask(alice)["sessionId"]
    assert share(alice, session, link=True, expiresAt=until(days=1)).status_code == 201
    problem(share(alice, session, link=True, expiresAt=until(days=1)), 409, "conflict")
    SharedLink.objects.update(expires_at=timezone.now())
    assert share(alice, session, link=True, expiresAt=until(days=1)).status_code == 201
    assert SharedLink.objects.count() == 1
