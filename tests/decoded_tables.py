"""Tables for a model read back, to compare them with what they were made of."""

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from toon_format import decode as from_toon

from rag.texts.tables import ENDS, PATHS, ROWS, Row


def decode_tables(text: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of every table: what `encode_tables` was given, except that rows of a group stand together."""
    lines = text.split("\n")
    entries: dict[str, list[Row]] = {}
    for line in lines:
        if line.startswith("{"):
            entries |= json.loads(line)
    if toon := "\n".join(line for line in lines if not line.startswith("{")):
        entries |= from_toon(toon)
    return {name: [row for entry in listed for row in _rows_of(entry)] for name, listed in entries.items()}


def _rows_of(entry: Row) -> Iterator[dict[str, Any]]:
    common = {column: value for column, value in entry.items() if column not in (ROWS, PATHS)}
    rows: list[Row] = [{}]
    if ROWS in entry:
        rows = entry[ROWS]
    elif PATHS in entry:
        rows = [dict(zip(ENDS, pair, strict=True)) for path in entry[PATHS] for pair in pairwise(path)]
    for row in rows:
        yield {column: value for column, value in {**common, **row}.items() if value is not None}
