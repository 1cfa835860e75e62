import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from chat.actions import deciding
from chat.actions.deciding import Decision, decide
from chat.actions.refusals import Refused
from chat.models import Proposal, ProposalStatus, StreamEvent
from graphs.history import changes, conflict_words, rollback
from graphs.history.editing import Request
from graphs.history.recording import Because
from graphs.history.scopes import Caused
from graphs.models import ChangeSet, Edge, Graph, Membership, Node, Origin, Role, Workspace
from graphs.objects import actions
from graphs.site.access import Forbidden, NotFound, member_of
from graphs.workflows.live import editing
from tests.cast import member
from tests.graphs.history.test_changes import TO_RETURN
from tests.graphs.history.test_rollback import removed
from tests.proposed import DELETE, MOVE, RENAME, waiting
from tests.things import Thing, beside, change_sets, new_thing, node_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def dora(demo_workspace: Workspace) -> User:
    """Another editor of the workspace."""
    return member("dora", demo_workspace, Role.EDITOR)


@pytest.fixture
def proposal(alice: User, thing: Thing) -> Proposal:
    return thing.proposed(alice)[0]


def approve(user: User, proposal: Proposal, **values: Any) -> deciding.Decided:
    return decide(member_of(user), str(proposal.pk), Decision(True, **values))


def reject(user: User, proposal: Proposal, **values: Any) -> deciding.Decided:
    return decide(member_of(user), str(proposal.pk), Decision(False, **values))


def refused(code: str, user: User, proposal: Proposal, **values: Any) -> Refused:
    with pytest.raises(Refused) as refusal:
        approve(user, proposal, **values)
    assert refusal.value.code == code
    proposal.refresh_from_db()
    return refusal.value


def edit_live(graph: Graph, user: User, name: str, **arguments: Any) -> None:
    """The history does not have it yet."""
    action = actions.parse(name, arguments)
    editing.edit(member_of(user), graph.pk, Request([action], key=f"{name} {arguments}"))


def told(stream_name: str) -> list[tuple[str, dict[str, Any]]]:
    events = StreamEvent.objects.filter(stream__name=stream_name).order_by("sequence")
    return [(event.type, event.data) for event in events if event.type in {"proposal", "decision", "object_changed"}]


@pytest.fixture
def renaming(alice: User, nba: Graph) -> Proposal:
    """Of a node."""
    return waiting(alice, nba, RENAME)[0]


def test_only_what_was_decided_is_told_as_a_decision(
    alice: User, bob: User, dora: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, str]] = []
    monkeypatch.setattr(deciding, "emit", lambda name, **fields: told.append((name, fields["outcome"])))
    first, second, stale = (waiting(alice, nba, call)[0] for call in (RENAME, MOVE, RENAME))
    with pytest.raises(Forbidden):
        approve(bob, first)
    refused("digest", alice, first, digest="0" * 64)
    refused("validation", alice, first, edited_arguments={"nodeKey": 1}, digest=first.digest)
    assert told == []
    approve(alice, first)
    refused("decided", dora, first)
    refused("stale", alice, stale)
    reject(alice, second)
    refused("decided", dora, second)
    assert told == [("hitl_decision", "applied"), ("hitl_decision", "rejected")]


def test_a_decision_writes_no_more_of_a_proposal_than_it_changes(alice: User, proposal: Proposal) -> None:
    with CaptureQueriesContext(connection) as captured:
        approve(alice, proposal)
    written = [query["sql"] for query in captured if query["sql"].startswith('UPDATE "chat_proposal"')]
    assert written
    assert not [sql for sql in written if '"operations" = ' in sql or '"diff" = ' in sql]


def test_an_approved_proposal_is_applied_with_its_history(alice: User, thing: Thing, proposal: Proposal) -> None:
    decided = approve(alice, proposal)

    assert thing.called == "Fetch"
    found = decided.proposal
    assert (found.status, found.decided_by, found.feedback) == (ProposalStatus.APPLIED, alice, "")
    stored = ChangeSet.objects.get(pk=found.change_set)
    assert (stored.origin, stored.actor_label, stored.reason, stored.model) == ("chat", "alice", "Better.", "demo")
    causes = [f"proposal:{found.pk}", f"message:{found.message_id}", f"session:{found.session_id}"]
    assert (stored.cause, stored.causes) == (causes[0], causes)


