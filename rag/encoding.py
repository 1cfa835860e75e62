"""Rows as text for a model: TOON where that is shorter than compact JSON. Called by the prompts and `dump_context`."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from toon_format import encode

#: About this many characters make a token; good enough to compare two encodings of the same rows.
CHARACTERS_PER_TOKEN = 4


def encode_rows(name: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows under their name: the shorter of TOON (uniform rows become a table) and compact JSON."""
    as_json = json.dumps({name: rows}, ensure_ascii=False, separators=(",", ":"))
    return min(encode({name: rows}), as_json, key=len)


def without_empty_columns(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows without the columns that are empty in all of them."""
    used = {column for row in rows for column, value in row.items() if value not in ("", None)}
    return [{column: value for column, value in row.items() if column in used} for row in rows]


def estimated_tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)
