import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from chat.actions import deciding, proposing_again
from chat.actions.refusals import Refused
from chat.engine.turns import apply_decisions
from chat.models import Allowance, IdempotencyKey, Proposal, ProposalStatus, Stream, StreamEvent, ValidationRule
from chat.proposals import Proposed, WriteCall, cancel_pending, propose
from chat.proposals.drafting import canonical, digest_of
from graphs.history import changes
from graphs.history.recording import Because
from graphs.models import ChangeSet, Graph, Membership, Object, Origin, Role, Workspace
from graphs.objects import actions
from graphs.objects.actions import ChangeRefused
from graphs.objects.operations import Update
from graphs.objects.refs import Ref
from graphs.site.access import Forbidden, Member, member_of
from tests.cast import member
from tests.chat.admin.talk import Talk, talk
from tests.proposed import MOVE, RENAME, Call, waiting
from tests.things import Thing, change_sets

pytestmark = pytest.mark.django_db


@pytest.fixture
def conversation(alice: User, demo_workspace: Workspace) -> Talk:
    return talk(alice, demo_workspace)


def proposed(owner: User | Member, found: Talk, about: Thing | Object, call: Call = RENAME, **values: Any) -> Proposed:
    """A thing gets another name if no call is given."""
    if isinstance(about, Thing):
        call, about = (about.rename_call() if call is RENAME else call), about.around
    name, arguments = call
    write = WriteCall("c1", f"propose_{name}", actions.parse(name, arguments), arguments, "Better.", **values)
    with transaction.atomic():
        return propose(
            owner if isinstance(owner, Member) else member_of(owner), found.session, found.run.message, about, write
        )


def test_a_proposal_holds_what_it_would_change_and_changes_nothing(
    alice: User, thing: Thing, conversation: Talk
) -> None:
    found = proposed(alice, conversation, thing)
    stored = Proposal.objects.get()

    assert stored == found.proposal
    tool = f"propose_{thing.rename_call()[0]}"
    assert (stored.status, stored.tool, stored.reason) == (ProposalStatus.PENDING, tool, "Better.")
    assert [(entry["action"], entry["fields"][0]["new"]) for entry in stored.diff] == [("update", "Fetch")]
    assert stored.targets == [{**thing.item.to_json(), "version": 1}]
    assert stored.asked_by == [{"level": "default", "why": f"{thing.item.type}.{thing.name}"}]
    assert stored.expires_at - stored.created_at == timedelta(days=7)
    assert thing.called == "Fetch API"
    assert not change_sets().exists()


def test_a_key_that_another_proposal_would_give_is_left_to_it(alice: User, nba: Graph) -> None:
    create = ("create_node", {"typeKey": "html", "sheet": "main", "name": "Retry", "posX": 0.0, "posY": 0.0})
    with CaptureQueriesContext(connection) as captured:
        first, second, _moved = waiting(alice, nba, create, create, MOVE)
    assert [each.operations[0]["id"] for each in (first, second)] == ["retry", "retry-2"]
    (third,) = waiting(alice, nba, create)
    assert third.operations[0]["id"] == "retry-3"
    asked = [query for query in captured if "jsonb_path_query_array" in str(query["sql"])]
    assert len(asked) == 2, "who creates nothing does not ask"


def test_its_digest_is_that_of_what_is_stored(alice: User, thing: Thing, conversation: Talk) -> None:
    proposed(alice, conversation, thing)
    stored = Proposal.objects.get()
    assert stored.digest == digest_of(canonical(stored.tool, stored.arguments, stored.operations, stored.targets))
    others = [
        digest_of(canonical("propose_batch", stored.arguments, stored.operations, stored.targets)),
        digest_of(canonical(stored.tool, {}, stored.operations, stored.targets)),
        digest_of(canonical(stored.tool, stored.arguments, [], stored.targets)),
        digest_of(canonical(stored.tool, stored.arguments, stored.operations, [])),
    ]
    assert len({stored.digest, *others}) == 5


def test_a_call_is_proposed_once_whoever_resumes_it(alice: User, thing: Thing, conversation: Talk) -> None:
    first = proposed(alice, conversation, thing)
    again = proposed(alice, conversation, thing)
    assert again == Proposed(first.proposal, ())
    assert StreamEvent.objects.filter(stream__name=thing.stream).count() == 1