def test_everybody_who_watches_hears_of_it_in_order(alice: User, thing: Thing, proposal: Proposal) -> None:
    decided = approve(alice, proposal).proposal

    of_object, of_session = told(thing.stream), told(proposal.session.stream.name)
    assert [type_ for type_, _data in of_object] == ["proposal", "object_changed", "decision"]
    assert of_session == [of_object[0], of_object[2]]
    decision = of_session[1][1]
    assert decision["proposalId"] == str(proposal.pk)
    assert (decision["status"], decision["decidedBy"]) == ("applied", "alice")
    changed, name = of_object[1][1], {"type": thing.around.type, "id": thing.around.key}
    assert changed == {"object": name, "version": 2, "changeSetId": str(decided.change_set)}


def test_a_rejected_proposal_changes_nothing_and_keeps_the_reason(
    alice: User, thing: Thing, proposal: Proposal
) -> None:
    decided = reject(alice, proposal, feedback="Not now.").proposal

    assert (decided.status, decided.feedback) == (ProposalStatus.REJECTED, "Not now.")
    assert thing.called == "Fetch API"
    assert not change_sets().exists()


def test_another_editor_may_decide_but_only_once(alice: User, dora: User, proposal: Proposal) -> None:
    approve(dora, proposal)

    for again in (approve, reject):
        with pytest.raises(Refused) as refusal:
            again(alice, proposal)
        assert refusal.value.code == "decided"
        assert "dora" in refusal.value.detail
        assert refusal.value.extra["proposal"]["decidedBy"] == "dora"
    assert change_sets().count() == 1


def test_viewers_and_strangers_decide_nothing(
    bob: User, charlie: User, alice: User, thing: Thing, proposal: Proposal
) -> None:
    for decision in (approve, reject):
        with pytest.raises(Forbidden):
            decision(bob, proposal)
        with pytest.raises(NotFound):
            decision(charlie, proposal)
    was_editor = member_of(alice)
    Membership.objects.filter(user=alice).update(role=Role.VIEWER)
    with pytest.raises(Forbidden):
        decide(was_editor, str(proposal.pk), Decision(True))
    Membership.objects.filter(user=alice).delete()
    with pytest.raises(NotFound):
        decide(was_editor, str(proposal.pk), Decision(True))
    proposal.refresh_from_db()
    assert (proposal.status, thing.called) == (ProposalStatus.PENDING, "Fetch API")


@pytest.mark.parametrize("same_field", [True, False])
def test_what_moved_on_is_refused_with_who_changed_what(
    alice: User, dora: User, thing: Thing, proposal: Proposal, same_field: bool
) -> None:
    field = thing.name if same_field else thing.text
    thing.change(dora, "Mine", field)
    thing.change(dora, "Mine again", field)

    refusal = refused("stale", alice, proposal)

    (conflict,) = refusal.extra["conflicts"]
    assert (conflict["object"], conflict["field"]) == (thing.item.to_json(), field)
    assert (conflict["found"], conflict["changedBy"]) == ("Mine again", "dora")
    assert conflict["expected"] in {"Fetch API", "return fetch(url)"}
    assert (proposal.status, conflict_words.told(proposal.conflicts)) == (
        ProposalStatus.STALE, refusal.extra["conflicts"]
    )  # fmt: skip
    assert change_sets().count() == 2
    assert told(proposal.session.stream.name)[-1][1]["status"] == "stale"
    refused("decided", alice, proposal)


def test_what_was_deleted_meanwhile_is_not_changed(alice: User, thing: Thing) -> None:
    renaming, deleting = thing.proposed(alice, thing.rename_call(), thing.delete_call())
    approve(alice, deleting)
    refusal = refused("stale", alice, renaming)
    assert [(each["field"], each["found"]) for each in refusal.extra["conflicts"]] == [("", None)]
    assert refusal.extra["conflicts"][0]["changedBy"] == "alice"
    assert thing.find() is None


def test_an_edge_that_came_meanwhile_is_not_lost_with_its_node(alice: User, dora: User, nba: Graph) -> None:
    (deleting,) = waiting(alice, nba, DELETE)
    connect = {"sourceKey": "root", "sourceHandle": "R-0", "targetKey": "fetch-api", "targetHandle": "L-1"}
    (connecting,) = waiting(alice, nba, ("create_edge", connect))
    approve(dora, connecting)
    refused("stale", alice, deleting)
    assert Edge.objects.count() == 3


