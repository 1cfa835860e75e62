"""Response headers that neither Django nor the content security policy sets."""

from django.http import HttpRequest, HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

PERMISSIONS = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"


class PermissionsPolicyMiddleware(MiddlewareMixin):
    """No page of ours, and nothing embedded in one, uses devices of the reader."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        return response
