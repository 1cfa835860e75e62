"""A message of a conversation as prompts read it: all of them are read for each question, so it is no model."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from chat.models import Message, Round


class EarlierMessage(NamedTuple):
    """What a prompt needs of a `Message`; the names are those of its columns."""

    id: UUID
    sequence: int
    role: str
    kind: str
    content: str
    retrieved: str
    records: str
    model: str
    prompt_version: str
    in_prompt: str
    exclude_from_prompt: bool
    author_id: int | None
    rounds: Sequence[Round]

    @classmethod
    def of_row(cls, row: Sequence[Any]) -> "EarlierMessage":
        """The message of a row with `COLUMNS`; the rounds, which come last, are JSON."""
        *columns, rounds = row
        return cls._make([*columns, () if rounds == "[]" else tuple(map(Round.from_json, json.loads(rounds)))])

    @classmethod
    def of(cls, message: Message) -> "EarlierMessage":
        """The columns of a message that is in memory, as its row would give them."""
        read = cls._make(getattr(message, name) for name in COLUMNS)
        return read._replace(role=str(read.role), in_prompt=str(read.in_prompt), rounds=tuple(read.rounds))


COLUMNS = EarlierMessage._fields
