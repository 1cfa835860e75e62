"""How often a person may write through the API: every door counts, unless it has a limit of its own."""

from typing import TYPE_CHECKING

from django.conf import settings
from django.utils.functional import cached_property
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from graphs.site.api import limits

if TYPE_CHECKING:
    from rest_framework.views import APIView  # which imports this module

_READING = frozenset({"GET", "HEAD", "OPTIONS"})


class WriteThrottle(BaseThrottle):
    """LIMIT_WRITES for what writes, and for the dear ones of them a limit of their own, which `limited_as` names."""

    def allow_request(self, request: Request, view: "APIView") -> bool:
        if request.method in _READING or request.user is None or not request.user.is_authenticated:
            return True
        what = getattr(view, "limited_as", "writes")
        limits.require(what, str(request.user.pk), self._rates[what])
        return True

    def wait(self) -> None:
        """Says nothing: who has to wait was told with the refusal."""

    @cached_property
    def _rates(self) -> dict[str, str]:
        return {
            "writes": settings.LIMIT_WRITES,
            "imports": settings.LIMIT_IMPORTS,
            "rollbacks": settings.LIMIT_ROLLBACKS,
        }
