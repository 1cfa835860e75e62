"""Where a conversation that is too long is cut: between messages, or rounds of the answer under way. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

#: Of the room for a prompt, how much may be full after a cut; the rest is for what comes.
FILLED_AFTER = 0.5
#: Of the room, how much a summary may take, and how many tokens at most.
SUMMARY_SHARE = 0.125
MAX_SUMMARY_TOKENS = 2_000
#: Of a model's window, how much a prompt may take; what is counted here is not what the vendor counts.
WINDOW_SHARE = 0.75


@dataclass(frozen=True, slots=True)
class Section:
    """A message at `sequence`, or round number `round` of the answer there.

    The history may be cut before a message that `asks`. A message `stays` if it was pinned or is being answered. Its
    tokens include those of the `records` that were sent with it, which move to level 2 if it lies before the cut.
    """

    sequence: int
    tokens: int
    asks: bool = False
    stays: bool = False
    records: int = 0
    round: int | None = None


@dataclass(frozen=True, slots=True)
class HistoryCut:
    """What is summarised: all before `sequence` but those `kept`, and the first `rounds` rounds of the answer there."""

    sequence: int
    rounds: int
    kept: tuple[int, ...]
    tokens_after: int


def room_for_prompt(window: int, max_tokens: int) -> int:
    """Tokens that a prompt may take of a model's window, beside what the model may write."""
    return max(min(int(window * WINDOW_SHARE), window - max_tokens), 0)


def summary_room(room: int) -> int:
    """Tokens that a summary may take."""
    return min(int(room * SUMMARY_SHARE), MAX_SUMMARY_TOKENS)


def cut_history(parts: Sequence[Section], fixed: int, room: int, records: int = 0) -> HistoryCut | None:
    """The earliest cut after which enough is free, else the last one that fits; None if nothing helps.

    `fixed` are the tokens of what is always sent: level 1, the tools; `records` those of level 2. A section that
    `stays` keeps its tokens.
    """
    now = max((number for number, part in enumerate(parts) if part.asks), default=len(parts))
    candidates = [n for n, part in enumerate(parts) if n > 0 and (part.asks or n > now)]
    last: HistoryCut | None = None
    for index in candidates:
        staying = [part for part in parts[:index] if part.stays]
        level_2 = next((part.records for part in reversed(parts[:index]) if part.records), records)
        left = sum(part.tokens - part.records for part in staying) + sum(part.tokens for part in parts[index:])
        after = fixed + level_2 + summary_room(room) + left
        if len(staying) == index or after > room:
            continue
        first = parts[index]
        kept = tuple(part.sequence for part in staying)
        last = HistoryCut(first.sequence, first.round or 0, kept, after)
        if after <= room * FILLED_AFTER:
            return last
    return last
