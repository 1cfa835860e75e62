"""Rows that `may_see` hides from a member are absent at every door: by name, in lists, streams and histories."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client

from chat.access.checks import Reader, check_access
from chat.access.identity import identify, token_proof
from chat.actions import deciding
from chat.actions.deciding import Decision
from chat.events.notices import stream_of, workspace_stream_name
from chat.models import AlwaysSend, Proposal, ProposalStatus, Stream, StreamEvent
from chat.proposals import WriteCall, propose
from chat.queries.proposals import waiting_count
from chat.queries.streams import stream_for
from graphs.history import editing, outside
from graphs.history.editing import Request
from graphs.models import ChangeSet, Graph, Membership, Object, Role
from graphs.objects import actions
from graphs.objects.actions import ChangeRefused
from graphs.objects.headers import object_for
from graphs.objects.refs import Ref
from graphs.site.access import Member, NotFound, member_of
from graphs.site.api import tokens
from tests.chat.admin.talk import talk
from tests.graphs.api.callers import post_json, with_token
from tests.proposed import RENAME, waiting
from tests.registered import pin, pins

pytestmark = pytest.mark.django_db
API = "/api/v1"


@dataclass
class World:
    """Alice sees everything; Bob, an editor as well, neither sees "hidden" nor changes "locked"."""

    alice: Member
    bob: Member
    shown: AlwaysSend
    hidden: AlwaysSend
    locked: AlwaysSend
    client: Client

    def object(self, row: AlwaysSend) -> Object:
        found = object_for(self.alice, Ref("pin", str(row.pk)))
        outside.notice(found)
        return found

    def propose(self, *rows: AlwaysSend, by: Member | None = None, **updates: Any) -> Proposal:
        member = by or self.alice
        steps = [
            {"tool": "propose_update_object", "arguments": {"object": f"pin:{row.pk}", "updates": updates}}
            for row in rows
        ]
        arguments: dict[str, Any] = {"actions": steps}
        found = talk(member.user, member.workspace)
        call = WriteCall("c9", "propose_batch", actions.parse("batch", arguments), arguments, "So.")
        with transaction.atomic():
            return propose(member, found.session, found.run.message, self.object(rows[0]), call).proposal


@pytest.fixture
def world(alice: User, bob: User, nba: Graph) -> Iterator[World]:
    Membership.objects.filter(user=bob).update(role=Role.EDITOR)
    bob_only = {"may_see": lambda member, row: row.object_key != "hidden" or member.user == alice}
    locked = {"may_edit": lambda member, row: row.object_key != "locked" or member.user == alice}
    with pins(**bob_only, **locked):
        rows = [pin(nba.workspace, name) for name in ("shown", "hidden", "locked")]
        yield World(member_of(alice), member_of(bob), *rows, with_token(bob))


def test_a_list_is_as_without_it(world: World) -> None:
    for query in ("", "&search=d", "&orderBy=object_key", "&limit=1"):
        with_it = world.client.get(f"{API}/objects?type=pin{query}").json()
        kept = AlwaysSend.objects.get(object_key="hidden")
        AlwaysSend.objects.filter(pk=kept.pk).delete()
        assert world.client.get(f"{API}/objects?type=pin{query}").json() == with_it
        kept.save(force_insert=True)
    page = world.client.get(f"{API}/objects?type=pin&limit=1").json()
    assert [len(page["results"]), bool(page["next"])] == [1, True]


def test_its_addresses_are_those_of_nothing(world: World) -> None:
    header = world.object(world.hidden)
    stream = stream_of(header)
    made = ChangeSet.objects.latest("created_at").pk
    proposal = world.propose(world.hidden, part_key="x")
    nothing, unknown = str(uuid.uuid4()), world.hidden.pk + 1_000
    update = {"actions": [{"action": "update_object", "arguments": {"updates": {"part_key": "w"}}}]}
    decision = {"approved": True}
    for path, absent, body in (
        (f"objects/pin/{world.hidden.pk}", f"objects/pin/{unknown}", None),
        (f"objects/pin/{world.hidden.pk}/stream", f"objects/pin/{unknown}/stream", None),
        (f"streams/events/{stream}", f"streams/events/pin_{header.pk + 1_000}", None),
        (f"history?object=pin:{world.hidden.pk}", f"history?object=pin:{unknown}", None),
        (f"history/versions?object=pin:{world.hidden.pk}&a=1", f"history/versions?object=pin:{unknown}&a=1", None),
        (f"history/{made}", f"history/{nothing}", None),
        (f"history/{made}/rollback", f"history/{nothing}/rollback", {"preview": True}),
        (f"history/{made}/rollback", f"history/{nothing}/rollback", {}),
        (f"proposals/{proposal.pk}", f"proposals/{nothing}", None),
        (f"proposals/{proposal.pk}/preview", f"proposals/{nothing}/preview", {}),
        (f"proposals/{proposal.pk}/decide", f"proposals/{nothing}/decide", decision),
        ("proposals/decide", "proposals/decide", decision | {"ids": [str(proposal.pk)]}),
        (f"objects/pin/{world.hidden.pk}/changes", f"objects/pin/{unknown}/changes", update),
    ):
        asked = [_ask(world.client, where, body) for where in (path, absent)]
        if path == absent:
            asked[1] = _ask(world.client, path, decision | {"ids": [nothing]})
        assert asked[0] == asked[1], path
        assert asked[0][0] == 404, path
        assert _ask(with_token(world.alice.user), path, {"preview": True} if "rollback" in path else body)[0] < 300, (
            path
        )
        proposal.refresh_from_db()
    assert proposal.status == ProposalStatus.APPLIED


def _ask(client: Client, path: str, body: Any) -> tuple[int, Any]:
    answer = client.get(f"{API}/{path}") if body is None else post_json(client, f"{API}/{path}", body)
    return answer.status_code, answer.json() if answer.status_code == 404 else None


def test_proposals_about_it_are_in_no_list_and_no_count(world: World) -> None:
    world.propose(world.hidden, part_key="x")
    both = world.propose(world.shown, world.hidden, part_key="y")
    own = world.propose(world.shown, part_key="z")
    assert both.object_key == str(world.shown.pk)
    for query in ("", "?status=pending", f"?object=pin:{world.shown.pk}"):
        assert [one["id"] for one in world.client.get(f"{API}/proposals{query}").json()["results"]] == [str(own.pk)]
    assert world.client.get(f"{API}/proposals?object=pin:{world.hidden.pk}").json()["results"] == []
    assert (waiting_count(world.bob), waiting_count(world.alice)) == ((1, False), (3, False))


def test_what_is_still_to_be_made_is_whose_conversation_it_is(world: World) -> None:
    found = talk(world.alice.user, world.alice.workspace)
    arguments = {"kind": "pin", "fields": {"object_key": "new"}}
    call = WriteCall("c9", "propose_create_object", actions.parse("create_object", arguments), arguments, "So.")
    with transaction.atomic():
        made = propose(world.alice, found.session, found.run.message, None, call).proposal
    assert world.client.get(f"{API}/proposals/{made.pk}").status_code == 404
    assert with_token(world.alice.user).get(f"{API}/proposals/{made.pk}").status_code == 200


def test_it_is_lost_to_who_reads_its_stream(world: World) -> None:
    own, other = (Stream.objects.get(name=stream_of(world.object(row))) for row in (world.shown, world.hidden))
    for member, lost in ((world.alice, set()), (world.bob, {other.pk})):
        proof = token_proof(tokens.issue(member.user).access)
        (known,) = identify([proof] if proof else [])
        assert known is not None
        reader = Reader(known, [], [own.pk, other.pk], [other.name])
        (access,) = check_access([reader])
        assert (access.end, access.lost, len(access.granted)) == (None, lost, 0 if lost else 1)
    with pytest.raises(NotFound):
        stream_for(world.bob.user, other.name)


def test_nobody_else_hears_of_it(world: World) -> None:
    of = world.object(world.shown)
    both = world.propose(world.shown, world.hidden, part_key="y")
    deciding.decide(world.alice, str(both.pk), Decision(True))
    done = Proposal.objects.get(pk=both.pk).change_set
    assert post_json(with_token(world.alice.user), f"{API}/history/{done}/rollback", {}).status_code == 201
    for name in (stream_of(of), workspace_stream_name(world.bob.workspace.pk)):
        told = str(list(StreamEvent.objects.filter(stream__name=name).values_list("data", flat=True)))
        assert f"'id': '{world.hidden.pk}'" not in told, name


def test_nobody_hears_of_it_where_a_graph_has_its_key(world: World) -> None:
    graph = Object.objects.get(type="graph", key="nba")
    graph.key = str(world.hidden.pk)
    graph.save()
    world.object(world.hidden)
    hide = ("update_object", {"object": f"pin:{world.hidden.pk}", "updates": {"part_key": "x"}})
    steps = [{"tool": f"propose_{name}", "arguments": arguments} for name, arguments in (RENAME, hide)]
    (proposal,) = waiting(world.alice.user, graph, ("batch", {"actions": steps}))
    assert proposal.ref == Ref("graph", str(world.hidden.pk))
    for name in (stream_of(graph), workspace_stream_name(world.bob.workspace.pk)):
        assert not StreamEvent.objects.filter(stream__name=name, type="proposal").exists(), name


def test_a_change_set_tells_only_of_what_is_seen(world: World) -> None:
    both = world.propose(world.shown, world.hidden, part_key="y")
    deciding.decide(world.alice, str(both.pk), Decision(True))
    done = Proposal.objects.get(pk=both.pk).change_set
    for path in (f"history/{done}", f"history?object=pin:{world.shown.pk}"):
        answer = world.client.get(f"{API}/{path}").json()
        told = answer if "results" not in answer else answer["results"][0]
        assert [each["id"] for each in told["objects"]] == [str(world.shown.pk)]
        assert [each["object"]["id"] for each in told["modifications"]] == [str(world.shown.pk)]
        assert told["modificationCount"] == 1
    assert post_json(world.client, f"{API}/history/{done}/rollback", {"preview": True}).status_code == 404


def test_what_is_gone_is_nobodys(world: World) -> None:
    header = world.object(world.hidden)
    world.hidden.delete()
    outside.notice(header)
    assert ChangeSet.objects.filter(revisions__object=header.pk).count() == 2
    for member in (world.alice, world.bob):
        assert with_token(member.user).get(f"{API}/history?object=pin:{header.key}").status_code == 404


def test_who_may_not_change_it_neither_approves_nor_takes_back(world: World) -> None:
    waiting = world.propose(world.locked, part_key="x")
    assert post_json(world.client, f"{API}/proposals/{waiting.pk}/decide", {"approved": True}).status_code == 403
    deciding.decide(world.alice, str(waiting.pk), Decision(True))
    done = Proposal.objects.get(pk=waiting.pk).change_set
    assert post_json(world.client, f"{API}/history/{done}/rollback", {}).status_code == 403
    assert world.client.get(f"{API}/history/{done}").status_code == 200


def test_an_edit_of_a_graph_that_names_it_is_refused_as_if_it_were_absent(world: World) -> None:
    """Between other actions, too: which of them is wrong is said in the same words."""
    for name in ("update_object", "delete_object"):
        given = {"updates": {"part_key": "w"}} if name == "update_object" else {}
        answers = []
        for key in (world.hidden.pk, world.hidden.pk + 1_000):
            steps = [
                {"tool": f"propose_{tool}", "arguments": {"object": f"pin:{row}", **arguments}}
                for tool, row, arguments in (
                    ("update_object", world.shown.pk, {"updates": {"part_key": "v"}}),
                    (name, key, given),
                )
            ]
            action = actions.parse("batch", {"actions": steps})
            with pytest.raises(ChangeRefused) as refusal:
                editing.edit(world.bob, object_for(world.bob, Ref("graph", "nba")), Request([action]))
            answers.append(str(refusal.value).replace(f"pin:{key}", "pin"))
        assert answers[0] == answers[1]
