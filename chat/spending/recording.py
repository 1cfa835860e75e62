"""Stores calls, what was sent for them, and the conversation's figures: one statement that reads, one that writes."""

import json
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db import connection
from django.utils import timezone

from chat.models import Purpose
from chat.sent_requests.keeping import RequestRows, rows_of
from chat.sent_requests.layout import DIGEST_BYTES, Entry
from chat.spending.calls import CallCost
from chat.spending.uses import ADVISORY_LOCK, LOCKS
from graphs.site.accounts import Account

#: What a conversation's figures count; vectors are for the graph and counted there.
OF_CONVERSATION = frozenset({Purpose.CHAT, Purpose.SUMMARY})
COUNTS = ("promptTokens", "completionTokens", "cachedTokens", "cacheWriteTokens", "reasoningTokens")

#: The digests come as one value: of a long conversation there are hundreds, and the driver writes arrays one by one.
#: How many there are PostgreSQL is not told before it plans (`SELECT` around the value): it would plan anew each time.
_STORED = f"""
ARRAY(
    SELECT digest FROM chat_requestentry
    WHERE session_id = %(session)s::uuid AND digest = ANY(ARRAY(
        SELECT substr(%(digests)s::bytea, 1 + n, {DIGEST_BYTES})
        FROM generate_series(0, (SELECT length(%(digests)s::bytea)) - 1, {DIGEST_BYTES}) AS n
    ))
)
"""  # noqa: S608 - what is inserted is a number
#: It holds the lock of `uses.present_periods`, which keeps a period that is begun meanwhile from missing these calls.
_KNOWN = f"""
SELECT ARRAY(SELECT attempt FROM chat_modelcall WHERE attempt = ANY((SELECT %(attempts)s::uuid[])::uuid[])),
    (SELECT count(*) FROM chat_sentrequest WHERE run_id = %(run)s::uuid),
    {_STORED},
    (SELECT usage FROM chat_session WHERE id = %(session)s::uuid)
FROM pg_advisory_xact_lock_shared(%(lock)s::int, %(key)s::int)
"""  # noqa: S608 - what is inserted is a number
_ENTRY = "session_id, digest, parent, position, content"
_REQUEST = "id, run_id, number, round, provider, model, parameters, head, tools, entries, marks"
_CALL = (
    "workspace_id, user_id, session_id, run_id, request_id, attempt, object, purpose, provider, model, prompt_tokens, "
    "completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, estimated, cost, price_source, "
    "latency_ms, first_token_ms, retries, outcome, created_at"
)
#: Relations that store what is new, for a statement that stores the conversation's figures besides: `USAGE`.
RECORDED = f"""
entries AS (
    INSERT INTO chat_requestentry ({_ENTRY})
    SELECT {_ENTRY} FROM jsonb_populate_recordset(NULL::chat_requestentry, %(entries)s::jsonb)
), requests AS (
    INSERT INTO chat_sentrequest ({_REQUEST})
    SELECT {_REQUEST} FROM jsonb_populate_recordset(NULL::chat_sentrequest, %(requests)s::jsonb)
), calls AS (
    INSERT INTO chat_modelcall ({_CALL})
    SELECT {_CALL} FROM jsonb_populate_recordset(NULL::chat_modelcall, %(calls)s::jsonb)
)
"""  # noqa: S608 - what is inserted are names of columns
USAGE = "usage = coalesce(%(usage)s::jsonb, usage)"
#: Whether the workspace has budgets, in which the calls have to count.
BUDGETS = "EXISTS (SELECT FROM chat_budget WHERE workspace_id = %(workspace)s)"
_RECORD = f"""
WITH {RECORDED}, counted AS (
    UPDATE chat_session SET {USAGE} WHERE id = %(session)s::uuid AND %(usage)s::jsonb IS NOT NULL
)
SELECT {BUDGETS}
"""  # noqa: S608 - what is inserted are constants


@dataclass(frozen=True, slots=True)
class Known:
    """What is stored already of calls and requests, and the conversation's figures; `requests` are all of the run.

    `new` are the entries of `rows` that are not stored.
    """

    attempts: frozenset[uuid.UUID] = frozenset()
    requests: int = 0
    new: Sequence[Entry] = ()
    usage: dict[str, Any] = field(default_factory=dict)
    rows: RequestRows = field(default_factory=RequestRows)


