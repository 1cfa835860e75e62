"""Reads when a vendor may be asked again. Headers that make no sense are ignored."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds from `retry-after-ms` or `Retry-After` (a number or a date); None if neither is usable."""
    milliseconds, value = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        seconds = float(milliseconds) / 1000 if milliseconds else float(value or "nan")
    except ValueError:
        seconds = _until(value or "", headers.get("date", ""))
    return seconds if 0 <= seconds < float("inf") else None


def _until(date: str, now: str) -> float:
    """Seconds until a date, by the clock of the vendor if it sent its time; NaN for no date."""
    if (when := _moment(date)) is None:
        return float("nan")
    return max(0.0, (when - (_moment(now) or datetime.now(UTC))).total_seconds())


def _moment(date: str) -> datetime | None:
    try:
        when = parsedate_to_datetime(date)
    except (ValueError, OverflowError):
        return None
    return when if when.tzinfo else when.replace(tzinfo=UTC)
