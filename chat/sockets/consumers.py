"""The doors of the WebSockets: `/ws/chat/`, and `/ws/graphs/<key>/` of those who edit a graph live."""

from collections.abc import Awaitable, Callable
from typing import Any

from chat.sockets.commands import Commands
from chat.sockets.connection import Connection, close_all
from chat.sockets.graph_commands import GraphCommands
from chat.sockets.subscriptions import Subscriptions
from chat.sockets.wire import RESTARTING, Wire

__all__ = ["GRAPHS", "RESTARTING", "chat_socket", "close_all", "graph_socket"]

#: Where the addresses of graphs' sockets begin; the key and a slash follow.
GRAPHS = "/ws/graphs/"
Receive = Callable[[], Awaitable[Any]]


async def chat_socket(scope: dict[str, Any], receive: Receive, send: Any) -> None:
    """The ASGI application of `/ws/chat/`."""
    wire = Wire(send, "ai")

    def desk(connection: Connection, workspace: str) -> Commands:
        return Commands(wire, Subscriptions(wire, connection.close), workspace)

    await Connection(scope, receive, wire, desk).serve(scope["headers"])


async def graph_socket(scope: dict[str, Any], receive: Receive, send: Any) -> None:
    """The ASGI application of `/ws/graphs/<key>/`."""
    wire = Wire(send, "graph")
    key = scope["path"].removeprefix(GRAPHS).removesuffix("/")

    def desk(connection: Connection, workspace: str) -> GraphCommands:
        return GraphCommands(wire, connection.close, workspace, key)

    await Connection(scope, receive, wire, desk).serve(scope["headers"])
