"""Who may read a conversation is decided in one module, and the doors have it from there."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from chat.actions.conversations import delete_session, post_message
from chat.actions.sharing import share_with
from chat.models import Session
from chat.queries.streams import stream_for
from chat.rights.conversations import access_of, keeps, kept_by, may_read, readable_by
from graphs.models import Graph
from graphs.objects.refs import Ref
from graphs.site.access import NotFound, member_of

CHAT = Path(__file__).resolve().parents[3] / "chat"
#: What says whose a conversation is, and whether it is deleted, in Python or in SQL.
_WHOSE = re.compile(r"\b(?:owner_id|hidden_at|chat_sessions|session__owner|session\.owner|owner=|owner__\w)")
WHOSE = {
    "actions/conversations.py": "stores whose a new one is, and who else wrote in it; deletes one",
    "api/sessions.py": "the name of its owner, for who may read it",
    "engine/generating.py": "stores whose a generation is",
    "models/conversation.py": "the columns",
    "proposals/explaining.py": "the name of whose it is, which every member may know",
    "queries/conversations.py": "asks how it is read where it is not the person's own; counts by their index",
    "queries/exported.py": "the name of who wrote",
    "queries/proposals.py": "who may see a proposal to make what nobody has seen yet",
    "queries/search.py": "the name of whose it is, which it was found in",
    "queries/shares.py": "with whom it could be shared: everybody but its owner",
    "queries/streams.py": "asks how it is read only where the person is not the owner",
    "queue/answers.py": "tells only of one's own more than that they run",
    "rights/conversations.py": "decides",
    "rights/links.py": "a link gives what its owner may read",
    "searching/messages.py": "finds those of a person among those that may be read",
    "tools/authors.py": "the name of who wrote, of the conversation in which the model is asked",
    "tools/conversation_search.py": "the name of who wrote what was found",
    "views.py": "the inbox, which all members read, by the name of whose conversation it came from",
}
#: What takes conversations and messages as they are in the table, whoever may read them.
_TAKES = re.compile(r"\b(?:Session|Message|StreamEvent)\.objects\b")
#: Rooms between the doors and the tables; others work for whoever asked before.
ROOMS = (
    *("access", "actions", "api", "live", "proposals", "queries", "rights", "searching", "sockets", "templatetags"),
    *("tools", "web"),
)
TAKES = {
    "actions/conversations.py": "writes in one that is held",
    "actions/deciding.py": "holds that of a proposal, which every member may decide",
    "actions/deepening.py": "writes in one that is held",
    "actions/erasing.py": "for the operator",
    "actions/generating.py": "holds the answer that asks, and those that are cancelled",
    "actions/pinning.py": "reads a message of one that is held",
    "proposals/explaining.py": "names of whose they are; what they are about only where they may be read",
    "queries/conversations.py": "messages of those that may be read",
    "queries/proposals.py": "the workspace of one, for members",
    "queries/replays.py": "the events of one that the caller may replay",
    "rights/conversations.py": "decides",
    "searching/messages.py": "finds among those that may be read",
    "tools/authors.py": "the one in which the model is asked",
    "tools/conversation_reading.py": "the one in which the model is asked",
    "tools/conversation_search.py": "of what was found, what people wrote themselves",
    "tools/named_addresses.py": "the one in which the model is asked",
}


def _with(what: re.Pattern[str], rooms: tuple[str, ...]) -> Iterator[str]:
    for path in sorted(CHAT.rglob("*.py")):
        name = path.relative_to(CHAT).as_posix()
        if (name.split("/")[0] in rooms or "/" not in name) and what.search(path.read_text()):
            yield name


def test_nothing_else_says_whose_a_conversation_is() -> None:
    """Those of the admin are the audit: staff read what is in their workspaces."""
    rooms = tuple({path.name for path in CHAT.iterdir() if path.is_dir()} - {"admin", "migrations"})
    assert list(_with(_WHOSE, rooms)) == list(WHOSE)


def test_nothing_else_takes_conversations_from_their_table() -> None:
    assert list(_with(_TAKES, ROOMS)) == list(TAKES)


@pytest.fixture
def session(alice: User, nba: Graph) -> Session:
    accepted = post_message(member_of(alice), "Hello", context=Ref("graph", "nba"))
    return Session.objects.select_related("stream").get(pk=accepted.session_id)


def _reads(user: User, session: Session) -> set[bool]:
    """What each form of the question is answered with."""
    try:
        streams = stream_for(user, session.stream.name).session_id == str(session.pk)
    except NotFound:
        streams = False
    return {streams, session in readable_by(user), may_read(user, session)}


def _keeps(user: User, session: Session) -> set[bool]:
    return {session in kept_by(user), keeps(user, session)}


@pytest.mark.django_db
def test_its_owner_reads_and_keeps_it_and_others_read_what_is_shared(
    session: Session, alice: User, bob: User, charlie: User
) -> None:
    assert [_reads(user, session) for user in (alice, bob, charlie)] == [{True}, {False}, {False}]
    share_with(member_of(alice), str(session.pk), "bob", "read")
    assert [_reads(user, session) for user in (alice, bob, charlie)] == [{True}, {True}, {False}]
    assert [_keeps(user, session) for user in (alice, bob, charlie)] == [{True}, {False}, {False}]
    assert [access_of(user, session) for user in (alice, bob)] == ["owner", "read"]
    assert stream_for(bob, session.stream.name).reads_only
    share_with(member_of(alice), str(session.pk), "bob", "write")
    assert access_of(bob, session) == "write"
    assert not stream_for(bob, session.stream.name).reads_only


@pytest.mark.django_db
@pytest.mark.parametrize("end", ["removed", "disabled", "deleted"])
def test_where_its_owner_left_or_deleted_it_nobody_reads_it_any_more(
    end: str, session: Session, alice: User, bob: User
) -> None:
    share_with(member_of(alice), str(session.pk), "bob", "read")
    match end:
        case "removed":
            alice.memberships.all().delete()
        case "disabled":
            User.objects.filter(pk=alice.pk).update(is_active=False)
        case "deleted":
            delete_session(member_of(alice), str(session.pk))
    assert [_reads(user, session) for user in (alice, bob)] == [{False}, {False}]
    assert _keeps(alice, session) == {False}
