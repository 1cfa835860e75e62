"""Reads addresses and headers: numbers, yes and no, names of objects, idempotency keys. A wrong one is a 400."""

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from graphs.site.api.problems import Problem, invalid

IDEMPOTENCY_KEY = OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER)
LONGEST_IDEMPOTENCY_KEY = 200


def number(request: Request, name: str, default: int, most: int, *, least: int = 0) -> int:
    """A number of the query string, from `least` to `most`. Raises `Problem` 400 for anything else."""
    text = request.GET.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most):
        named = {"name": name, "least": least, "most": most}
        raise invalid(name, _("“%(name)s” is a number from %(least)s to %(most)s.") % named)
    return int(text)


def truth(request: Request, name: str, *, default: bool = False) -> bool:
    """Whether a parameter says "true"; `default` without it. Raises `Problem` 400 for anything but that and "false"."""
    text = request.GET.get(name, "true" if default else "false")
    if text not in ("true", "false"):
        raise invalid(name, _("“%(name)s” is true or false.") % {"name": name})
    return text == "true"


def object_name(request: Request, name: str) -> tuple[str, str]:
    """Kind and key of the object that a parameter names; both are "" without it. Raises `Problem` 400 for no name."""
    text = request.GET.get(name, "")
    kind, _colon, key = text.partition(":")
    if text and not (kind and key and text.isprintable()):
        raise no_object_name(name)
    return kind, key


def no_object_name(name: str) -> Problem:
    return invalid(name, _("“%(name)s” names a kind and an object, for example graph:nba.") % {"name": name})


def idempotency_key(request: Request) -> str | None:
    """The idempotency key of a request. Raises `Problem` 400 for an unusable one."""
    key = request.headers.get("Idempotency-Key")
    if key is not None and not (0 < len(key) <= LONGEST_IDEMPOTENCY_KEY and key.isprintable()):
        sentence = _("Idempotency-Key has 1 to %(most)s printable characters.") % {"most": LONGEST_IDEMPOTENCY_KEY}
        raise invalid("Idempotency-Key", sentence)
    return key
