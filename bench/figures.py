"""The arithmetic: percentiles, the steady part of a run, medians over rounds."""

import math
import statistics
from collections.abc import Iterable, Sequence


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that at least `percent` % of all values do not exceed; NaN for none."""
    if not values:
        return math.nan
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def delays_ms(tokens: Iterable[Sequence[int]]) -> list[float]:
    """Arrival minus sending of each (sent, arrived) in ns."""
    return [(arrived - sent) / 1e6 for sent, arrived in tokens]


def sent_within(tokens: Iterable[Sequence[int]], start_ns: int, end_ns: int) -> list[Sequence[int]]:
    return [token for token in tokens if start_ns <= token[0] < end_ns]


def median(values: Iterable[float]) -> float:
    """The middle one; NaN for none."""
    kept = [value for value in values if not math.isnan(value)]
    return statistics.median(kept) if kept else math.nan


def ratio(value: float, beside: float) -> float:
    """NaN where there is nothing to divide by."""
    return value / beside if beside and not math.isnan(beside) else math.nan
