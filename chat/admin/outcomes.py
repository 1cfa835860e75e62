"""How calls of models ended, in words."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from chat.spending import crashed

OUTCOMES: dict[str, Promise] = {
    "complete": _("complete"),
    "stopped": _("stopped"),
    crashed.OUTCOME: _("crashed"),
    "rate_limit": _("too many requests"),
    "server_error": _("service failed"),
    "auth_error": _("key refused"),
    "timeout": _("timed out"),
    "network": _("connection lost"),
    "content_filter": _("filtered"),
    "context_length": _("too long"),
    "internal": _("unexpected error"),
}


def shown(outcome: str) -> str:
    return str(OUTCOMES.get(outcome, outcome))
