"""Decisions about proposals as the API answers with them."""

from typing import Any, Self

from pydantic import create_model

from chat.actions.deciding import Decided, DecisionOutcome
from chat.api.run_json import AcceptedShape, RestedShape
from chat.proposals.proposal_json import ProposalShape, Status, brief_json
from graphs.site.shapes import AsItIs, Shape

_RESTED: dict[str, Any] = {name: field.annotation for name, field in RestedShape.model_fields.items()}
_DECIDED: dict[str, Any] = {name: (shape | None, None) for name, shape in _RESTED.items()}
DecidedShape = create_model(
    "DecidedShape",
    __base__=Shape,
    __doc__="The ids tell which run goes on, where one does; the rest, with `wait`, how it ended.",
    **{"proposal": AsItIs[ProposalShape]} | _DECIDED,
)


def decided_json(decided: Decided) -> dict[str, Any]:
    """A decision as `DecidedShape`."""
    run = dict(AcceptedShape.of(decided.run.to_json())) if decided.run else {}
    return DecidedShape(**{"proposal": brief_json(decided.proposal), **run}).to_json()


class DecidedOneShape(Shape):
    """`code` and `detail` say why it had no effect, `status` what it is now."""

    id: str
    status: Status
    code: str | None = None
    detail: str | None = None
    proposal: AsItIs[ProposalShape]

    @classmethod
    def of(cls, outcome: DecisionOutcome) -> Self:
        if outcome.decided is not None:
            proposal = brief_json(outcome.decided.proposal)
            return cls(id=outcome.proposal_id, status=proposal["status"], proposal=proposal)
        assert outcome.refusal is not None
        proposal = outcome.refusal.details["proposal"]
        refused = {"code": outcome.refusal.code, "detail": outcome.refusal.message}
        return cls(id=outcome.proposal_id, status=proposal["status"], **refused, proposal=proposal)


class DecidedManyShape(Shape):
    results: list[DecidedOneShape]
