"""A request that names itself: made once for each key of a person, and its answer repeated for a day."""

import hashlib
import json
from collections.abc import Callable, Mapping
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
_KEEP = "UPDATE chat_idempotencykey SET answer = %s::jsonb WHERE user_id = %s AND key = %s"


def once(user: User, key: str | None, body: Mapping[str, Any], make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What `make` gives; for a key that was used, what it gave then. `body` is all that was asked for, as JSON.

    Raises `Refused` for another body. What `make` raises forgets the key, with all of the transaction it came in.
    """
    if not key:
        return make()
    key, digest = _digest(key), _digest(json.dumps(body, sort_keys=True))
    with transaction.atomic(savepoint=False), connection.cursor() as cursor:
        cursor.execute(_RESERVE, [user.pk, key, digest])
        if cursor.rowcount == 1:
            answer = make()
            cursor.execute(_KEEP, [json.dumps(answer), user.pk, key])
            return answer
    kept = IdempotencyKey.objects.get(user=user, key=key)
    if kept.body_digest != digest:
        raise Refused("idempotency_key", _("This Idempotency-Key was used for another request. Use a new one."))
    return dict(kept.answer or {})


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
