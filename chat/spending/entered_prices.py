"""The prices that people entered, kept in memory: no question asks the database for them.

A process reads them as it starts, after one is entered there, and twice a minute.
"""

import asyncio
import logging
from collections.abc import Mapping
from datetime import date

from django.db import Error as DatabaseTrouble
from django.utils import timezone

from chat.concurrency.database import in_db
from chat.models import EnteredPrice
from chat.providers.provider import Price

log = logging.getLogger("countersign.spending")

EVERY_S = 30

#: By provider and model, from which day on, the latest first.
_kept: dict[tuple[str, str], list[tuple[date, Price]]] = {}


def present() -> Mapping[tuple[str, str], Price]:
    """The prices that hold today, by provider and model."""
    if not _kept:
        return {}
    today = timezone.localdate()
    held = {model: next((price for day, price in prices if day <= today), None) for model, prices in _kept.items()}
    return {model: price for model, price in held.items() if price is not None}


def read() -> None:
    """Reads all anew."""
    global _kept
    found: dict[tuple[str, str], list[tuple[date, Price]]] = {}
    for row in EnteredPrice.objects.order_by("-valid_from", "-id"):
        price = Price(float(row.input), float(row.cached_input), float(row.output), source=f"entered:{row.pk}")
        found.setdefault((row.provider, row.model), []).append((row.valid_from, price))
    _kept = found


async def read_forever() -> None:
    while True:
        await asyncio.sleep(EVERY_S)
        try:
            await in_db(read)
        except DatabaseTrouble as error:
            log.warning("prices not read, trying again: %s", type(error).__name__)
