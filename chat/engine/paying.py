"""A call and its budgets: set aside before it, given back if it is not made."""

import uuid

from chat.concurrency.database import in_db, in_tool_thread
from chat.engine.calling import LiveCall
from chat.spending.calls import CallCost, bound_of, counted
from chat.spending.refusing import BudgetRefused
from chat.spending.reserving import reserve
from chat.spending.settling import release
from graphs.site.accounts import Account


async def set_aside(call: LiveCall, account: Account) -> None:
    """Reserves the most that the call can take, counting tokens if bytes do not fit. Raises `BudgetRefused`."""
    call.reservation = uuid.uuid4()  # made here, so that a call that is stopped meanwhile can be given back
    asked = call.config, call.request, call.purpose
    try:
        try:
            reserved = await in_db.until_done(reserve, account, bound_of(*asked), call.reservation)
        except BudgetRefused:
            closer = await in_tool_thread(bound_of, *asked, counted)
            reserved = await in_db.until_done(reserve, account, closer, call.reservation)
    except BudgetRefused:
        call.reservation = None
        raise
    if not reserved:
        call.reservation = None


async def costs_of(call: LiveCall) -> list[CallCost]:
    """What is to be recorded of a call that is over; what was set aside for one that never began is given back."""
    costs = call.costs()
    if not costs and call.reservation is not None:
        await in_db.until_done(release, call.reservation)
    return costs
