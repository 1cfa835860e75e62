"""chat/events/notices.py: what the stream of a workspace tells its members."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.actions.deciding import Decision, decide
from chat.models import Proposal, Stream, StreamEvent
from chat.queries.streams import stream_for
from graphs.history.rollback import roll_back
from graphs.history.scopes import ChangeSets
from graphs.models import ChangeSet, Graph, Workspace
from graphs.site.access import NotFound, member_of
from tests.proposed import MOVE, RENAME, waiting

pytestmark = pytest.mark.django_db


def told(workspace: Workspace) -> list[tuple[str, dict[str, Any]]]:
    events = StreamEvent.objects.filter(stream__name=f"workspace_{workspace.pk}").order_by("sequence")
    return [(event.type, event.data) for event in events]


def undone(alice: User, nba: Graph, change_set: Any) -> Any:
    """The change set that takes this one back."""
    applied = roll_back(nba.workspace_id, alice, ChangeSets((change_set,)))
    return ChangeSet.objects.get(pk=applied.change_set_id).pk


def test_a_workspace_can_be_watched_from_its_first_moment_on_by_its_members(
    alice: User, charlie: User, demo_workspace: Workspace
) -> None:
    name = f"workspace_{demo_workspace.pk}"
    assert stream_for(alice, name).last_sequence == 0
    with pytest.raises(NotFound):
        stream_for(charlie, name)


def test_it_hears_what_is_proposed_and_decided_and_nothing_of_its_content(alice: User, nba: Graph) -> None:
    rename, move = waiting(alice, nba, RENAME, MOVE)
    decide(member_of(alice), str(rename.pk), Decision(approved=True))
    decide(member_of(alice), str(move.pk), Decision(approved=False, feedback="No."))
    graph = {"type": "graph", "id": "nba"}
    assert told(nba.workspace) == [
        ("proposal", {"proposalId": str(rename.pk), "object": graph}),
        ("proposal", {"proposalId": str(move.pk), "object": graph}),
        ("decision", {"proposalId": str(rename.pk), "object": graph, "status": "applied"}),
        ("decision", {"proposalId": str(move.pk), "object": graph, "status": "rejected"}),
    ]


def test_it_hears_what_is_taken_back_however_often(alice: User, nba: Graph) -> None:
    (proposal,) = waiting(alice, nba, RENAME)
    decide(member_of(alice), str(proposal.pk), Decision(approved=True))
    done = Proposal.objects.get().change_set
    undoing = undone(alice, nba, done)
    redoing = undone(alice, nba, undoing)
    last = undone(alice, nba, redoing)
    changes = [data for type_, data in told(nba.workspace) if type_ == "object_changed"]
    assert [data["changeSetId"] for data in changes] == [str(undoing), str(redoing), str(last)]
    assert [set(data["undoes"]) for data in changes] == [
        {str(done)},
        {str(undoing), str(done)},
        {str(redoing), str(undoing), str(done)},
    ]
    assert Stream.objects.get(name=f"graph_{nba.pk}").events.filter(data__has_key="undoes").count() == 3
