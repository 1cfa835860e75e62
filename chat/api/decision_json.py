"""Decisions about proposals as the API answers with them."""

from typing import Literal, Self

from chat.actions.deciding import Decided, DecisionOutcome
from chat.api.run_json import AcceptedShape
from chat.proposals.proposal_json import ProposalShape, Status, brief_json
from chat.queries.answers import ErrorShape, ToolCallShape
from graphs.site.shapes import AsItIs, Shape


class DecidedShape(Shape):
    """The ids tell which run goes on, where one does; the rest, with `wait`, how it ended."""

    proposal: AsItIs[ProposalShape]
    session_id: str | None = None
    user_message_id: str | None = None
    message_id: str | None = None
    run_id: str | None = None
    stream_id: str | None = None
    type: Literal["message", "interrupt", "question", "toolLimit", "error"] | None = None
    message: str | None = None
    tool_calls: list[ToolCallShape] | None = None
    proposals: list[ProposalShape] | None = None
    error: ErrorShape | None = None

    @classmethod
    def of(cls, decided: Decided) -> Self:
        run = dict(AcceptedShape.of(decided.run.to_json())) if decided.run else {}
        return cls(proposal=brief_json(decided.proposal), **run)


class DecidedOneShape(Shape):
    """`code` and `detail` say why it had no effect, `status` what it is now."""

    id: str
    status: Status
    code: str | None = None
    detail: str | None = None
    proposal: AsItIs[ProposalShape]

    @classmethod
    def of(cls, answer: DecisionOutcome) -> Self:
        if answer.decided is not None:
            proposal = brief_json(answer.decided.proposal)
            return cls(id=answer.proposal_id, status=proposal["status"], proposal=proposal)
        assert answer.refusal is not None
        proposal = answer.refusal.details["proposal"]
        refused = {"code": answer.refusal.code, "detail": answer.refusal.message}
        return cls(id=answer.proposal_id, status=proposal["status"], **refused, proposal=proposal)


class DecidedManyShape(Shape):
    results: list[DecidedOneShape]
