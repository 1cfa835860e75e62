"""What a model is asked that shall summarise, and what stands in place of the messages."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from chat.models import Call, Message, Proposal, ProposalStatus, Round
from chat.prompts.cutting import HistoryCut
from chat.prompts.summary import request_messages, summary_text
from chat.prompts.summary_json import shown
from chat.providers.model_request import PromptMessage
from graphs.history.changes import apply
from graphs.history.recording import Because
from graphs.models import Graph, Origin, Workspace
from graphs.objects.operations import Create
from graphs.objects.refs import Ref
from rag.texts.tokens import count_tokens
from tests.chat.admin.talk import talk, turn


def test_the_summary_before_stays_whatever_has_to_go() -> None:
    messages = [PromptMessage("user", f"Question {number} {'word ' * 100}") for number in range(40)]
    _instructions, asked = request_messages("They want the parser mended.", messages, 2_000)
    assert "They want the parser mended." in asked.content
    assert "Question 0 " not in asked.content
    assert "Question 39 " in asked.content
    assert count_tokens(asked.content) < 2_100


@pytest.mark.django_db
def test_without_words_of_a_model_those_of_the_summary_before_stay(alice: User, demo_workspace: Workspace) -> None:
    session = talk(alice, demo_workspace).session
    turn(session, "And the parser?")
    messages = list(Message.objects.filter(session=session))
    before = "They want the parser mended.\n\nDecisions so far:\n- applied: long ago"
    text = summary_text(session.pk, messages, HistoryCut(5, 0, (), 1), "", 1_000, before)
    assert "They want the parser mended." in text
    assert '- "And the parser?"' in text
    assert "long ago" not in text
    again = summary_text(session.pk, messages, HistoryCut(5, 0, (), 1), "", 1_000, shown(text))
    assert again.count("And the parser?") == 1
    assert "They want" not in summary_text(session.pk, messages, HistoryCut(5, 0, (), 1), "New words.", 1_000, before)


@pytest.mark.django_db
def test_many_long_decisions_take_the_place_of_nothing_else(alice: User, nba: Graph) -> None:
    run = talk(alice, nba.workspace).run
    assert run.message is not None
    Message.objects.filter(pk=run.message_id).update(rounds=[Round("See {{node:fetch-api}} and {{node:root}}.")])
    proposed = [
        Proposal(
            workspace=nba.workspace, session=run.session, message=run.message, tool_call_id=f"c{number}", tool="x",
            object=nba, object_type="graph", object_key="nba", arguments={}, operations=[], targets=[], diff=[],
            digest="", status=ProposalStatus.APPLIED if number else ProposalStatus.PENDING,
            reason="Because of this. " * 9,
            expires_at=timezone.now() + timedelta(days=1), created_at=timezone.now() + timedelta(seconds=number),
        )
        for number in range(60)
    ]  # fmt: skip
    Proposal.objects.bulk_create(proposed)
    messages = list(Message.objects.filter(session=run.session))
    text = summary_text(run.session.pk, messages, HistoryCut(3, 0, (), 1), "They want it quicker.", 1_000)
    assert count_tokens(text) <= 1_000
    assert "They want it quicker." in text
    assert "Keys that were spoken of: fetch-api, root" in text
    told = [number for number, proposal in enumerate(proposed) if str(proposal.pk) in text]
    assert told[0] == 0, "the one that waits, however old"
    assert told[1:] == list(range(told[1], 60)), "of the decisions the latest"
    assert len(told) > 4


@pytest.mark.django_db
def test_keys_are_those_that_the_person_named_and_that_were_made(alice: User, nba: Graph) -> None:
    run = talk(alice, nba.workspace, "Mend {{node:fetch-api}}").run
    given = {"actions": [{"action": "create_node", "typeKey": "filter", "key": "dedupe", "data": {"apiKey": "secret"}}]}
    calls = (Call("c1", "x", given, {}), Call("c2", "x", {"nodeKey": "root"}, "no object"))
    record = {
        "type": "note", "sheet": "main", "name": "", "process": "", "data": {}, "handles": {}, "posX": 0, "posY": 0,
        "width": None, "height": None,
    }  # fmt: skip
    applied = apply(nba, [Create(Ref("node", "filter-7"), record)], Because(alice, Origin.CHAT))
    Proposal.objects.create(
        workspace=nba.workspace, session=run.session, message=run.message, tool_call_id="c", tool="x", object=nba,
        object_type="graph", object_key="nba", arguments={}, operations=[], targets=[], diff=[], digest="",
        status=ProposalStatus.APPLIED,
        expires_at=timezone.now(), change_set=applied.change_set_id,
    )  # fmt: skip
    Message.objects.filter(pk=run.message_id).update(rounds=[Round("", calls=calls)])
    turn(run.session, "And {{node:parse}}?")
    Message.objects.create(
        session=run.session, sequence=5, role="user", content="{{node:secret}}", in_prompt=Message.InPrompt.LEFT_OUT
    )
    messages = list(Message.objects.filter(session=run.session))
    text = summary_text(run.session.pk, messages, HistoryCut(6, 0, (), 1), "They want it mended.", 1_000)
    assert "Keys that were spoken of: filter-7, fetch-api, dedupe, filter, root, parse\n" in text
