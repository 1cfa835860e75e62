"""Calls of an answer that wait for a person: they are given their result where they stand, in the stored round.

Callers hold the session, as everybody does who writes the rounds of its answers.
"""

from collections.abc import Iterator
from typing import Any

from chat.engine.states import Phase
from chat.events.transcript import WAITING, status_of
from chat.events.vocabulary import NewEvent
from chat.models import Message, ProposalStatus, Session
from chat.prompts.decisions import written_meanwhile
from chat.prompts.tool_results import room_beside, told


def waiting_answer(session: Session) -> Message | None:
    """The answer whose calls the session waits for, if it waits for a decision."""
    if session.state.get("phase") != Phase.WAITING_VALIDATION:
        return None
    answers = session.messages.filter(role=Message.Role.ASSISTANT, status=Message.Status.COMPLETE)
    last = answers.order_by("-sequence").first()
    return last if last is not None and any(open_calls(last)) else None


def open_calls(answer: Message) -> Iterator[dict[str, Any]]:
    return (call for round_ in answer.rounds for call in round_["toolCalls"] if call["status"] == WAITING)


def give(answer: Message, call_id: str, result: dict[str, Any]) -> NewEvent | None:
    """Gives an open call its result, for good; None for a call that has one. The answer is not saved yet."""
    for round_ in answer.rounds:
        for call in round_["toolCalls"]:
            if call["id"] == call_id and call["status"] == WAITING:
                call["told"] = told(call_id, result, _room_in(round_))
                call["result"], call["status"] = result, status_of(result)
                return NewEvent("tool_call_result", {"toolCallId": call_id, "result": result}, answer.pk)
    return None


def _room_in(round_: dict[str, Any]) -> int:
    """Tokens of the next result of a round; each that comes later has as many."""
    calls = round_["toolCalls"]
    before = [str(call.get("told", "")) for call in calls if call["status"] != WAITING]
    return room_beside(before, len(calls) - len(before))


def close(session: Session) -> list[NewEvent]:
    """Gives open calls an interim result, because the person wrote meanwhile: vendors refuse a call without one.

    What they propose can still be decided.
    """
    answer = waiting_answer(session)
    if answer is None:
        return []
    told = [give(answer, call["id"], written_meanwhile(call["result"])) for call in list(open_calls(answer))]
    answer.save(update_fields=["rounds"])
    return [event for event in told if event is not None]


def was_applied(call: dict[str, Any]) -> bool:
    """Whether it proposed a change that was made."""
    result = call["result"]
    return isinstance(result, dict) and "proposalId" in result and result.get("status") == ProposalStatus.APPLIED


def keeps_control(round_: dict[str, Any]) -> bool:
    """False where every call was a change that was made and after which the model wanted no more."""
    return not all(was_applied(call) and call["args"].get("keepControl") is False for call in round_["toolCalls"])


def words_after(round_: dict[str, Any]) -> list[str]:
    """What the model gave beforehand to be said once its changes were made, of those that were."""
    made = [call["args"] for call in round_["toolCalls"] if was_applied(call)]
    return [args["postText"] for args in made if args.get("postText")]
