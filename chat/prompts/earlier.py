"""A message of a conversation as prompts read it: all of them are read for each question, so it is no model."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from chat.models import Round


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


COLUMNS = EarlierMessage._fields
