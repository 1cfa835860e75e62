"""Changes that wait for a person: proposed and closed by the engine, decided through `chat.actions.deciding`."""

from chat.proposals.closing import cancel_pending
from chat.proposals.fetching import propose_fetch
from chat.proposals.proposal_json import decision_event
from chat.proposals.proposing import Proposed, WriteCall, hold_all, propose

__all__ = ["Proposed", "WriteCall", "cancel_pending", "decision_event", "hold_all", "propose", "propose_fetch"]
