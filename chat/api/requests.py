"""What the conversation's views share: calling an action, reading a number."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.utils.translation import gettext as _
from rest_framework.request import Request

from chat.refusals import Refused
from graphs.api.problems import Problem

T = TypeVar("T")
_STATUS = {"validation": 400, "conflict": 409, "idempotency_key": 422, "throttled": 429, "too_many": 429}
LONGEST_KEY = 200


def act(action: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    """Calls an action; what it refuses becomes a problem document."""
    try:
        return action(*args, **kwargs)
    except Refused as error:
        raise Problem(_STATUS[error.code], error.code, error.message) from error


def number(request: Request, name: str, default: int, most: int) -> int:
    """A number of the query string from 0 to `most`; raises `Problem` 400 for anything else."""
    text = request.GET.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 20 and int(text) <= most):
        sentence = _("“%(name)s” is a number from 0 to %(most)s.") % {"name": name, "most": most}
        raise Problem(400, "validation", sentence, errors={name: [sentence]})
    return int(text)


def idempotency_key(request: Request) -> str | None:
    key = request.headers.get("Idempotency-Key")
    if key is not None and not (0 < len(key) <= LONGEST_KEY and key.isprintable()):
        sentence = _("Idempotency-Key has 1 to %(most)s printable characters.") % {"most": LONGEST_KEY}
        raise Problem(400, "validation", sentence, errors={"Idempotency-Key": [sentence]})
    return key
