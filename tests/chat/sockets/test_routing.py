"""Where the sockets are: Channels' routing, consumers that use no channel layer, and nothing elsewhere."""

import asyncio

import channels.consumer
import pytest
from channels.layers import InMemoryChannelLayer
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import User
from pytest_django import Settings

from chat.concurrency.database import in_db
from chat.sockets.consumers import ChatConsumer
from chat.sockets.room_consumers import GraphConsumer, ObjectConsumer
from chat.sockets.routing import websocket_urlpatterns
from config.asgi import application
from graphs.models import Graph
from graphs.site.api import tokens
from tests.chat.inprocess import PATIENCE_S, opened, run

pytestmark = pytest.mark.django_db(transaction=True)

HOST = [(b"host", b"testserver")]
NOWHERE = [
    *("/", "/ws/", "/ws/chat", "/ws/chat/x/", "/ws/chats/", "/ws/chat/\n", "/ws/graphs/", "/ws/graphs//"),
    *("/ws/graphs/nba", "/ws/graphs/a/b/", "/ws/graphs/nba/\n", "/api/v1/streams/sse", "/x/ws/chat/"),
    *("//ws/chat/", "///ws/graphs/nba/"),
]


@pytest.mark.parametrize("path", NOWHERE)
def test_it_refuses_the_handshake_where_nothing_is(path: str) -> None:
    async def test() -> None:
        async with opened(path=path) as socket:
            assert (socket.accepted, socket.close_code, socket.received) == (False, None, [])

    asyncio.run(test())


def test_addresses_lead_to_consumers() -> None:
    assert isinstance(application, ProtocolTypeRouter)
    assert all(isinstance(application.application_mapping[protocol], URLRouter) for protocol in ("http", "websocket"))
    consumers = [getattr(each.callback, "consumer_class", None) for each in websocket_urlpatterns]
    assert consumers == [ChatConsumer, GraphConsumer, ObjectConsumer, None]


@pytest.mark.parametrize("key", ["nba", "50% & more", "ключ"])
def test_a_consumer_opens_the_graph_that_its_route_names(alice: User, nba: Graph, key: str) -> None:
    Graph.objects.filter(pk=nba.pk).update(key=key)
    token = tokens.issue(alice).access

    async def test() -> None:
        communicator = WebsocketCommunicator(GraphConsumer.as_asgi(), "/anywhere/", HOST)
        communicator.scope["url_route"] = {"args": (), "kwargs": {"key": key}}
        assert await communicator.connect(PATIENCE_S) == (True, None)
        await communicator.send_json_to({"type": "graph:authenticate", "_id": 1, "token": token})
        assert await communicator.receive_json_from(PATIENCE_S) == {"type": "graph:authenticated", "_id": 1}
        assert (await communicator.receive_json_from(PATIENCE_S))["type"] == "graph:opened"
        assert (await communicator.receive_json_from(PATIENCE_S))["type"] == "graph:presence"
        await communicator.disconnect(timeout=PATIENCE_S)

    run(test)


def test_a_consumer_asks_for_no_channel_layer(alice: User, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if one is configured: an idle socket would pay for it, and a token go through it."""
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
    asked: list[str] = []

    def ask(alias: str) -> InMemoryChannelLayer:
        asked.append(alias)
        return InMemoryChannelLayer()

    monkeypatch.setattr(channels.consumer, "get_channel_layer", ask)

    async def test() -> None:
        token = (await in_db(tokens.issue, alice)).access
        communicator = WebsocketCommunicator(application, "/ws/chat/", HOST)
        assert await communicator.connect(PATIENCE_S) == (True, None)
        await communicator.send_json_to({"type": "ai:authenticate", "_id": 1, "token": token})
        assert await communicator.receive_json_from(PATIENCE_S) == {"type": "ai:authenticated", "_id": 1}
        await communicator.disconnect(timeout=PATIENCE_S)

    asyncio.run(test())
    assert asked == []