def test_nothing_is_applied_to_an_object_that_is_gone(alice: User, thing: Thing, proposal: Proposal) -> None:
    thing.vanish()
    refusal = refused("stale", alice, proposal)
    assert proposal.status == ProposalStatus.STALE
    assert "deleted meanwhile" in refusal.detail
    assert [(each["object"], each["found"]) for each in refusal.extra["conflicts"]] == [(proposal.ref.to_json(), None)]


def test_nobody_decides_too_late(alice: User, thing: Thing, proposal: Proposal) -> None:
    Proposal.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    refused("expired", alice, proposal)
    assert proposal.status == ProposalStatus.EXPIRED
    assert told(proposal.session.stream.name)[-1][1]["status"] == "expired"
    refused("expired", alice, proposal)
    assert thing.called == "Fetch API"


def test_what_nobody_decided_in_time_is_closed_by_itself(alice: User, thing: Thing, proposal: Proposal) -> None:
    (later,) = thing.proposed(alice)
    Proposal.objects.filter(pk=proposal.pk).update(expires_at=timezone.now())
    assert deciding.expire_all() == 1
    assert deciding.expire_all() == 0
    proposal.refresh_from_db()
    later.refresh_from_db()
    assert (proposal.status, later.status) == (ProposalStatus.EXPIRED, ProposalStatus.PENDING)


def test_what_was_not_shown_is_not_applied(alice: User, thing: Thing, proposal: Proposal) -> None:
    (other,) = thing.proposed(alice, thing.rename_call("Other"))
    refused("digest", alice, proposal, digest=other.digest)
    assert (proposal.status, proposal.decided_by) == (ProposalStatus.PENDING, None)
    approve(alice, proposal, digest=proposal.digest)


def test_edited_arguments_are_applied_as_they_were_previewed(alice: User, thing: Thing, proposal: Proposal) -> None:
    _name, arguments = thing.rename_call("Get")
    shown = deciding.preview(member_of(alice), str(proposal.pk), arguments)
    assert [field["new"] for field in shown.diff[0]["fields"]] == ["Get"]
    assert thing.called == "Fetch API"

    decided = approve(alice, proposal, edited_arguments=arguments, digest=shown.digest).proposal

    assert thing.called == "Get"
    assert (decided.decided_arguments, decided.arguments) == (arguments, thing.rename_call()[1])
    assert (decided.digest, decided.diff) == (shown.digest, shown.diff)
    assert told(proposal.session.stream.name)[-1][1]["edited"] is True


def test_edited_arguments_need_the_digest_of_what_would_be_applied_now(
    alice: User, dora: User, thing: Thing, proposal: Proposal
) -> None:
    (_name, arguments), (_name, others) = thing.rename_call("Get"), thing.rename_call("Take")
    shown = deciding.preview(member_of(alice), str(proposal.pk), arguments)
    for digest in ("", proposal.digest, "0" * 64):
        refused("digest", alice, proposal, edited_arguments=arguments, digest=digest)
    refused("digest", alice, proposal, edited_arguments=others, digest=shown.digest)
    thing.change(dora, "Mine")
    refused("digest", alice, proposal, edited_arguments=arguments, digest=shown.digest)
    assert (proposal.status, thing.called) == (ProposalStatus.PENDING, "Mine")
    again = deciding.preview(member_of(alice), str(proposal.pk), arguments)
    approve(alice, proposal, edited_arguments=arguments, digest=again.digest)
    assert thing.called == "Get"


def test_arguments_that_make_no_change_are_refused(alice: User, thing: Thing, proposal: Proposal) -> None:
    named = "nodeKey" if thing.item.type == "node" else "object"
    _name, fine = thing.rename_call("x")
    as_it_is = thing.rename_call("Fetch API")[1]
    nowhere = fine | {named: fine[named].replace(thing.item.key, str(uuid.uuid4()))}
    for arguments in ({}, fine | {"nodeId": 7}, nowhere, as_it_is, thing.update_call(colour="red")[1]):
        with pytest.raises(Refused) as refusal:
            deciding.preview(member_of(alice), str(proposal.pk), arguments)
        assert (refusal.value.code, list(refusal.value.errors or {})) == ("validation", ["editedArguments"])
        refused("validation", alice, proposal, edited_arguments=arguments, digest=proposal.digest)
    assert proposal.status == ProposalStatus.PENDING


