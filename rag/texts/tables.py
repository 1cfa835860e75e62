"""Writes rows as text for a model: grouped or not, in TOON or in compact JSON, whichever takes the fewest tokens.

A table is `{name: entries}`; an entry is a row, or a group: what its rows have in common, and under `rows` the rest of
each, or `paths` along which each key leads to the next, if that rest is `source` and `target`. None fills holes.
"""

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from typing import Any

from toons import dumps as to_toon
from toons import loads as from_toon

from rag.texts.paths import paths
from rag.texts.tokens import count_tokens, tokens_by_row

Row = Mapping[str, Any]

#: Where a group keeps its rows or the paths that they make; no row has a column of this name.
ROWS = "rows"
PATHS = "paths"
#: The columns of which a path is made.
ENDS = ("source", "target")
#: Smaller groups may stand together in one table.
WORTH_A_HEADING = 3
#: Of the ways in which a table can be written so many are counted: those with the fewest characters, none of them
#: longer than the shortest by more than this: 0.005 % more tokens in 1,194 contexts of real graphs, half the counts.
COUNTED = 3
HARDLY_LONGER = 1.2
#: What a model is told of tables.
HOW_TO_READ = (
    "Tables are TOON (name[rows]{columns}:, one row a line) or JSON; what is beside `rows` or `paths` holds for each, "
    "along a path each key has an edge to the next, null is nothing; a node without a name has its key for one."
)
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def encode_tables(tables: Mapping[str, Sequence[Row]], by: Mapping[str, Sequence[str]]) -> str:
    """The tables with the fewest tokens: as JSON, as TOON, or grouped by the columns `by` of their table."""
    kept = {
        name: [{column: value for column, value in row.items() if value is not None} for row in rows]
        for name, rows in tables.items()
        if rows
    }
    each = "\n".join(
        _shortest(_likely(_ways(name, rows, by.get(name, ()))), tokens_by_row) for name, rows in kept.items()
    )
    return _shortest([each, to_toon(kept), as_json(kept)], tokens_by_row)


def encode(record: Row) -> str:
    """A record in compact JSON or in TOON, whichever takes fewer tokens."""
    return _shortest([as_json(record), to_toon(record)], count_tokens) if record else "{}"


def decode(text: str) -> Any:
    """The record that `encode` was given."""
    return json.loads(text) if text.startswith("{") else from_toon(text)


def as_json(value: Any) -> str:
    return _JSON.encode(value)


def _shortest(texts: Iterable[str], count: Callable[[str], int]) -> str:
    different = list(dict.fromkeys(texts))
    return min(different, key=count) if len(different) > 1 else different[0]


def _likely(ways: Iterable[str]) -> list[str]:
    """The ways that may take the fewest tokens."""
    shortest = nsmallest(COUNTED, dict.fromkeys(ways), key=len)
    return [way for way in shortest if len(way) <= HARDLY_LONGER * len(shortest[0])]


def _ways(name: str, rows: Sequence[Row], by: Sequence[str]) -> Iterator[str]:
    """The ways in which a table can be written: whole, or with rows grouped that are alike."""
    yield as_json({name: rows})
    yield to_toon({name: rows})
    yield to_toon({name: _filled(rows)})
    alike: dict[Hashable, list[Row]] = {}
    for row in rows:
        alike.setdefault(_key(tuple(map(row.get, by))), []).append(row)
    groups = list(alike.values())
    for some in (groups, _with_rest(groups)):
        for entries in _entries(some):
            yield as_json({name: entries})
            yield to_toon({name: entries})


def _entries(groups: Sequence[list[Row]]) -> Iterator[list[Row]]:
    """The groups with their rows; then, if some can be, as paths."""
    entries = [_group(group) for group in groups]
    yield entries
    if any(map(_is_pairs, entries)):
        yield [_along_paths(entry) if _is_pairs(entry) else entry for entry in entries]


def _with_rest(groups: Sequence[list[Row]]) -> list[list[Row]]:
    """The groups that are worth a heading, and the rows of all others as the last one."""
    rest = [row for group in groups if len(group) < WORTH_A_HEADING for row in group]
    return [*(group for group in groups if len(group) >= WORTH_A_HEADING), *([rest] if rest else [])]


def _group(rows: Sequence[Row]) -> Row:
    """What the rows have in common, and the rest of each; a row alone is itself."""
    if len(rows) == 1:
        return rows[0]
    common = {
        column: value
        for column, value in rows[0].items()
        if all(column in row and _is_same(row[column], value) for row in rows[1:])
    }
    rest = [{column: row[column] for column in row if column not in common} for row in rows]
    return {**common, ROWS: _filled(rest)}


def _key(values: tuple[Any, ...]) -> Hashable:
    """What rows have in common that are alike. JSON only where it is needed, as below: most values are texts."""
    return values if all(value is None or type(value) is str for value in values) else as_json(values)


def _is_same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON."""
    if type(one) is str and type(other) is str:
        return one == other
    return as_json(one) == as_json(other)


def _filled(rows: Sequence[Row]) -> list[Row]:
    """The rows, each with all columns of all of them in one order: what TOON writes as a table."""
    columns = dict.fromkeys(column for row in rows for column in row)
    return [{column: row.get(column) for column in columns} for row in rows]


def _is_pairs(entry: Row) -> bool:
    return all(
        row.keys() == {*ENDS} and all(isinstance(end, str) for end in row.values()) for row in entry.get(ROWS, [{}])
    )


def _along_paths(group: Row) -> Row:
    pairs_of_rows = [(row[ENDS[0]], row[ENDS[1]]) for row in group[ROWS]]
    return {**{column: value for column, value in group.items() if column != ROWS}, PATHS: paths(pairs_of_rows)}