def known(account: Account, costs: Sequence[CallCost]) -> Known:
    """Reads it, and keeps others from beginning a period of a budget until the caller's transaction ends."""
    sent = {cost.sent.id: cost.sent for cost in costs if cost.sent}
    kept = account.session_id is not None and account.run_id is not None
    rows = rows_of(sent.values()) if kept else RequestRows()
    values = {
        "attempts": [cost.attempt for cost in costs],
        "run": account.run_id,
        "session": account.session_id,
        "digests": _digests(rows.entries),
        "lock": ADVISORY_LOCK,
        "key": account.workspace_id % LOCKS,
    }
    with connection.cursor() as cursor:
        cursor.execute(_KNOWN, values)
        attempts, requests, digests, usage = cursor.fetchone()
        stored = {bytes(digest) for digest in digests}
        asked = rows.entries
        if not rows.shows_older(stored):
            cursor.execute(f"SELECT {_STORED}", values | {"digests": _digests(rows.older)})
            stored.update(bytes(digest) for digest in cursor.fetchone()[0])
            asked += rows.older
    new = [entry for entry in asked if entry.digest not in stored]
    return Known(frozenset(attempts), requests, new, json.loads(usage or "{}"), rows)


def record(account: Account, costs: Sequence[CallCost], known: Known) -> bool:
    """Stores what is new. Returns whether the workspace has budgets, in which the calls have to count."""
    with connection.cursor() as cursor:
        cursor.execute(_RECORD, to_record(account, costs, known))
        (budgets,) = cursor.fetchone()
    return bool(budgets)


def to_record(account: Account, costs: Sequence[CallCost], known: Known) -> dict[str, Any]:
    """What is new, as the parameters of `RECORDED`, `USAGE` and `BUDGETS`."""
    ids = {cost.sent.id for cost in costs if cost.sent} & known.rows.ids
    requests = [row for row in known.rows.requests if row["id"] in ids]
    new = known.new if requests else ()
    counted = [cost for cost in costs if cost.purpose in OF_CONVERSATION]
    return {
        "entries": _json([_entry(account, entry) for entry in new]),
        "requests": _json(
            [{**row, "run_id": account.run_id, "number": known.requests + n} for n, row in enumerate(requests, 1)]
        ),
        "calls": _json(
            [_call(account, cost, cost.sent.id if cost.sent and cost.sent.id in ids else None) for cost in costs]
        ),
        "usage": _json(_usage(known.usage, counted)) if counted and account.session_id else None,
        "session": account.session_id,
        "workspace": account.workspace_id,
    }


def _digests(entries: Iterable[Entry]) -> bytes:
    return b"".join(entry.digest for entry in entries)


def _entry(account: Account, entry: Entry) -> dict[str, Any]:
    """A row of `RequestEntry`."""
    names = ("digest", "parent", "position", "content")
    return {"session_id": account.session_id, **{name: getattr(entry, name) for name in names}}


def _call(account: Account, cost: CallCost, request_id: uuid.UUID | None) -> dict[str, Any]:
    """A row of `ModelCall`."""
    of_account = {name: value for name, value in asdict(account).items() if name != "epoch"}
    return {
        **of_account,
        "request_id": request_id,
        "attempt": cost.attempt,
        "purpose": cost.purpose,
        "provider": cost.provider,
        "model": cost.model,
        **asdict(cost.usage),
        "cost": cost.cost,
        "price_source": cost.price_source,
        "latency_ms": cost.latency_ms,
        "first_token_ms": cost.first_token_ms,
        "retries": cost.retries,
        "outcome": cost.outcome,
        "created_at": timezone.now(),
    }


def _usage(usage: dict[str, Any], costs: Sequence[CallCost]) -> dict[str, Any]:
    """The conversation's figures with these. `cost` is of calls that have a price, `unpricedTokens` of the others."""
    usage = dict(usage)
    for cost in costs:
        event = cost.to_event()
        for name in COUNTS:
            usage[name] = usage.get(name, 0) + event[name]
        usage["cost"] = usage.get("cost", 0) + (event["cost"] or 0)
        if cost.cost is None:
            usage["unpricedTokens"] = usage.get("unpricedTokens", 0) + cost.tokens
        if cost.usage.estimated:
            usage["estimated"] = True
    return usage


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_as_text)


def _as_text(value: Any) -> str:
    """Ids, amounts, times and digests, as PostgreSQL reads them."""
    return f"\\x{value.hex()}" if isinstance(value, bytes) else str(value)
