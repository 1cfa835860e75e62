"""Sessions that an earlier version of the program stored: they load, replay to what was read then, and go on."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.actions import conversations, deciding
from chat.actions.deciding import Decision
from chat.engine.states import State, load
from chat.events import compaction
from chat.models import Proposal, ProposalStatus, Run, RunStatus, Session
from graphs.models import Graph, Node
from graphs.site.access import member_of
from tests import checker
from tests.chat.engine.driving import ask, engine, rested
from tests.chat.events.logs import stored
from tests.kept import storing
from tests.vendors import VendorServer

#: All on one worker, which migrates once for each version.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("kept")]


@pytest.fixture(params=storing.kept(), ids=lambda path: path.stem)
def document(request: pytest.FixtureRequest, alice: User, nba: Graph) -> dict[str, Any]:
    path: Path = request.param
    return storing.restore(path, alice, nba)


def session(document: dict[str, Any], name: str) -> Session:
    return Session.objects.get(pk=document["sessions"][name])


def last_run(document: dict[str, Any], name: str) -> Run:
    run = session(document, name).runs.order_by("-message__sequence").first()
    assert run is not None
    return run


def test_they_load_and_replay(document: dict[str, Any]) -> None:
    assert storing.transcripts() == document["transcripts"]
    checker.check_gap_free()
    checker.check_replay()
    for found in Session.objects.all():
        state = load(found.state)
        assert load(state.to_json()) == state
        assert state == State() or state.phase == found.phase or found.runs.filter(status=RunStatus.RUNNING).exists()


def test_they_replay_folded_as_before(document: dict[str, Any]) -> None:
    before = {found.pk: stored(found.stream_id) for found in Session.objects.all()}
    assert sum(step.events for step in compaction.steps(0)) > 0
    assert {found.pk: stored(found.stream_id) for found in Session.objects.all()} == before
    assert storing.transcripts() == document["transcripts"]
    checker.check_gap_free()


def test_they_go_on(document: dict[str, Any], vendor: VendorServer, alice: User) -> None:
    with engine():
        alive = [last_run(document, name) for name in ("half answered, with a question behind", "between two rounds")]
        half, between = rested(alive[0].pk), rested(alive[1].pk)
        begun = session(document, "half answered, with a question behind").runs.order_by("message__sequence").first()
        assert begun is not None
        assert (begun.status, begun.error and begun.error["retryable"]) == (RunStatus.FAILED, True)
        assert [run.status for run in (half, between)] == [RunStatus.SUCCEEDED] * 2
        assert between.message.rounds[0].calls[0].name == "search_nodes"

        me = member_of(alice)
        failed = session(document, "failed with Retry")
        assert rested(conversations.retry(me, str(failed.pk)).run_id).status == RunStatus.SUCCEEDED
        limit = session(document, "at the tool limit")
        assert rested(conversations.answer(me, str(limit.pk), go_on=True).run_id).status == RunStatus.SUCCEEDED
        for name in ("failed for good", "stopped", "at the tool limit", "half answered, with a question behind"):
            again = ask(alice, "And now?", session_id=document["sessions"][name])
            assert rested(again.run_id).status == RunStatus.SUCCEEDED, name
    checker.check_gap_free()
    checker.check_replay()


def test_what_they_propose_can_be_decided(document: dict[str, Any], vendor: VendorServer, alice: User) -> None:
    if "waits for a decision" not in document["sessions"]:
        pytest.skip("kept before there were proposals")
    checker.check_proposals()
    with engine():
        for name in ("waits for a decision", "wrote before the decision"):
            (pending,) = Proposal.objects.filter(session=session(document, name), status=ProposalStatus.PENDING)
            decided = deciding.decide(member_of(alice), str(pending.pk), Decision(True, digest=pending.digest))
            assert decided.run is not None
            assert rested(decided.run.run_id).status == RunStatus.SUCCEEDED, name
    assert dict(Node.objects.filter(key__in=["fetch-api", "return"]).values_list("key", "name")) == {
        "fetch-api": "Fetch",
        "return": "Result",
    }
    checker.check_gap_free()
    checker.check_replay()
    checker.check_proposals()


@pytest.mark.parametrize("state", ["answered by", "folded, by"])
def test_each_vendor_gets_back_what_it_said(
    state: str, document: dict[str, Any], vendor: VendorServer, alice: User
) -> None:
    signs = {
        "custom": '"tool_call_id": "call_a"',
        "openai-reasoning": '"encrypted_content"',
        "anthropic-thinking": '"signature"',
    }
    with engine():
        for model, sign in signs.items():
            question = f'SCRIPT={{"text": "As I said."}} Are you sure, {model}?'
            name = f"{state} {model}"
            said_by = last_run(document, name)
            # By name: the table's model changes in time, and what is sealed goes to nobody else.
            asked = f"{said_by.provider}:{said_by.model}"
            again = ask(alice, question, session_id=document["sessions"][name], model=asked)
            assert rested(again.run_id).message.content == "As I said."
            bodies = (json.dumps(request.body, ensure_ascii=False) for request in vendor.requests)
            (sent,) = (body for body in bodies if f"Are you sure, {model}?" in body)
            assert sign in sent
            assert "It fetches the games" in sent
