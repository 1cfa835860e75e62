"""What stands in a query of the admin goes to the database as it is, which takes no NUL."""

from urllib.parse import unquote_to_bytes

from django.core.exceptions import BadRequest
from django.http import HttpRequest
from django.utils.deprecation import MiddlewareMixin


class CleanQueriesMiddleware(MiddlewareMixin):
    """Refuses NUL in the queries of all pages of the admin, Django's own among them."""

    def process_request(self, request: HttpRequest) -> None:
        if request.path_info.startswith("/admin/") and b"\0" in unquote_to_bytes(request.META.get("QUERY_STRING", "")):
            raise BadRequest("NUL in a query")
