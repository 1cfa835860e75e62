"""What an answer came to: its calls, how it ended, what it used."""

import json
from collections.abc import Sequence
from typing import Any, Literal, Self

from chat.models import LIVE, Message, Run, RunErrorCode, Session, calls_of
from chat.models.runs import Correction
from chat.proposals.proposal_json import ProposalShape, proposals_json
from chat.queries.proposals import in_brief
from chat.spending.recording import COUNTS, OF_CONVERSATION
from graphs.site import row_store
from graphs.site.shapes import AsItIs, Shape

#: The answer that a run writes, with how that is or went.
ANSWER = f"""
SELECT {row_store.columns(Message, of="m")},
    r.status, r.outcome, r.error::text
FROM chat_run AS r JOIN chat_message AS m ON m.id = r.message_id WHERE r.id = %s
"""  # noqa: S608 - what is inserted are names of columns


class ToolCallShape(Shape):
    id: str
    name: str
    args: dict[str, Any]
    result: Any
    status: Literal["running", "waiting", "ok", "error"]


class ErrorShape(Shape):
    """`corrections` are what may be tried instead of the same again, each once."""

    code: RunErrorCode
    message: str
    retryable: bool
    corrections: list[Correction] | None = None


class ResultShape(Shape):
    """How a run ended."""

    type: Literal["message", "interrupt", "question", "toolLimit", "error"]
    message: str
    tool_calls: AsItIs[list[ToolCallShape]]
    proposals: AsItIs[list[ProposalShape]]
    error: AsItIs[ErrorShape | None] = None


class _TokensShape(Shape):
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    cache_write_tokens: int
    reasoning_tokens: int
    cost: AsItIs[float | None]


class UsageShape(_TokensShape):
    """`cost` is in US dollars, null where nobody knows the price; `estimated` where a vendor did not count.

    Tokens that were read from the vendor's cache or kept there are among those of the prompt, those of reasoning among
    those of the completion.
    """

    estimated: bool

    @classmethod
    def of(cls, run: Run) -> Self | None:
        """What all calls of a run used together, without vectors; None before the first one ended."""
        calls = [call for call in run.model_calls.all() if call.purpose in OF_CONVERSATION]
        if not calls:
            return None
        costs = [call.cost for call in calls if call.cost is not None]
        return cls(
            prompt_tokens=sum(call.prompt_tokens for call in calls),
            completion_tokens=sum(call.completion_tokens for call in calls),
            cached_tokens=sum(call.cached_tokens for call in calls),
            cache_write_tokens=sum(call.cache_write_tokens for call in calls),
            reasoning_tokens=sum(call.reasoning_tokens for call in calls),
            cost=float(sum(costs)) if len(costs) == len(calls) else None,
            estimated=any(call.estimated for call in calls),
        )


class SessionUsageShape(_TokensShape):
    """Usage of the whole conversation; `cost` leaves out the `unpricedTokens` of models without a price."""

    unpriced_tokens: int
    estimated: bool

    @classmethod
    def of(cls, session: Session) -> Self:
        """What all answers and summaries of a conversation used."""
        nothing = dict.fromkeys((*COUNTS, "cost", "unpricedTokens"), 0)
        return cls(**{**nothing, "estimated": False, **session.usage})


def result_of(row: Sequence[Any]) -> dict[str, Any] | None:
    """How the run of a row of `ANSWER` ended, for the door that began it and waits; None while it is on its way."""
    answer, (status, outcome, error_text) = row_store.row_of(Message, row)
    if status in LIVE:
        return None
    error = json.loads(error_text or "{}")
    results = [call.result for call in calls_of(answer.rounds)]
    proposed = any(isinstance(result, dict) and "proposalId" in result for result in results)
    kinds = {"waiting": "interrupt", "toolLimit": "toolLimit", "error": "error"}
    return ResultShape(
        type=kinds.get(outcome, "message"),
        message=answer.content,
        tool_calls=tool_calls(answer),
        proposals=proposals_json(in_brief(answer.proposals.all())) if proposed else [],
        **({"error": error} if error else {}),
    ).to_json()


def tool_calls(message: Message) -> list[dict[str, Any]]:
    """The calls of an answer for readers: `{id, name, args, result, status}`."""
    return [call.for_readers() for call in calls_of(message.rounds)]
