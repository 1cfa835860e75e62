"""Settles calls of dead processes by estimate: those of a run when it is taken over, others every minute."""

import uuid
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, Func, IntegerField, Q, QuerySet, Subquery, Sum, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce, Now

from chat.models import ModelCall, Purpose, Reservation, Run, RunStatus, Session, StreamEvent
from chat.providers.estimating import estimated_tokens
from chat.providers.pieces import Usage
from chat.providers.provider import Price
from chat.spending.calls import CallCost, dollars
from chat.spending.settling import record_costs
from graphs.site.accounts import Account

OUTCOME = "crashed"
#: What the log has of an answer while it is written.
_WRITTEN = ("content_delta", "reasoning_delta", "tool_call_start", "tool_call_delta")


def settle_run(run_id: uuid.UUID) -> bool:
    """Settles what previous owners of a run left open; True if its last call is recorded with that, or was before.

    An owner that settled it may have died before it closed the run: then it is recorded after the last event.
    """
    if settle_all(Q(run=run_id)) > 0:
        return True
    run = Run.objects.select_related("session").get(pk=run_id)
    last_shown = _shown(run).order_by("-sequence").values("created_at")[:1]
    return ModelCall.objects.filter(run=run, outcome=OUTCOME, created_at__gte=Subquery(last_shown)).exists()


def settle_all(of: Q | None = None) -> int:
    """Settles what was left open, or `of` it some, of runs and of calls outside of runs that should be over since long.

    A run that rests, or has another owner, has no call under way; an embedding or a summary is known by its age.
    """
    left = Q(run__isnull=False) & (~Q(run__status=RunStatus.RUNNING) | Q(epoch__lt=F("run__epoch")))
    longest = timedelta(seconds=2 * settings.MODEL_CALL_TIMEOUT_S)
    dead = Reservation.objects.filter(left | Q(run=None, created_at__lt=Now() - longest), of or Q()).order_by("pk")
    return sum(_settle(reservation_id, session_id) for reservation_id, session_id in dead.values_list("pk", "session"))


def _settle(reservation_id: uuid.UUID, session_id: uuid.UUID | None) -> bool:
    """Settles one reservation; False if another process was first."""
    with transaction.atomic():
        if session_id is not None:  # it may be deleted meanwhile
            Session.objects.select_for_update(no_key=True).values_list("pk").filter(pk=session_id).first()
        held = Reservation.objects.select_related("run__session").select_for_update(of=("self",), no_key=True)
        dead = held.filter(pk=reservation_id).first()
        if dead is not None:
            account = Account(dead.workspace_id, dead.user_id, dead.session_id, dead.run_id, dead.epoch, dead.object)
            record_costs(account, [_cost(dead)])
    return dead is not None


def _cost(reservation: Reservation) -> CallCost:
    """The estimated cost, never more than was set aside."""
    written = min(estimated_tokens(_written(reservation)), reservation.tokens - reservation.prompt_tokens)
    usage = Usage(reservation.prompt_tokens, written, estimated=True)
    price = None
    if reservation.input_price is not None:
        price = Price(reservation.input_price, reservation.input_price, reservation.output_price or 0)
    return CallCost(
        provider=reservation.provider,
        model=reservation.model,
        usage=usage,
        cost=dollars(price.cost(usage)) if price else None,
        price_source=reservation.price_source,
        latency_ms=0,
        outcome=OUTCOME,
        purpose=Purpose(reservation.purpose),
        reservation=reservation.pk,
    )


def _written(reservation: Reservation) -> int:
    """The bytes that readers were shown since the call was reserved."""
    run = reservation.run
    if run is None or reservation.purpose != Purpose.CHAT:
        return 0
    # The arguments of a call come as they are written, and once more when all are known.
    written = _shown(run).exclude(type="tool_call_delta", data__has_key="args")
    shown = written.filter(created_at__gte=reservation.created_at)
    text = Coalesce(KeyTextTransform("delta", "data"), Cast("data", TextField()))
    size = Func(text, function="OCTET_LENGTH", output_field=IntegerField())
    return int(shown.order_by().aggregate(total=Sum(size))["total"] or 0)


def _shown(run: Run) -> QuerySet[StreamEvent]:
    """What readers were shown of its answer."""
    first = run.first_sequence or 0
    of_stream = StreamEvent.objects.filter(stream=run.session.stream_id, sequence__gte=first)
    return of_stream.filter(run_id=run.pk, type__in=_WRITTEN)
