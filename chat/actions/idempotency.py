"""Requests that name themselves: the same key and body give the same answer, and a second one waits for the first."""

import hashlib
import json
from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils.translation import gettext as _

from chat.actions.refusals import Refused
from chat.models import IdempotencyKey

_RESERVE = """
INSERT INTO chat_idempotencykey (user_id, key, body_digest) VALUES (%s, %s, %s)
ON CONFLICT (user_id, key) DO NOTHING
"""


def once(user: User, key: str | None, body: Any, act: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """`act()`, or its earlier answer for the same key and body; raises `Refused` when the body is another one.

    A request in flight holds its key in its transaction: the database makes the second one wait. Of the key only a
    digest is kept: whoever knows it can ask for the answer.
    """
    if not key:
        return act()
    key = _digest(key)
    digest = _digest(json.dumps(body, sort_keys=True))
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(_RESERVE, [user.pk, key, digest])
            first = cursor.rowcount == 1
        kept = IdempotencyKey.objects.get(user=user, key=key)
        if first:
            kept.answer = act()
            kept.save(update_fields=["answer"])
        elif kept.body_digest != digest:
            raise Refused("idempotency_key", _("This Idempotency-Key was used for another request. Use a new one."))
    return dict(kept.answer or {})


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
