"""Two people, or a person and something else, at one proposal at the same moment: one outcome, one effect at most."""

import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connections, transaction
from django.db.models.functions import Now

from chat.actions import conversations, deciding
from chat.actions.deciding import Decision
from chat.actions.refusals import Refused
from chat.models import Proposal, ProposalStatus, StreamEvent
from graphs.history.recording import Because
from graphs.models import ChangeSet, Graph, Membership, Object, Origin, Role, Workspace
from graphs.objects.preconditions import Conflicting
from graphs.site.access import Forbidden, Member, NotFound, member_of
from tests import checker
from tests.cast import member
from tests.chat.engine.driving import until
from tests.chat.spending.paid import somebody_waits
from tests.proposed import waiting
from tests.registered import shops
from tests.things import THINGS, Thing, new_thing

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True), pytest.mark.timeout(1200)]

#: Of each kind of thing; the role that is taken away, and one turn in two windows, are of one.
ROUNDS = 50 if os.environ.get("FULL") else 2
Act = Callable[[], Any]
STATUS = ProposalStatus


def at_once(*acts: Act) -> list[Any]:
    """What each gave or raised; all of them begin together, each on a connection of its own."""
    barrier = threading.Barrier(len(acts))
    found: list[Any] = [None] * len(acts)

    def run(place: int, act: Act) -> None:
        barrier.wait(20)
        try:
            found[place] = act()
        except (Refused, Forbidden, NotFound, Conflicting) as refusal:
            found[place] = refusal
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(place, act)) for place, act in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "they wait for each other"
    return found


@dataclass
class Round:
    """A new thing and a proposal of Alice's to rename it; Dora decides too."""

    alice: User
    dora: User
    thing: Thing
    proposal: Proposal

    def decide(self, who: User, approved: bool, **values: Any) -> Act:
        them, decision = member_of(who), Decision(approved, **values)
        return lambda: deciding.decide(them, str(self.proposal.pk), decision)

    def ends(self, *allowed: ProposalStatus) -> Proposal:
        """What it came to; its effect, its history and its events say the same, once."""
        proposal = Proposal.objects.get(pk=self.proposal.pk)
        assert proposal.status in allowed
        applied = proposal.status == STATUS.APPLIED
        change_sets = ChangeSet.objects.filter(cause=f"proposal:{proposal.pk}")
        assert list(change_sets.values_list("pk", flat=True)) == ([proposal.change_set] if applied else [])
        for stream in (proposal.session.stream.name, self.thing.stream):
            told = StreamEvent.objects.filter(stream__name=stream, type="decision")
            decided = [event.data["status"] for event in told if event.data["proposalId"] == str(proposal.pk)]
            assert decided == ([] if proposal.status == STATUS.PENDING else [proposal.status]), stream
        return proposal


@pytest.fixture
def rounds(alice: User, demo_workspace: Workspace) -> Iterator[Callable[[], Any]]:
    dora = member("dora", demo_workspace, Role.EDITOR)

    def each() -> Any:
        for number, kind in enumerate(THINGS * ROUNDS):
            thing = new_thing(kind, demo_workspace, number)
            yield Round(alice, dora, thing, thing.proposed(alice)[0])
        checker.check_gap_free()

    with shops():
        yield each


def codes(found: list[Any]) -> list[str]:
    """ "" for what was done, else what it was refused with."""
    return sorted(each.code if isinstance(each, Refused) else "" for each in found)


def test_approve_and_approve(rounds: Any) -> None:
    for here in rounds():
        found = at_once(*(here.decide(who, True) for who in (here.alice, here.dora, here.alice)))
        here.ends(STATUS.APPLIED)
        assert codes(found) == ["", "decided", "decided"]
        assert here.thing.called == "Fetch"


def test_approve_and_reject(rounds: Any) -> None:
    for here in rounds():
        found = at_once(here.decide(here.alice, True), here.decide(here.dora, False))
        decided = here.ends(STATUS.APPLIED, STATUS.REJECTED)
        assert codes(found) == ["", "decided"]
        winner = here.alice if decided.status == STATUS.APPLIED else here.dora
        assert decided.decided_by == winner
        loser = next(each for each in found if isinstance(each, Refused))
        assert loser.extra["proposal"]["decidedBy"] == winner.username
        assert here.thing.called == ("Fetch" if decided.status == STATUS.APPLIED else "Fetch API")


def test_approve_and_approve_edited(rounds: Any) -> None:
    for here in rounds():
        _name, arguments = here.thing.rename_call("Get")
        digest = deciding.preview(member_of(here.dora), str(here.proposal.pk), arguments).digest
        found = at_once(
            here.decide(here.alice, True), here.decide(here.dora, True, edited_arguments=arguments, digest=digest)
        )
        decided = here.ends(STATUS.APPLIED)
        assert codes(found) == ["", "decided"]
        assert here.thing.called == ("Fetch" if decided.decided_arguments is None else "Get")


