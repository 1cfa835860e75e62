"""Folded rows: many adjacent deltas of a run as one row, and the events it stands for.

`compaction` makes them; readers get the original events. A folded row stands at the number of its last event, so that
whoever asks for what comes after a number finds the row that holds it. Its data is the joined text as `delta`, and

    folded: {"count": 3, "sizes": "4 5 3", "gaps": "0 20113 19870"}

with the length of each delta in characters and the microseconds since the one before it.
"""

import json
import uuid
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Any, NamedTuple

from chat.events.vocabulary import EVENT_VERSION, STORED, EventType, StoredEvent

#: What a `Row` is made of; `e` is `chat_streamevent`.
COLUMNS = "e.stream_id, e.sequence, e.version, e.type, e.data::text, e.message_id, e.run_id, e.created_at"
#: A delta whose data has this key stands for several events.
MARK = "folded"


class Row(NamedTuple):
    """A row of the log: an event, or many; `data` is JSON text."""

    stream_id: int
    sequence: int
    version: int
    type: EventType
    data: str
    message_id: uuid.UUID | None
    run_id: uuid.UUID | None
    created_at: datetime


def events_of(row: Row, after: int, limit: int) -> list[StoredEvent]:
    """Up to `limit` events of a row, 1 at least, those after a number. Raises `UnknownVersion`."""
    data = json.loads(row.data)
    if MARK in data:
        return _unfolded(row, data["delta"], data[MARK], after, limit)
    return [_event(row, row.sequence, data, row.created_at)]


def _unfolded(row: Row, text: str, folded: dict[str, Any], after: int, limit: int) -> list[StoredEvent]:
    count: int = folded["count"]
    first = row.sequence - count + 1
    ends = list(accumulate(map(int, folded["sizes"].split()), initial=0))
    times = list(accumulate(map(int, folded["gaps"].split())))
    began = row.created_at - timedelta(microseconds=times[-1])
    skipped = max(0, after + 1 - first)
    return [
        _event(row, first + i, {"delta": text[ends[i] : ends[i + 1]]}, began + timedelta(microseconds=times[i]))
        for i in range(skipped, min(skipped + limit, count))
    ]


def _event(row: Row, sequence: int, data: dict[str, Any], at: datetime) -> StoredEvent:
    type_ = row.type
    if row.version != EVENT_VERSION:
        shape = STORED.upgraded({"type": type_, "data": data}, row.version)
        type_, data = shape["type"], shape["data"]
    return StoredEvent(row.stream_id, sequence, type_, data, row.message_id, row.run_id, at)
