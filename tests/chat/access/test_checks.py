from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session as BrowserSession

from chat.access import identity
from chat.access.checks import Access, Reader, check_access, check_and_hold, check_and_join
from chat.actions.conversations import post_message
from chat.models import Session, Stream
from chat.queries.streams import stream_for
from graphs.models import Graph, Membership, Role, SignIn, Workspace
from graphs.objects.refs import Ref
from graphs.site import sign_ins
from graphs.site.access import NotFound, member_of
from graphs.site.api import tokens
from tests import cast

pytestmark = pytest.mark.django_db
GOOD = Access(None)


def by_token(user: User, **more: Any) -> Reader:
    proof = identity.token_proof(tokens.issue(user).access)
    assert proof is not None
    return reader(proof, **more)


GRAPH = Ref("graph", "nba")


def by_cookie(user: User, **more: Any) -> Reader:
    return reader(cast.signed_in(user).cookies["sessionid"].value, **more)


def reader(proof: identity.Proof, **more: Any) -> Reader:
    [person] = identity.identify([proof])
    assert person is not None
    return Reader(person, **{"workspaces": {person.memberships[0].workspace_id}, **more})


def conversation(user: User) -> Stream:
    accepted = post_message(member_of(user), "Hello", context=GRAPH)
    return Stream.objects.get(name=accepted.stream)


def set_role(user: User, role: Role) -> None:
    Membership.objects.filter(user=user).update(role=role)


def by_program(user: User, **more: Any) -> Reader:
    proof = identity.token_proof(sign_ins.begin(user, "robot").access)
    assert proof is not None
    return reader(proof, **more)


ENDS: list[Callable[[User], Any]] = [
    lambda user: User.objects.filter(pk=user.pk).update(is_active=False),
    lambda user: User.objects.filter(pk=user.pk).update(password="another one"),
    lambda user: Membership.objects.filter(user=user).delete(),
    lambda user: set_role(user, Role.VIEWER),
]
SESSION_ENDS: list[Callable[[User], Any]] = [
    lambda user: BrowserSession.objects.all().delete(),
    lambda user: BrowserSession.objects.update(expire_date=datetime.now(UTC) - timedelta(seconds=1)),
]


def test_it_checks_everybody_in_one_query(
    alice: User, bob: User, charlie: User, nba: Graph, django_assert_num_queries: Any
) -> None:
    stream = conversation(alice)
    readers = [by_token(alice, streams=[stream.pk]), by_cookie(bob), by_token(charlie, wishes=[stream.name])]
    with django_assert_num_queries(1):
        assert check_access(readers) == [GOOD] * 3


def test_it_ends_with_the_sign_in_of_a_program(alice: User, bob: User, django_assert_num_queries: Any) -> None:
    readers = [by_program(alice), by_token(alice), by_program(alice), by_program(bob)]
    with django_assert_num_queries(1):
        assert check_access(readers) == [GOOD] * 4
    SignIn.objects.filter(user=alice).earliest("created_at").delete()
    assert check_access(readers) == [Access("ended"), GOOD, GOOD, GOOD]


@pytest.mark.parametrize("end", ENDS)
def test_it_ends_with_what_somebody_came_in_with(alice: User, bob: User, end: Callable[[User], Any]) -> None:
    readers = [by_token(alice), by_cookie(alice), by_token(bob), by_cookie(bob)]
    end(alice)
    assert check_access(readers) == [Access("ended"), Access("ended"), GOOD, GOOD]


@pytest.mark.parametrize("end", SESSION_ENDS)
def test_it_ends_with_the_session_of_a_browser(alice: User, end: Callable[[User], Any]) -> None:
    readers = [by_token(alice), by_cookie(alice)]
    end(alice)
    assert check_access(readers) == [GOOD, Access("ended")]


def test_it_ends_with_the_account(alice: User) -> None:
    readers = [by_token(alice), by_cookie(alice)]
    alice.delete()
    assert check_access(readers) == [Access("ended")] * 2


def test_it_expires_with_the_token(alice: User) -> None:
    claim = identity.token_proof(tokens.issue(alice).access)
    assert isinstance(claim, tokens.Claim)
    over = tokens.Claim(claim.user_id, claim.password_mark, datetime.now(UTC) - timedelta(seconds=1))
    assert check_access([reader(claim), reader(over)]) == [GOOD, Access("expired")]


def test_a_greater_role_is_no_end(bob: User) -> None:
    known = by_token(bob)
    for role in (Role.EDITOR, Role.ADMIN, Role.VIEWER):
        set_role(bob, role)
        assert check_access([known]) == [GOOD]


def test_a_role_that_nobody_knows_ends_nobody_elses_stay(alice: User, bob: User) -> None:
    readers = [by_token(alice), by_token(bob)]
    Membership.objects.filter(user=alice).update(role="emperor")
    assert check_access(readers) == [Access("ended"), GOOD]
    assert check_access([by_token(alice), by_token(bob)]) == [Access("ended"), GOOD]


