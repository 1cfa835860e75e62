"""The ASGI application: the sockets of chat and graphs, server-sent events, static files, and Django for the rest."""

import os
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.core.asgi import get_asgi_application

_django = get_asgi_application()

from django.contrib.staticfiles.handlers import ASGIStaticFilesHandler  # noqa: E402
from django.core.exceptions import SuspiciousOperation  # noqa: E402
from django.http import FileResponse, Http404, HttpRequest, HttpResponse  # noqa: E402

from chat.sockets.consumers import GRAPHS, chat_socket, graph_socket  # noqa: E402
from chat.web.sse import sse  # noqa: E402
from chat.web.waiting import WaitForRun  # noqa: E402


class StaticFiles(ASGIStaticFilesHandler):
    """Answers an address that leads out of the static files like any other that leads nowhere."""

    def serve(self, request: HttpRequest) -> HttpResponse | FileResponse:
        try:
            return super().serve(request)
        except SuspiciousOperation as error:
            raise Http404 from error


_behind_static_files: Any = WaitForRun(_django)
_pages = StaticFiles(_behind_static_files)


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Routes what streams before Django, where each open connection would hold a thread."""
    scope["root_path"] = ""  # Daphne takes it from a header that any client can send.
    match scope["type"], scope.get("path"):
        case "websocket", "/ws/chat/":
            await chat_socket(scope, receive, send)
        case "websocket", str(path) if path.startswith(GRAPHS) and path.count("/") == 4 and path.endswith("/"):
            await graph_socket(scope, receive, send)
        case "websocket", _:
            await receive()
            await send({"type": "websocket.close"})
        case "http", "/api/v1/streams/sse":
            await sse(scope, receive, send)
        case "http", _:
            await _pages(scope, receive, send)
