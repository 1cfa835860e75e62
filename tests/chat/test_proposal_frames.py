"""Decisions over the socket: the same as over REST, and every other window hears of them."""

import asyncio
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import translation

from chat.models import Proposal
from graphs.models import Role
from graphs.objects.kinds import KINDS
from graphs.site.access import member_of
from tests import conversations
from tests.cast import member
from tests.chat.inprocess import Socket, run, signed_in
from tests.things import Thing

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def proposal(alice: User, thing: Thing) -> Proposal:
    return thing.proposed(alice)[0]


async def decide(socket: Socket, proposal: Proposal, **values: Any) -> dict[str, Any]:
    own_id = uuid.uuid4().hex
    body = {"sessionId": str(proposal.session_id), "proposalId": str(proposal.pk), "approved": True, **values}
    socket.send("ai:resume", _id=own_id, **{name: value for name, value in body.items() if value is not None})
    found: dict[str, Any] = await socket.until(
        lambda each: next((one for one in each.received if one.get("_id") == own_id), None)
    )
    return found


def test_a_decision_is_seen_in_every_window(alice: User, thing: Thing, proposal: Proposal) -> None:
    dora = member("dora", thing.workspace, Role.EDITOR)

    async def test() -> None:
        async with signed_in(alice) as owner, signed_in(dora) as colleague:
            owner.send("ai:subscribe", sessionId=str(proposal.session_id))
            for socket in (owner, colleague):
                socket.send("ai:subscribe", stream=thing.stream)
                await socket.frame("ai:proposal", stream=thing.stream)
            answer = await decide(colleague, proposal, digest=proposal.digest)
            assert (answer["type"], answer["status"]) == ("ai:accepted", "applied")
            for socket in (owner, colleague):
                told = await socket.frame("ai:decision", stream=thing.stream)
                assert (told["proposalId"], told["decidedBy"]) == (str(proposal.pk), "dora")
                await socket.frame("ai:object_changed")
            in_chat = await owner.frame("ai:decision", sessionId=str(proposal.session_id))
            assert (in_chat["status"], in_chat["messageId"]) == ("applied", str(proposal.message_id))
            assert not [each for each in colleague.received if each.get("stream") == proposal.session.stream.name]
            again = await decide(owner, proposal, approved=False)
            assert (again["type"], again["code"]) == ("ai:error", "decided")
            assert again["proposal"]["decidedBy"] == "dora"

    run(test)
    assert thing.called == "Fetch"


def test_each_reader_is_told_the_fields_in_their_language(alice: User, thing: Thing, proposal: Proposal) -> None:
    """The event is stored once, in English."""

    async def test() -> None:
        for language in ("en", "fr", "en"):
            async with signed_in(alice, f"language={language}") as socket:
                socket.send("ai:subscribe", stream=thing.stream)
                told = await socket.frame("ai:proposal", stream=thing.stream)
                with translation.override(language):
                    kind = KINDS[thing.item.type]
                    labels = {field.name: str(field.label) for field in kind.fields}
                    (entry,) = told["diff"]
                    assert entry["kindLabel"] == str(kind.label)
                    assert [shown["label"] for shown in entry["fields"]] == [
                        labels[shown["field"]] for shown in entry["fields"]
                    ]

    run(test)


def test_what_is_no_decision_or_not_ones_own_changes_nothing(
    alice: User, bob: User, charlie: User, thing: Thing, proposal: Proposal
) -> None:
    (other,) = thing.proposed(alice, thing.rename_call("Another"))

    async def codes(user: User, *frames: dict[str, Any]) -> list[str]:
        async with signed_in(user) as socket:
            return [(await decide(socket, proposal, **values)).get("code", "accepted") for values in frames]

    async def test() -> None:
        wrong = [
            *({"approved": None, "answer": "Yes"}, {"answer": "Yes"}, {"continue": True}, {"approved": "true"}),
            *({"editedArguments": []}, {"status": "applied"}, {"decidedBy": "alice"}, {"feedback": 7}),
        ]
        assert await codes(alice, *wrong) == ["validation"] * len(wrong)
        assert await codes(alice, {"digest": other.digest}, {"editedArguments": proposal.arguments}) == ["digest"] * 2
        absent = [{"sessionId": str(other.session_id)}, {"proposalId": str(uuid.uuid4())}, {"proposalId": "x"}]
        assert await codes(alice, *absent) == ["not_found"] * 3
        assert await codes(bob, {}) == ["forbidden"]
        assert await codes(charlie, {}, *absent) == ["not_found"] * 4

    run(test)
    proposal.refresh_from_db()
    assert (proposal.status, thing.called) == ("pending", "Fetch API")


def test_the_only_proposal_that_waits_needs_no_name(
    alice: User, bob: User, charlie: User, thing: Thing, proposal: Proposal
) -> None:
    dora = member("dora", thing.workspace, Role.EDITOR)
    empty = {"sessionId": str(conversations.empty(member_of(dora, thing.workspace.slug)).pk)}

    async def told(user: User, **values: Any) -> dict[str, Any]:
        async with signed_in(user) as socket:
            return await decide(socket, proposal, proposalId=None, **values)

    async def test() -> None:
        assert (await told(bob))["code"] == "forbidden"
        for absent in ({}, empty, {"sessionId": str(uuid.uuid4())}, {"sessionId": "x"}):
            assert (await told(charlie, **absent))["code"] == "not_found"
        assert (await told(alice, **empty))["code"] == (await told(bob, **empty))["code"] == "not_found"
        assert (await told(dora, **empty))["code"] == "conflict"
        assert (await told(alice, answer="Yes"))["code"] == "validation"
        decided = await told(dora, digest=proposal.digest)
        assert (decided["proposalId"], decided["status"]) == (str(proposal.pk), "applied")
        none_left = await told(alice)
        assert (none_left["code"], none_left["error"]) == (
            "conflict",
            "No proposal waits for a decision in this conversation.",
        )

    run(test)
    assert thing.called == "Fetch"


def test_of_several_proposals_one_has_to_be_named(alice: User, thing: Thing, proposal: Proposal) -> None:
    (other,) = thing.proposed(alice, thing.rename_call("Another"), session=proposal.session)
    ids = [str(proposal.pk), str(other.pk)]

    async def test() -> None:
        async with signed_in(alice) as socket:
            refused = await decide(socket, proposal, proposalId=None)
            assert (refused["code"], refused["proposalIds"]) == ("validation", ids)
            assert refused["error"].endswith(", ".join(ids))
            assert (await decide(socket, other, approved=False))["status"] == "rejected"
            assert (await decide(socket, proposal, proposalId=None))["proposalId"] == str(proposal.pk)

    run(test)
    assert thing.called == "Fetch"


def test_a_role_that_ends_meanwhile_ends_the_right_to_decide(alice: User, thing: Thing, proposal: Proposal) -> None:
    dora = member("dora", thing.workspace, Role.EDITOR)

    async def test() -> None:
        async with signed_in(dora) as socket:
            await asyncio.to_thread(dora.memberships.update, role=Role.VIEWER)
            body = {"sessionId": str(proposal.session_id), "proposalId": str(proposal.pk), "approved": True}
            socket.send("ai:resume", **body)
            assert await socket.closed() == 4403

    run(test)
    proposal.refresh_from_db()
    assert proposal.status == "pending"