@pytest.mark.parametrize("call", [("delete_node", {"nodeKey": "nowhere"}), ("move_node", {**MOVE[1], "sheet": "no"})])
def test_what_cannot_be_done_is_told_to_the_model(
    alice: User, nba: Graph, conversation: Talk, call: tuple[str, dict[str, Any]]
) -> None:
    with pytest.raises(ChangeRefused):
        proposed(alice, conversation, nba, call)
    assert not Proposal.objects.exists()
    assert not StreamEvent.objects.filter(stream__name=f"graph_{nba.pk}").exists()


def test_what_nobody_could_look_through_is_not_proposed(
    alice: User, thing: Thing, conversation: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chat.proposals.drafting.MOST_CHARS", 1_000)
    proposed(alice, conversation, thing)
    code = thing.update_call(**{thing.text: "x" * 1_000})
    with pytest.raises(ChangeRefused, match="in parts"):
        proposed(alice, talk(alice, thing.workspace), thing, code)


def test_a_short_value_of_very_many_lines_is_not_proposed(alice: User, nba: Graph, conversation: Talk) -> None:
    """Each line of a diff is told by itself, so that it is many times as long as the value."""
    code = ("update_node", {"nodeKey": "fetch-api", "updates": {"process": "x\n" * 250_000}})
    with pytest.raises(ChangeRefused, match="in parts"):
        proposed(alice, conversation, nba, code)
    deep: Any = [0] * 100_000
    for _ in range(80):
        deep = [deep]
    data = ("update_node", {"nodeKey": "fetch-api", "updates": {"data": {"x": deep}}})
    found = proposed(alice, talk(alice, nba.workspace), nba, data)
    assert len(json.dumps(found.proposal.diff)) < 1_000_000


def test_nothing_is_proposed_by_who_may_not_change_anything_any_more(
    alice: User, thing: Thing, conversation: Talk
) -> None:
    when_it_began = member_of(alice)
    Membership.objects.update(role=Role.VIEWER)
    with pytest.raises(ChangeRefused, match="may not change"):
        proposed(when_it_began, conversation, thing)
    Membership.objects.update(role=Role.EDITOR)
    thing.vanish()
    with pytest.raises(ChangeRefused, match="deleted"):
        proposed(alice, conversation, thing)


@pytest.fixture
def allowed(thing: Thing) -> None:
    """Nobody is asked before a model gives the thing another name."""
    tool = f"propose_{thing.rename_call()[0]}"
    Allowance.objects.create(workspace=thing.workspace, tool=tool, kind=thing.item.type, field=thing.name)


def test_an_allowance_lets_it_through_at_once(alice: User, thing: Thing, conversation: Talk, allowed: None) -> None:
    found = proposed(alice, conversation, thing)

    assert found.proposal.status == ProposalStatus.APPLIED
    assert thing.called == "Fetch"
    stored = ChangeSet.objects.get(pk=found.proposal.change_set)
    assert (stored.actor_label, stored.cause) == ("alice", f"proposal:{found.proposal.pk}")
    assert [event.type for event in found.events] == ["proposal", "decision"]
    assert (found.events[1].data["decidedBy"], found.events[1].data["status"]) == (None, "applied")
    with pytest.raises(Refused) as refusal:
        deciding.decide(member_of(alice), str(found.proposal.pk), deciding.Decision(False))
    assert refusal.value.code == "decided"
    other = proposed(alice, talk(alice, thing.workspace), thing, thing.update_call(**{thing.text: "new"}))
    assert other.proposal.status == ProposalStatus.PENDING


def test_what_asks_before_a_tool_asks_before_a_batch_with_it(alice: User, thing: Thing, conversation: Talk) -> None:
    """Otherwise a model would get around the rule by calling the tool in a batch of one."""
    name, arguments = thing.rename_call()
    Allowance.objects.create(workspace=thing.workspace, tool="propose_batch", kind=thing.item.type)
    ValidationRule.objects.create(workspace=thing.workspace, tool=f"propose_{name}")
    batch = ("batch", {"actions": [{"tool": f"propose_{name}", "arguments": arguments}]})
    found = proposed(alice, conversation, thing, batch)
    assert found.proposal.status == ProposalStatus.PENDING
    assert found.proposal.asked_by == [{"level": "tool", "why": f"propose_{name}"}]


def test_the_model_can_ask_for_a_person(alice: User, thing: Thing, conversation: Talk, allowed: None) -> None:
    found = proposed(alice, conversation, thing, request_validation=True)
    assert (found.proposal.status, found.proposal.asked_by[0]["level"]) == (ProposalStatus.PENDING, "request")


def test_it_cancels_what_waits_of_a_conversation_or_of_some_answers(alice: User, thing: Thing) -> None:
    (first,) = thing.proposed(alice)
    (second,) = thing.proposed(alice, session=first.session)
    (elsewhere,) = thing.proposed(alice)
    with transaction.atomic():
        for messages, expected in (([second.message_id], [second]), (None, [first]), (None, [])):
            cancelled = cancel_pending(first.session, messages)
            assert cancelled == expected
            if cancelled:
                apply_decisions(first.session, cancelled)
    elsewhere.refresh_from_db()
    assert elsewhere.status == ProposalStatus.PENDING
    told = StreamEvent.objects.filter(stream__name=thing.stream, type="decision").order_by("sequence")
    assert [(event.data["proposalId"], event.data["status"]) for event in told] == [
        (str(second.pk), "cancelled"),
        (str(first.pk), "cancelled"),
    ]


def test_a_graph_has_a_stream_from_its_first_moment_on(demo_workspace: Workspace) -> None:
    graph = Graph.objects.create(workspace=demo_workspace, key="new")
    stream = Stream.objects.get(name=f"graph_{graph.pk}")
    assert (stream.workspace, stream.last_sequence) == (demo_workspace, 0)


def test_a_change_finds_the_stream_of_a_graph_that_had_none(alice: User, nba: Graph) -> None:
    Stream.objects.all().delete()
    rename = Update(Ref("node", "root"), {"name": "Start"}, {"name": "Begin"})
    for operation in (rename, Update(rename.item, rename.new, rename.old)):
        changes.apply(nba, [operation], Because(alice, Origin.MANUAL))
    stream = Stream.objects.get(name=f"graph_{nba.pk}")
    assert (stream.workspace, stream.last_sequence) == (nba.workspace, 2)


@pytest.fixture
def stale(alice: User, thing: Thing) -> Proposal:
    (proposal,) = thing.proposed(alice)
    thing.change(alice, "Mine")
    with pytest.raises(Refused):
        deciding.decide(member_of(alice), str(proposal.pk), deciding.Decision(True))
    proposal.refresh_from_db()
    return proposal


def test_the_model_is_told_what_changed_and_asked_again_once(alice: User, thing: Thing, stale: Proposal) -> None:
    accepted = proposing_again.propose_again(member_of(alice), str(stale.pk))
    assert proposing_again.propose_again(member_of(alice), str(stale.pk)) == accepted

    IdempotencyKey.objects.all().delete()  # as they are after a day
    assert proposing_again.propose_again(member_of(alice), str(stale.pk)) == accepted
    (message,) = stale.session.messages.filter(content__contains="could not be applied")
    assert str(message.pk) == accepted["userMessageId"]
    assert message.session == stale.session
    assert f'{thing.item.type} {thing.item.key}, {thing.name}: "Fetch API" → "Mine"' in message.content


def test_what_expired_a_moment_ago_is_asked_for_again(alice: User, thing: Thing) -> None:
    (late,) = thing.proposed(alice)
    Proposal.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    accepted = proposing_again.propose_again(member_of(alice), str(late.pk))
    late.refresh_from_db()
    assert late.status == ProposalStatus.EXPIRED
    assert late.session.messages.filter(pk=accepted["userMessageId"]).exists()


def test_only_the_owner_of_a_conversation_asks_again_and_only_where_something_changed(
    alice: User, thing: Thing, stale: Proposal
) -> None:
    colleague = member("dora", thing.workspace, Role.EDITOR)
    with pytest.raises(Forbidden):
        proposing_again.propose_again(member_of(colleague), str(stale.pk))
    (pending,) = thing.proposed(alice)
    with pytest.raises(Refused) as refusal:
        proposing_again.propose_again(member_of(alice), str(pending.pk))
    assert refusal.value.code == "conflict"
