"""Calls of a model beside an answer, such as a summary of what came before: one request, one reply, nothing shown.

`ask_aside` is the one function for them. It reserves under the same budgets as an answer, makes the call with the same
circuit and the same repeated attempts, and records every attempt as a `ModelCall` with its purpose:

    reply = await ask_aside(run.account, config, request, Purpose.SUMMARY, answer.emit_costs)

It writes in transactions of its own, so its caller holds none.
"""

from collections.abc import Awaitable, Callable, Sequence

from chat.concurrency.database import in_db
from chat.engine import calling, paying, telemetry
from chat.models import Purpose
from chat.providers.base import ModelRequest, Piece, ProviderConfig, Reply
from chat.sent_requests.keeping import KeptRequest
from chat.spending.calls import CallCost
from chat.spending.refusing import BudgetRefused
from chat.spending.settling import record_costs_now
from graphs.site.accounts import Account

#: Gets what the attempts cost, once that is recorded.
EmitCosts = Callable[[Sequence[CallCost]], Awaitable[None]]


async def ask_aside(
    account: Account, config: ProviderConfig, request: ModelRequest, purpose: Purpose, emit: EmitCosts
) -> Reply:
    """The whole reply, at the cost of the same budgets. Raises `ProviderError`, `BudgetRefused`. For no transaction."""
    call = calling.LiveCall(config, request, purpose=purpose, sent=KeptRequest(config, request, round=0))
    try:
        await paying.set_aside(call, account)
        with telemetry.of_call(call):
            await calling.perform(call, _show_nobody, account.workspace_id)
    except BudgetRefused:
        telemetry.unpaid(call)
        raise
    finally:
        if costs := await paying.costs_of(call):
            telemetry.costs(costs)
            await in_db.until_done(record_costs_now, account, costs)
            await emit(costs)
    if call.error is not None:
        raise call.error
    return call.reply


async def _show_nobody(_piece: Piece) -> None:
    """Shows a piece to nobody."""
