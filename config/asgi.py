"""The ASGI application: the sockets of chat and graphs, server-sent events, static files, and Django for the rest."""

import os
from http import HTTPStatus
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup(set_prefix=False)

from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from django.contrib.staticfiles.handlers import ASGIStaticFilesHandler  # noqa: E402
from django.core.exceptions import SuspiciousOperation  # noqa: E402
from django.core.handlers.asgi import ASGIHandler, ASGIRequest  # noqa: E402
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed  # noqa: E402
from django.http.response import HttpResponseBase  # noqa: E402
from django.urls import path, re_path  # noqa: E402

from chat.sockets.routing import websocket_urlpatterns  # noqa: E402
from chat.web import large_answers, writing  # noqa: E402
from chat.web.sse import sse  # noqa: E402
from chat.web.waiting import WaitForRun  # noqa: E402
from graphs.site.security_headers import UNCACHED, past_django  # noqa: E402

_READING = ("GET", "HEAD")


class OneThread(ASGIHandler):
    """Runs middlewares and view, which know no asyncio, in one visit to a thread; Django's own visits it for each."""

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        assert isinstance(request, ASGIRequest)
        return await writing.in_thread(request, large_answers.making(request, self.get_response))


class StaticFiles(ASGIStaticFilesHandler):
    """Gives files to who reads; an address that leads out of them is answered like any other that leads nowhere."""

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = HttpResponseNotAllowed(_READING)
        if request.method in _READING:
            response = await super().get_response_async(request)
        headers = past_django(request.is_secure())
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            headers["Cache-Control"] = UNCACHED
        for name, value in headers.items():
            response.headers.setdefault(name, value)
        return response

    def serve(self, request: HttpRequest) -> HttpResponse | FileResponse:
        try:
            response = super().serve(request)
        except SuspiciousOperation as error:
            raise Http404 from error
        kind = response.headers.get("Content-Type", "")
        if (kind.startswith("text/") and "charset" not in kind) or kind.endswith("+xml"):
            response.headers["Content-Type"] = f"{kind}; charset=utf-8"  # all of ours, and of Django's
        return response


class OneSlash(URLRouter):
    """Takes an address that begins with several slashes, which Channels drops, to where nothing else is."""

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        if scope["path"].startswith("//"):
            return await self.routes[-1].callback(scope, receive, send)
        return await super().__call__(scope, receive, send)


#: ASGI applications, while Django's types of addresses know views only.
_events: Any = sse
_behind_static_files: Any = WaitForRun(large_answers.LargeAnswers(OneThread()))
_pages: Any = StaticFiles(_behind_static_files)

#: What streams is routed before Django, where each open connection would hold a thread.
application = ProtocolTypeRouter(
    {
        "http": OneSlash([path("api/v1/streams/sse", _events), re_path("", _pages)]),
        "websocket": OneSlash(websocket_urlpatterns),
    }
)
