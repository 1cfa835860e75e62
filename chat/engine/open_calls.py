"""Calls that wait for a person: their result goes into their stored round. Callers hold the session."""

from dataclasses import replace
from typing import Any

from chat.engine.states import Phase, state_of
from chat.events.transcript import status_of
from chat.events.vocabulary import NewEvent
from chat.models import Call, Message, ProposalStatus, Round, Session, calls_of
from chat.prompts.decisions import written_meanwhile
from chat.prompts.tool_results import model_text, room_beside


def waiting_answer(session: Session) -> Message | None:
    """The answer whose calls the session waits for, if it waits for a decision."""
    if state_of(session).phase is not Phase.WAITING_VALIDATION:
        return None
    answers = session.messages.filter(role=Message.Role.ASSISTANT, status=Message.Status.COMPLETE)
    last = answers.order_by("-sequence").first()
    return last if last is not None and open_calls(last) else None


def open_calls(answer: Message) -> list[Call]:
    return [call for call in calls_of(answer.rounds) if call.waits]


def set_result(answer: Message, call_id: str, result: dict[str, Any]) -> NewEvent | None:
    """Gives an open call its result, for good; None for a call that has one. The answer is not saved yet."""
    for number, round_ in enumerate(answer.rounds):
        if any(call.id == call_id and call.waits for call in round_.calls):
            # The next result of a round has as much room as each that comes later.
            before = [call.model_text or "" for call in round_.calls if not call.waits]
            text = model_text(call_id, result, room_beside(before, len(round_.calls) - len(before)))
            answer.rounds[number] = replace(
                round_,
                calls=tuple(
                    replace(call, result=result, status=status_of(result), model_text=text)
                    if call.id == call_id and call.waits
                    else call
                    for call in round_.calls
                ),
            )
            return NewEvent("tool_call_result", {"toolCallId": call_id, "result": result}, answer.pk)
    return None


def close(session: Session) -> list[NewEvent]:
    """Gives open calls an interim result, because vendors want one. Their proposals can still be decided."""
    answer = waiting_answer(session)
    if answer is None:
        return []
    events = [set_result(answer, call.id, written_meanwhile(call.result)) for call in open_calls(answer)]
    answer.save(update_fields=["rounds"])
    return [event for event in events if event is not None]


def was_applied(call: Call) -> bool:
    """Whether it proposed a change that was made."""
    result = call.result
    return isinstance(result, dict) and "proposalId" in result and result.get("status") == ProposalStatus.APPLIED


def keeps_control(round_: Round) -> bool:
    """False if every call was a change that was made, and after each the model wanted no more."""
    return not all(was_applied(call) and call.args.get("keepControl") is False for call in round_.calls)


def words_after(round_: Round) -> list[str]:
    """What the model gave beforehand to be said once its changes were made, of those that were."""
    made = [call.args for call in round_.calls if was_applied(call)]
    return [args["postText"] for args in made if args.get("postText")]