def test_only_the_workspaces_that_are_read_matter(alice: User, bob: User, other_workspace: Workspace) -> None:
    for user in (alice, bob):
        Membership.objects.create(user=user, workspace=other_workspace, role=Role.EDITOR)
    readers = [by_token(alice), by_token(bob, workspaces={other_workspace.pk})]
    Membership.objects.filter(workspace=other_workspace).delete()
    assert check_access(readers) == [GOOD, Access("ended")]
    later = by_token(alice)
    Membership.objects.create(user=alice, workspace=other_workspace)
    there = Reader(later.identity, {other_workspace.pk})
    assert check_access([there]) == [GOOD]


def test_it_tells_which_streams_are_lost(alice: User, nba: Graph, demo_workspace: Workspace) -> None:
    kept, deleted = conversation(alice), conversation(alice)
    of_graph = Stream.objects.create(name=f"graph_{nba.pk + 1}", workspace=demo_workspace)
    held = by_token(alice, streams=[kept.pk, deleted.pk, of_graph.pk])
    Session.objects.filter(stream=deleted).update(hidden_at=datetime.now(UTC))
    assert check_access([held]) == [Access(None, frozenset({deleted.pk}))]


@pytest.mark.parametrize("wish", ["own", "deleted", "of graph", "unknown", "with\x00nul"])
@pytest.mark.parametrize("who", ["alice", "bob", "charlie"])
def test_it_grants_what_a_person_may_read(
    alice: User, bob: User, charlie: User, nba: Graph, demo_workspace: Workspace, who: str, wish: str
) -> None:
    of_another_graph = f"graph_{nba.pk + 1}"
    streams = {"own": conversation(alice).name, "deleted": conversation(alice).name, "of graph": of_another_graph}
    Stream.objects.create(name=of_another_graph, workspace=demo_workspace)
    Session.objects.filter(stream__name=streams["deleted"]).update(hidden_at=datetime.now(UTC))
    user = {"alice": alice, "bob": bob, "charlie": charlie}[who]
    name = streams.get(wish, wish)
    [access] = check_access([by_token(user, wishes=[name])])
    try:
        assert access.granted == (stream_for(user, name),)
    except NotFound:
        assert access.granted == ()
    assert bool(access.granted) is ((who, wish) in {("alice", "own"), ("alice", "of graph"), ("bob", "of graph")})


def test_a_conversation_is_held_for_its_person_in_the_same_query(
    alice: User, nba: Graph, django_assert_num_queries: Any
) -> None:
    session = conversation(alice).sessions.get()
    known = by_token(alice)
    with django_assert_num_queries(1):
        end, held = check_and_hold(known, str(session.pk))
    assert held is not None
    assert (end, held.session, held.member, held.position) == (None, session, member_of(alice), 3)


def test_none_is_held_that_is_not_theirs(alice: User, bob: User, nba: Graph) -> None:
    session = conversation(bob).sessions.get()
    known = by_token(alice)
    for nothing in (str(session.pk), "2c7b3a52-0000-4000-8000-000000000000", "no id", "\x00"):
        assert check_and_hold(known, nothing) == (None, None)
    Session.objects.update(owner=alice, hidden_at=datetime.now(UTC))
    assert check_and_hold(known, str(session.pk)) == (None, None)


def test_who_they_are_in_a_workspace_is_told_in_the_same_query(
    alice: User, nba: Graph, other_workspace: Workspace, django_assert_num_queries: Any
) -> None:
    known, member = by_token(alice), member_of(alice)
    for slug in ("", nba.workspace.slug):
        with django_assert_num_queries(1):
            assert check_and_join(known, slug) == (None, member, None)
    for nothing in (other_workspace.slug, "no-such", "no slug", "\x00", "x" * 51):
        assert check_and_join(known, nothing, GRAPH) == (None, None, None)


def test_the_object_of_a_new_conversation_is_found_in_the_same_query(
    alice: User, charlie: User, nba: Graph, django_assert_num_queries: Any
) -> None:
    for person, found in ((alice, nba), (charlie, None)):
        known, member = by_token(person), member_of(person)
        with django_assert_num_queries(1):
            assert check_and_join(known, "", GRAPH) == (None, member, found)
    for absent in (Ref("graph", "no-such"), Ref("no-such", "nba"), Ref("company", "1")):
        assert check_and_join(by_token(alice), "", absent) == (None, member_of(alice), None)


@pytest.mark.parametrize("end", [*ENDS, *SESSION_ENDS])
def test_who_may_not_stay_may_not_ask_either(alice: User, nba: Graph, end: Callable[[User], Any]) -> None:
    session = conversation(alice).sessions.get()
    known = by_cookie(alice)
    end(alice)
    assert check_and_hold(known, str(session.pk))[0] == "ended"
    assert check_and_join(known, nba.workspace.slug, GRAPH)[0] == "ended"
