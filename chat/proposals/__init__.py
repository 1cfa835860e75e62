"""Changes that wait for a person: proposed and closed by the engine, decided through `chat.deciding`."""

from chat.proposals.closing import cancel_pending
from chat.proposals.proposing import Proposed, WriteCall, propose
from chat.proposals.serialising import decision_event

__all__ = ["Proposed", "WriteCall", "cancel_pending", "decision_event", "propose"]
