"""What an answer came to: its calls, how it ended, what it used."""

import uuid
from typing import Any

from chat.models import Message, Run, RunStatus, Session, calls_of
from chat.proposals.proposal_json import proposals_json
from chat.queries.proposals import in_brief
from chat.spending.settling import COUNTS, OF_CONVERSATION


def run_result(run_id: uuid.UUID) -> dict[str, Any] | None:
    """How a run ended, for the door that began it and waits; None while it is still on its way."""
    run = Run.objects.select_related("message").get(pk=run_id)
    if run.status in {RunStatus.QUEUED, RunStatus.RUNNING}:
        return None
    kinds = {"waiting": "interrupt", "toolLimit": "toolLimit", "error": "error"}
    return {
        "type": kinds.get(run.outcome, "message"),
        "message": run.message.content,
        "toolCalls": tool_calls(run.message),
        "proposals": proposals_json(in_brief(run.message.proposals.all())),
        **({"error": run.error} if run.error else {}),
    }


def usage_of(run: Run) -> dict[str, Any] | None:
    """What all calls of a run used together, as in a `usage` event; None before the first one ended.

    Vectors are not counted: they are for the graph.
    """
    calls = [call for call in run.model_calls.all() if call.purpose in OF_CONVERSATION]
    if not calls:
        return None
    costs = [call.cost for call in calls if call.cost is not None]
    return {
        "promptTokens": sum(call.prompt_tokens for call in calls),
        "completionTokens": sum(call.completion_tokens for call in calls),
        "cachedTokens": sum(call.cached_tokens for call in calls),
        "cacheWriteTokens": sum(call.cache_write_tokens for call in calls),
        "reasoningTokens": sum(call.reasoning_tokens for call in calls),
        "cost": float(sum(costs)) if len(costs) == len(calls) else None,
        "estimated": any(call.estimated for call in calls),
    }


def usage_of_session(session: Session) -> dict[str, Any]:
    """What all answers and summaries of a conversation used. `cost` is of the calls that have a price."""
    nothing = dict.fromkeys((*COUNTS, "cost", "unpricedTokens"), 0)
    return {**nothing, "estimated": False, **session.usage}


def tool_calls(message: Message) -> list[dict[str, Any]]:
    """The calls of an answer for readers: `{id, name, args, result, status}`."""
    return [call.for_readers() for call in calls_of(message.rounds)]
