"""Response headers that neither Django nor the content security policy sets, and those of answers past Django."""

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

PERMISSIONS = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"
#: What no page is loads nothing and is shown in no frame, also where a browser takes it for a page.
NO_PAGE = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
#: Only one person may see it.
UNCACHED = "private, no-store"


class SecurityHeadersMiddleware(MiddlewareMixin):
    """Gives every answer the headers that no other middleware has given it; caches keep none unless it says so."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        for name, value in (past_django(request.is_secure()) | {"Cache-Control": UNCACHED}).items():
            response.headers.setdefault(name, value)
        return response


def past_django(encrypted: bool) -> dict[str, str]:
    """The headers of an answer that no middleware sees and that is no page. Caches may keep it as it says itself."""
    headers = {
        "Content-Security-Policy": NO_PAGE,
        "Cross-Origin-Opener-Policy": str(settings.SECURE_CROSS_ORIGIN_OPENER_POLICY),
        "Permissions-Policy": PERMISSIONS,
        "Referrer-Policy": str(settings.SECURE_REFERRER_POLICY),
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": settings.X_FRAME_OPTIONS,
    }
    if encrypted and settings.SECURE_HSTS_SECONDS:
        headers["Strict-Transport-Security"] = f"max-age={settings.SECURE_HSTS_SECONDS}; includeSubDomains; preload"
    return headers
