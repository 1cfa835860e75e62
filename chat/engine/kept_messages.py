"""What a process keeps of conversations from question to question, and by what it sees that nobody changed it.

Decision 36. PostgreSQL changes no row in place: who writes one makes another, elsewhere or in a transaction with
another number. `STAMP` is number and place. The statement that reads what is new compares the stamps of all that is
kept in the same moment, and reads everything if one differs, or if a message more or less is there.
"""

import time
import uuid
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from sys import getsizeof
from threading import Lock
from typing import Any

from chat.prompts.earlier import COLUMNS, EarlierMessage
from chat.prompts.window import SentMessage
from chat.sent_requests.keeping import LastRequest

#: Of a row `m` of `chat_message`.
STAMP = "m.xmin::text || m.ctid::text"
#: When the server started: what is restored from a backup counts its transactions from there once more.
SERVER = "extract(epoch FROM pg_postmaster_start_time())::text"
#: Numbers of transactions come again after 2^32 of them, which takes longer than this.
UNSEEN_S = 3_600
#: What all conversations of a process may take.
MOST_BYTES = 16_000_000
#: What a conversation takes beside its messages: the question that was asked last with its context, and the tools.
_CONVERSATION_BYTES = 32_000
#: What a message takes beside its texts: rows, entries and digests.
_MESSAGE_BYTES = 2_500


@dataclass(frozen=True, slots=True)
class KeptMessages:
    """The messages of a conversation up to position `to`, as they were at `seen`, and what was made of them.

    `stamps` are `SERVER` and the stamp of each. `sent` and `last_request` are filled by who makes prompts and requests,
    and believed only as far as they are of these messages, or say the same.
    """

    messages: tuple[EarlierMessage, ...] = ()
    stamps: str = ""
    to: int = -1
    bytes: int = _CONVERSATION_BYTES
    seen: float = field(default_factory=time.monotonic)
    sent: dict[int, SentMessage] = field(default_factory=dict)
    last_request: LastRequest = field(default_factory=LastRequest)

    def with_those_before(
        self, position: int, rows: Sequence[Sequence[Any]], new: Sequence[EarlierMessage], server: str
    ) -> "KeptMessages":
        """With the `new` messages that stand before a position; their rows have the stamp behind the columns."""
        count = sum(message.sequence < position for message in new)
        stamps = [row[len(COLUMNS)] for row in rows[:count]]
        return KeptMessages(
            messages=(*self.messages, *new[:count]),
            stamps=" ".join([self.stamps or server, *stamps]),
            to=new[count - 1].sequence if count else self.to,
            bytes=self.bytes + sum(map(_bytes_of, rows[:count])),
            sent=self.sent,
            last_request=self.last_request,
        )


_kept: OrderedDict[uuid.UUID, KeptMessages] = OrderedDict()
_lock = Lock()


def get(session_id: uuid.UUID, position: int) -> KeptMessages:
    """What is kept of a conversation for a question whose answer comes at this position; perhaps nothing."""
    with _lock:
        kept = _kept.get(session_id)
    if kept is None or kept.to >= position or time.monotonic() - kept.seen > UNSEEN_S:
        return KeptMessages()
    return kept


def put(session_id: uuid.UUID, kept: KeptMessages) -> None:
    """Keeps this of a conversation, and forgets those that were asked in longest ago where all take too much."""
    with _lock:
        _kept[session_id] = kept
        _kept.move_to_end(session_id)
        taken = sum(each.bytes for each in _kept.values())
        while taken > MOST_BYTES:
            _, forgotten = _kept.popitem(last=False)
            taken -= forgotten.bytes


def forget_all() -> None:
    with _lock:
        _kept.clear()


def _bytes_of(row: Sequence[Any]) -> int:
    """Texts are kept as columns, and once more as they are sent."""
    return _MESSAGE_BYTES + 2 * sum(getsizeof(value) for value in row if isinstance(value, str))
