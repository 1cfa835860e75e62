"""The addresses of the sockets. Where nothing is, the handshake is answered with 403."""

from collections.abc import Awaitable, Callable
from typing import Any

from django.urls import path, re_path

from chat.sockets.consumers import ChatConsumer
from chat.sockets.room_consumers import GraphConsumer, ObjectConsumer


async def refuse(_scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Any) -> None:
    await receive()
    await send({"type": "websocket.close"})


websocket_urlpatterns = [
    path("ws/chat/", ChatConsumer.as_asgi()),
    # Any key: one that no graph can have is told what one is told that no graph has.
    path("ws/graphs/<str:key>/", GraphConsumer.as_asgi()),
    path("ws/objects/<str:type>/<str:key>/", ObjectConsumer.as_asgi()),
    re_path("", refuse),  # type: ignore[arg-type]  # Django's types know views only.
]
