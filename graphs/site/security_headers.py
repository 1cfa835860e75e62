"""Response headers that neither Django nor the content security policy sets."""

from django.http import HttpRequest, HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

PERMISSIONS = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"


class SecurityHeadersMiddleware(MiddlewareMixin):
    """Forbids pages to use devices, and caches to keep what only one person may see."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response
