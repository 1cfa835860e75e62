"""What a process keeps of conversations from question to question, and by what it sees that nobody changed it.

Decision 36. PostgreSQL changes no row in place: who writes one makes another, elsewhere or in a transaction with
another number. `STAMP` is number and place. The statement that reads what is new compares the stamps of all that is
kept in the same moment, and reads everything if one differs, or if a message more or less is there.
"""

import json
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

Digest = bytes
#: Of a row `m` of `chat_message`.
STAMP = "m.xmin::text || m.ctid::text"
#: When the server started: what is restored from a backup counts its transactions from there once more.
SERVER = "extract(epoch FROM pg_postmaster_start_time())::text"
#: Numbers of transactions come again after 2^32 of them, which takes longer than this.
UNSEEN_S = 3_600
#: What all conversations of a process may take.
MOST_BYTES = 16_000_000
#: What a conversation takes beside its messages and entries: the tools and the parameters of its request.
_CONVERSATION_BYTES = 32_000
#: What a message takes beside its texts: rows, entries and digests.
_MESSAGE_BYTES = 2_500
#: What a round or a call takes beside its values, with the entry that is sent of it.
_ROUND_BYTES = 800
#: What a number that was read takes more than it says.
_MORE_BYTES = 8
#: What an entry of a request takes beside its item: its digest, and that of the one before in `_sent_bytes`.
_ENTRY_BYTES = 400


@dataclass(frozen=True, slots=True)
class KeptMessages:
    """The messages of a conversation up to position `to`, as they were at `seen`, and what was made of them.

    `stamps` are `SERVER` and the stamp of each. `sent` and `last_request` are filled by who makes prompts and requests,
    and believed only as far as they are of these messages, or say the same. `_sent_bytes` are the bytes of the entries
    of the latter by their digests, which stand for their JSON and all before.
    """

    messages: tuple[EarlierMessage, ...] = ()
    stamps: str = ""
    to: int = -1
    bytes: int = _CONVERSATION_BYTES
    seen: float = field(default_factory=time.monotonic)
    sent: dict[int, SentMessage] = field(default_factory=dict)
    last_request: LastRequest = field(default_factory=LastRequest)
    _sent_bytes: dict[Digest, int] = field(default_factory=dict, compare=False, repr=False)

    @property
    def taken(self) -> int:
        """Bytes that all of it takes, at most. Reads what was sent since; each entry of a request is measured once."""
        layout = self.last_request.layout
        entries = layout.entries if layout else ()
        if entries[-1:] and next(reversed(self._sent_bytes), None) != entries[-1].digest:
            known = dict(self._sent_bytes)
            self._sent_bytes.clear()
            self._sent_bytes.update(
                (each.digest, known.get(each.digest) or _bytes_of_entry(each.item)) for each in entries
            )
        return self.bytes + sum(self._sent_bytes.values())

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
            bytes=self.bytes + sum(map(_bytes_of_message, new[:count])),
            sent=self.sent,
            last_request=self.last_request,
            _sent_bytes=self._sent_bytes,
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
        taken = sum(each.taken for each in _kept.values())
        while taken > MOST_BYTES:
            _, forgotten = _kept.popitem(last=False)
            taken -= forgotten.taken


def forget_all() -> None:
    with _lock:
        _kept.clear()


def _bytes_of_message(message: EarlierMessage) -> int:
    """Texts are kept as columns, and once more as they are sent; those of rounds are the same. Names are read once."""
    taken = _MESSAGE_BYTES + 2 * sum(getsizeof(value) for value in message if isinstance(value, str))
    names: dict[str, Any] = {}
    for round_ in message.rounds:
        texts = (round_.text, round_.reasoning, round_.vendor, round_.model)
        taken += _ROUND_BYTES + _bytes_of([*texts, *round_.vendor_blocks], names)
        for call in round_.calls:
            told = (call.id, call.name, call.status, call.arguments, call.model_text)
            taken += _ROUND_BYTES + _bytes_of([*told, call.args, call.result], names)
            if call.model_text is None:  # written anew, as text
                taken += 4 * len(json.dumps(call.result, ensure_ascii=False))
    return taken + sum(map(getsizeof, names))


def _bytes_of_entry(item: Any) -> int:
    """What an entry of a request takes; its JSON was read in several parts, so names may be there more than once."""
    return _ENTRY_BYTES + _bytes_of([item])


def _bytes_of(values: list[Any], names: dict[str, Any] | None = None) -> int:
    """What JSON takes, however deep; names of objects are counted, or noted in `names`."""
    taken, left = 0, values
    while left:
        value = left.pop()
        taken += getsizeof(value) + _MORE_BYTES
        if isinstance(value, dict):
            left += value.values()
            if names is None:
                taken += sum(map(getsizeof, value))
            else:
                names |= value
        elif isinstance(value, list):
            left += value
    return taken
