"""Results that a person's decisions give to calls that waited."""

import pytest
from pytest_django import Settings

from chat.engine import open_calls
from chat.models import WAITING, Call, Message
from chat.prompts.round_messages import round_entries, round_of
from chat.prompts.tool_results import LEAST_TOKENS, TOGETHER
from chat.providers.pieces import Reply
from rag.texts.tables import decode
from rag.texts.tokens import count_tokens

ROWS = [{"key": f"step-{n}", "type": "filter", "sheet": "main"} for n in range(400)]


def answer_with(*calls: Call) -> Message:
    return Message(rounds=[round_of(Reply(), calls)])


def waiting(call_id: str) -> Call:
    return Call(call_id, "propose_batch", {}, {"proposalId": call_id, "status": "pending"}, WAITING, "{}")


def tokens_of(answer: Message) -> list[int]:
    return [count_tokens(entry.content) for entry in round_entries(answer.rounds[0]) if entry.role == "tool"]


@pytest.mark.parametrize("calls", [3, TOGETHER, 30])
def test_decided_results_share_the_room_of_their_round(settings: Settings, calls: int) -> None:
    settings.TOOL_RESULT_TOKENS = 2_000
    answer = answer_with(*(waiting(f"c{n}") for n in range(calls)))
    given: list[str] = []
    for n in range(calls):
        open_calls.set_result(answer, f"c{n}", {"proposalId": f"c{n}", "status": "applied", "created": ROWS})
        told = [call.model_text for call in answer.rounds[0].calls]
        assert told[:n] == given, "what was told stays as it is"
        given.append(told[n])
    assert sum(tokens_of(answer)) <= TOGETHER * 2_000
    assert min(tokens_of(answer)) > min(2_000, TOGETHER * 2_000 / calls) * 0.7
    assert decode(given[-1])["status"] == "applied"


def test_beside_long_results_a_decision_has_a_little_room(settings: Settings) -> None:
    settings.TOOL_RESULT_TOKENS = 500
    read = [Call(f"r{n}", "search_nodes", {}, {"nodes": ROWS}, "ok", "{}") for n in range(TOGETHER + 1)]
    answer = answer_with(*read, waiting("c"))
    open_calls.set_result(answer, "c", {"proposalId": "c", "status": "applied", "created": ROWS})
    assert sum(tokens_of(answer)) <= TOGETHER * 500 + LEAST_TOKENS
    assert open_calls.set_result(answer, "c", {"status": "rejected"}) is None