def test_several_are_decided_each_for_itself(alice: User, thing: Thing) -> None:
    other = beside(thing)
    proposals = thing.proposed(alice, thing.rename_call(), thing.rename_call("Other"), other.rename_call("End"))
    ids = deciding.waiting_in(member_of(alice), str(proposals[0].session_id))
    assert ids == [str(each.pk) for each in proposals]

    answers = deciding.decide_many(member_of(alice), ids, Decision(True))

    assert [each.code if isinstance(each, Refused) else "" for each in answers] == ["", "stale", ""]
    assert (thing.called, other.called) == ("Fetch", "End")
    assert deciding.waiting_in(member_of(alice), str(proposals[0].session_id)) == []


def test_what_was_shown_beside_it_does_not_make_it_stale(alice: User, dora: User, thing: Thing) -> None:
    """Proposals of one turn are computed side by side: applying one moves what the other was computed from."""
    texts = [thing.update_call(**{thing.text: text}) for text in ("one", "two")]
    renaming, first, second = thing.proposed(alice, thing.rename_call(), *texts)
    approve(alice, renaming)
    approve(alice, first)
    assert (thing.called, thing.record[thing.text]) == ("Fetch", "one")
    refused("stale", alice, second)
    renaming, late = thing.proposed(alice, thing.rename_call("Get"), texts[1])
    approve(alice, renaming)
    thing.change(dora, "Mine")
    refused("stale", alice, late)


def test_an_edge_that_was_shown_beside_it_does_not_make_it_stale(alice: User, dora: User, nba: Graph) -> None:
    connect = {"sourceKey": "fetch-api", "sourceHandle": "R-1", "targetKey": "root", "targetHandle": "L-1"}
    renaming, connecting, moving = waiting(
        alice, nba, RENAME, ("create_edge", connect), ("move_node", {"nodeKey": "fetch-api", "posX": 9.0, "posY": 9.0})
    )
    approve(alice, renaming)
    approve(alice, connecting)
    node_of(nba).change(dora, "Mine")
    refused("stale", alice, moving)


@pytest.mark.parametrize("first", [0, 1])
def test_two_nodes_go_with_the_edge_between_them(alice: User, nba: Graph, first: int) -> None:
    proposals = waiting(alice, nba, DELETE, ("delete_node", {"nodeKey": "return"}))
    approve(alice, proposals[first])
    approve(alice, proposals[1 - first])

    assert set(Node.objects.values_list("key", flat=True)) == {"root"}
    assert not Edge.objects.exists()
    turn = f"message:{proposals[0].message_id}"
    rollback.roll_back(nba.workspace_id, alice, Caused(turn))
    assert (Node.objects.count(), Edge.objects.count()) == (3, 2)


def test_an_edge_that_somebody_else_deleted_makes_both_its_ends_stale(alice: User, dora: User, nba: Graph) -> None:
    proposals = waiting(alice, nba, DELETE, ("delete_node", {"nodeKey": "return"}))
    changes.apply(nba, removed(nba, TO_RETURN), Because(dora, Origin.MANUAL))
    for proposal in proposals:
        refused("stale", alice, proposal)


def test_new_nodes_of_one_turn_get_keys_of_their_own(alice: User, nba: Graph) -> None:
    new = ("create_node", {"typeKey": "api-call", "sheet": "main", "posX": 0.0, "posY": 300.0, "name": "Retry"})
    for proposal in waiting(alice, nba, new, new):
        approve(alice, proposal)
    assert Node.objects.filter(name="Retry").values("key").distinct().count() == 2


def test_several_that_name_a_foreign_one_are_refused_as_a_whole(
    alice: User, charlie: User, other_workspace: Workspace, kind_of_thing: str, proposal: Proposal
) -> None:
    (foreign,) = new_thing(kind_of_thing, other_workspace).proposed(charlie)
    with pytest.raises(NotFound):
        deciding.decide_many(member_of(alice), [str(proposal.pk), str(foreign.pk)], Decision(True))
    assert set(Proposal.objects.values_list("status", flat=True)) == {ProposalStatus.PENDING}


def test_live_edits_are_saved_before_a_proposal_is_applied_or_found_stale(
    alice: User, dora: User, nba: Graph, renaming: Proposal
) -> None:
    def renamed_live(key: str) -> None:
        edit_live(nba, dora, "update_node", nodeKey=key, updates={"name": "Live"})

    renamed_live("root")
    approve(alice, renaming)
    assert list(ChangeSet.objects.order_by("revisions__version").values_list("actor_label", "origin")) == [
        ("dora", "manual"), ("alice", "chat"),
    ]  # fmt: skip

    other = waiting(alice, nba, DELETE)[0]
    renamed_live("fetch-api")
    refused("stale", alice, other)
    assert any(conflict["changedBy"] == "dora" for conflict in other.conflicts)
    assert ChangeSet.objects.filter(actor_label="dora").count() == 2


