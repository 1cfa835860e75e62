"""A call and its budgets: set aside before it and before another attempt, given back where none is made."""

import math
import uuid
from functools import partial

from chat.database import in_db
from chat.engine.calling import Call
from chat.engine.persisting import persistently
from chat.providers.base import Usage
from chat.spending.calls import CallCost, bound_of
from chat.spending.refusing import BudgetRefused
from chat.spending.reserving import cover, reserve
from chat.spending.settling import release
from rag.metering import Account


async def set_aside(call: Call, account: Account) -> None:
    """Raises `BudgetRefused`. The id is ours, so that a call that is stopped meanwhile can be given back."""
    call.reservation = uuid.uuid4()
    bound = bound_of(call.config, call.request, call.purpose)
    reserving = partial(in_db, reserve, account, bound, call.reservation)
    try:
        if not await persistently(reserving):
            call.reservation = None
    except BudgetRefused:
        call.reservation = None
        raise


async def set_aside_again(call: Call, failed: CallCost) -> None:
    """An attempt that the vendor may charge for needs room beside the next one. Raises `BudgetRefused`."""
    if call.reservation is None or failed.usage == Usage():
        return
    try:
        await persistently(partial(in_db, cover, call.reservation, failed))
    except BudgetRefused:
        call.started = math.inf  # the next attempt is never made
        raise


async def costs_of(call: Call) -> list[CallCost]:
    """What is to be recorded of a call that is over; what was set aside for one that never began is given back."""
    costs = call.costs()
    if not costs and call.reservation is not None:
        await persistently(partial(in_db, release, call.reservation))
    return costs