def test_approve_and_edit_by_hand(rounds: Any) -> None:
    """Who comes first is applied; nothing of it is lost to the other."""
    for here in rounds():
        change, by_hand = here.thing.to("Mine"), Because(here.dora, Origin.MANUAL)
        found = at_once(here.decide(here.alice, True), lambda: here.thing.apply([change], by_hand))  # noqa: B023
        decided = here.ends(STATUS.APPLIED, STATUS.STALE)
        if decided.status == STATUS.APPLIED:
            assert isinstance(found[1], Conflicting)
            assert here.thing.called == "Fetch"
        else:
            assert codes(found) == ["", "stale"]
            assert decided.conflicts[0]["changedBy"] == "dora"
            assert here.thing.called == "Mine"


def test_approve_and_stop(rounds: Any) -> None:
    for here in rounds():
        session = str(here.proposal.session_id)
        owner = member_of(here.alice)
        found = at_once(here.decide(here.dora, True), lambda: conversations.stop(owner, session))  # noqa: B023
        decided = here.ends(STATUS.APPLIED, STATUS.CANCELLED)
        assert codes(found) == ([""] * 2 if decided.status == STATUS.APPLIED else ["", "decided"])


def test_approve_and_delete_the_conversation(rounds: Any) -> None:
    for here in rounds():
        session = str(here.proposal.session_id)
        owner = member_of(here.alice)
        at_once(here.decide(here.dora, True), lambda: conversations.delete_session(owner, session))  # noqa: B023
        here.ends(STATUS.APPLIED, STATUS.CANCELLED)


def test_approve_and_lose_the_role(rounds: Any) -> None:
    """Either the approval counted while she was an editor, or it was refused and the proposal waits for others."""
    for here in rounds():
        membership = Membership.objects.filter(user=here.dora)
        approve = here.decide(here.dora, True)
        found = at_once(approve, lambda: membership.update(role=Role.VIEWER))  # noqa: B023
        decided = here.ends(STATUS.APPLIED, STATUS.PENDING)
        assert isinstance(found[0], Forbidden) == (decided.status == STATUS.PENDING)
        membership.update(role=Role.EDITOR)


def test_a_role_that_is_being_taken_away_is_waited_for(rounds: Any) -> None:
    here = next(rounds())
    found: list[Any] = []
    approve = here.decide(here.dora, True)
    thread = threading.Thread(target=lambda: found.extend(at_once(approve)))
    with transaction.atomic():
        Membership.objects.filter(user=here.dora).update(role=Role.VIEWER)
        thread.start()
        until(lambda: somebody_waits() or found)
    thread.join(60)
    assert isinstance(found[0], Forbidden)
    here.ends(STATUS.PENDING)


def test_approve_and_delete_it_by_hand(rounds: Any) -> None:
    for here in rounds():
        deleted, by_hand = here.thing.gone(), Because(here.dora, Origin.MANUAL)
        found = at_once(here.decide(here.alice, True), lambda: here.thing.apply(deleted, by_hand))  # noqa: B023
        decided = here.ends(STATUS.APPLIED, STATUS.STALE, STATUS.FAILED)
        if decided.status == STATUS.APPLIED:
            assert isinstance(found[1], Conflicting)
            assert here.thing.called == "Fetch"
        else:
            assert here.thing.find() is None


def test_approve_and_delete_its_object(rounds: Any) -> None:
    for here in rounds():
        at_once(here.decide(here.alice, True), lambda: _delete(here.thing))  # noqa: B023
        here.ends(STATUS.APPLIED, STATUS.STALE)
        assert here.thing.find() is None


def _delete(thing: Thing) -> None:
    """As whoever deletes one should: its header first, as everybody does who changes anything of it."""
    with transaction.atomic():
        Object.objects.select_for_update().get(pk=thing.around.pk)
        thing.vanish()


def test_approve_while_it_expires(rounds: Any) -> None:
    for here in rounds():
        Proposal.objects.filter(pk=here.proposal.pk).update(expires_at=Now())
        found = at_once(here.decide(here.alice, True), deciding.expire_all)
        here.ends(STATUS.EXPIRED)
        assert codes(found[:1]) == ["expired"]


def test_approve_all_of_one_turn_in_two_windows(alice: User, nba: Graph) -> None:
    for number in range(5):
        moves = [("move_node", {"nodeKey": key, "posX": number + 1.0, "posY": 7.0}) for key in ("root", "return")]
        proposals = waiting(alice, nba, *moves)
        ids = [str(each.pk) for each in proposals]
        here: Member = member_of(alice)
        answers = at_once(*[lambda: deciding.decide_many(here, ids, Decision(True))] * 3)  # noqa: B023
        done = [str(each.proposal.pk) for answer in answers for each in answer if isinstance(each, deciding.Decided)]
        assert sorted(done) == sorted(ids)
    assert ChangeSet.objects.count() == 10
    checker.check_gap_free()
