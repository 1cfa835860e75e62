"""What a decision means for its conversation: the open call gets its result; after the last one the model goes on."""

from collections.abc import Sequence

from chat.actions import Accepted
from chat.events.append import append
from chat.events.vocabulary import NewEvent
from chat.models import Proposal, Session


def settle(session: Session, proposals: Sequence[Proposal], told: Sequence[NewEvent]) -> Accepted | None:
    """Takes proposals of one session that are decided into it, and tells its readers; returns the run that goes on.

    The caller holds the session's row and does nothing in its transaction after this.
    """
    append(session.stream_id, list(told))
    return None
