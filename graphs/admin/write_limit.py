"""What staff write in the administration is counted as what they write elsewhere."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

from graphs.site import error_pages
from graphs.site.api import limits

_READ = ("GET", "HEAD", "OPTIONS")


class WriteLimitMiddleware(MiddlewareMixin):
    """Answers 429 to who writes too much through any page of the admin, Django's own among them."""

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponse | None:
        match = request.resolver_match
        if request.method in _READ or match is None or "admin" not in match.namespaces:
            return None
        if not request.user.is_authenticated:
            return None
        wait = limits.take("writes", str(request.user.pk), settings.LIMIT_WRITES)
        return error_pages.throttled(request, limits.throttled(wait, "writes")) if wait else None