def test_a_live_edit_that_the_model_saw_has_not_changed_since(alice: User, dora: User, nba: Graph) -> None:
    edit_live(nba, alice, "update_node", nodeKey="fetch-api", updates={"name": "Live"})
    (proposal,) = waiting(alice, nba, ("update_node", {"nodeKey": "fetch-api", "updates": {"process": "return 2"}}))
    edit_live(nba, dora, "move_node", nodeKey="fetch-api", posX=5.0, posY=5.0)
    refused("stale", alice, proposal)
    assert {(each["field"], each["changedBy"]) for each in proposal.conflicts} == {("posX", "dora"), ("posY", "dora")}


def test_a_live_edit_of_the_edge_between_two_nodes_keeps_neither_from_going(
    alice: User, dora: User, nba: Graph
) -> None:
    edge = Edge.objects.get(source__key="fetch-api")
    edit_live(nba, dora, "update_edge", edgeKey=edge.key, label="Live")
    for proposal in waiting(alice, nba, DELETE, ("delete_node", {"nodeKey": edge.target.key})):
        approve(alice, proposal)
    assert set(Node.objects.values_list("key", flat=True)) == {"root"}


def test_a_rejection_with_edited_arguments_is_refused(alice: User, proposal: Proposal) -> None:
    for arguments in ({}, proposal.arguments):
        with pytest.raises(Refused) as refusal:
            reject(alice, proposal, edited_arguments=arguments)
        assert (refusal.value.status, list(refusal.value.errors or {})) == (400, ["editedArguments"])
    proposal.refresh_from_db()
    assert proposal.status == ProposalStatus.PENDING


def step(call: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return {"tool": f"propose_{call[0]}", "arguments": call[1]}


@pytest.mark.parametrize("within", ["alone", "in a batch"])
def test_an_edited_approval_keeps_what_the_proposal_was_about(alice: User, thing: Thing, within: str) -> None:
    other, call = beside(thing), thing.rename_call()
    others = [other.rename_call("Get")]
    if within == "in a batch":
        more = [others[0], thing.delete_call(), other.delete_call()]
        call = ("batch", {"actions": [step(call)]})
        others = [("batch", {"actions": [step(thing.rename_call("Get")), step(each)]}) for each in more]
    (proposal,) = thing.proposed(alice, call)
    for _name, arguments in others:
        with pytest.raises(Refused, match="what it was about") as refusal:
            deciding.preview(member_of(alice), str(proposal.pk), arguments)
        assert list(refusal.value.errors or {}) == ["editedArguments"]
        refused("validation", alice, proposal, edited_arguments=arguments, digest=proposal.digest)
    assert (proposal.status, thing.called) == (ProposalStatus.PENDING, "Fetch API")


@pytest.mark.parametrize(
    ("call", "edited"),
    [
        (DELETE, {"nodeKey": "return"}),
        (("move_node", {"nodeKey": "root", "posX": 5.0, "posY": 5.0}), {"nodeKey": "return", "posX": 5.0, "posY": 5.0}),
        (("reorganize_layout", {"nodeKeys": ["root", "return"]}), {"nodeKeys": ["root", "fetch-api"]}),
    ],
)
def test_an_edited_approval_keeps_the_parts_of_its_graph(
    alice: User, nba: Graph, call: tuple[str, dict[str, Any]], edited: dict[str, Any]
) -> None:
    Node.objects.filter(graph=nba).update(pos_x=0, pos_y=0)
    (proposal,) = waiting(alice, nba, call)
    with pytest.raises(Refused, match="what it was about"):
        deciding.preview(member_of(alice), str(proposal.pk), edited)


def test_only_what_was_decided_is_counted_and_a_second_decision_hears_what_happened(
    alice: User, dora: User, thing: Thing, proposal: Proposal, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[str] = []
    monkeypatch.setattr(deciding, "emit", lambda _name, **fields: counted.append(fields["outcome"]))
    (other,) = thing.proposed(alice, thing.update_call(**{thing.text: "other"}))
    thing.change(dora, "Mine")
    refused("stale", alice, proposal)
    again = refused("decided", dora, proposal)
    assert again.detail == "alice approved this already, but what it would change had changed. Nothing was applied."
    reject(alice, other)
    refused("decided", alice, other)
    assert counted == ["rejected"]
