"""A server that speaks the widget's frames and endpoints, moved by the tests event by event.

It runs in a thread of its own on a free port of the loopback. Tests call its methods from their thread; every one
returns when the server has done it. Files are served with the policy of the product's pages.
"""

import asyncio
import json
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from aiohttp import WSMsgType, web

from tests.browser import listener, turn_away
from tests.chat.widget.fake_log import FakeSession, Json
from tests.chat.widget.fake_proposals import FakeProposals

ROOT = Path(__file__).resolve().parents[3]
PAGES = Path(__file__).parent / "pages"
STATIC = {"chat": ROOT / "chat/static/chat", "graphs": ROOT / "graphs/static/graphs", "pages": PAGES}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'"
)
TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}
PAGE_SIZE = 20
WAIT_S = 30


class FakeServer:
    def __init__(self) -> None:
        self.sessions: list[FakeSession] = []
        self.links: dict[str, Json] = {}
        self.received: list[Json] = []
        self.requests: list[tuple[str, str, Json]] = []
        self.proposals = FakeProposals()
        self.models: list[Json] = [{"id": "demo", "label": "Demo"}]
        #: Refusals that answer the next frames of a type, and statuses that answer the next requests of a path.
        self.refusals: dict[str, Json] = {}
        self.failures: dict[str, int] = {}
        self.workspaces: list[str] = []
        self.accepting = True
        self.accept_chats = True
        #: The chats that came while none was accepted.
        self.dropped: list[Json] = []
        self.answers: dict[str, Json] = {}
        self.sockets: dict[web.WebSocketResponse, set[str]] = {}
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    # Called by tests.

    def start(self) -> None:
        self._thread.start()
        assert self._ready.wait(WAIT_S)

    def stop(self) -> None:
        self._do(self._shutdown)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(WAIT_S)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{listener().getsockname()[1]}"

    def session(self, title: str = "", context: str = "graph:nba", **fields: Any) -> FakeSession:
        session = FakeSession(context=context, title=title, **fields)
        self.sessions.insert(0, session)
        return session

    def emit(self, session: FakeSession, type_: str, message_id: str = "", run_id: str = "run", **data: Any) -> Json:
        """Appends an event and sends it to everyone who watches the stream."""

        async def work() -> Json:
            frame = session.append(type_, message_id, run_id, **data)
            await self._publish(frame)
            return frame

        return self._do(work)

    def send_raw(self, frame: Json) -> None:
        """Sends a frame as it is to everyone who watches its stream, stored or not."""
        self._do(lambda: self._publish(frame))

    def send_all(self, frame: Json) -> None:
        """Sends a frame that belongs to no stream to every connection."""

        async def work() -> None:
            for socket in list(self.sockets):
                await socket.send_json(frame)

        self._do(work)

    def close_all(self, code: int, reason: str = "") -> None:
        async def work() -> None:
            for socket in list(self.sockets):
                await socket.close(code=code, message=reason.encode())

        self._do(work)

    def cut_all(self) -> None:
        """Ends the connections without a closing handshake."""

        async def work() -> None:
            for socket in list(self.sockets):
                transport = socket._writer.transport if socket._writer else None
                if transport:
                    transport.abort()

        self._do(work)

    def wait_for(self, type_: str, count: int = 1) -> Json:
        """The latest frame of this type, once `count` of them have arrived."""
        return self.wait_until(lambda: (found := self.frames(type_)) and len(found) >= count and found[-1])

    def wait_until(self, condition: Callable[[], Any]) -> Any:
        deadline = time.monotonic() + WAIT_S
        while not (value := condition()):
            assert time.monotonic() < deadline, "the widget did not do it in time"
            time.sleep(0.01)
        return value

    def frames(self, type_: str) -> list[Json]:
        return [frame for frame in list(self.received) if frame["type"] == type_]

    def subscribed(self) -> list[Json]:
        """The frames that read conversations, beside that which reads the page's object."""
        return [frame for frame in self.frames("ai:subscribe") if "sessionId" in frame]

    # The server's own thread.

    def _do(self, work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        return asyncio.run_coroutine_threadsafe(work(), self._loop).result(WAIT_S)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._listen())
        self._ready.set()
        self._loop.run_forever()

    async def _listen(self) -> None:
        app = web.Application()
        app.router.add_get("/static/{area}/{path:.+}", self._static)
        app.router.add_get("/ws/chat/", self._socket)
        app.router.add_route("*", "/api/v1/chat/{path:.+}", self._api)
        app.router.add_route("*", "/api/v1/{path:.+}", self._changes_api)
        app.router.add_get("/{page}", self._page)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None)
        await self._runner.setup()
        turn_away()
        await web.SockSite(self._runner, listener().dup()).start()

    async def _shutdown(self) -> None:
        for socket in list(self.sockets):
            await socket.close()
        await self._runner.cleanup()

    async def _static(self, request: web.Request) -> web.StreamResponse:
        response = _file(STATIC[request.match_info["area"]], request.match_info["path"])
        response.headers["Cache-Control"] = "max-age=600"
        return response

    async def _page(self, request: web.Request) -> web.StreamResponse:
        response = _file(PAGES, request.match_info["page"])
        response.set_cookie("csrftoken", "the-csrf-token")
        return response

    async def _api(self, request: web.Request) -> web.StreamResponse:
        path = request.match_info["path"]
        body = await request.json() if request.can_read_body else {}
        self.requests.append((request.method, path, dict(request.headers) | {"body": body}))
        if status := self.failures.pop(path, 0):
            return web.json_response({"title": "Refused", "detail": "The server is busy."}, status=status)
        return self._answer(request, path, body)

    async def _changes_api(self, request: web.Request) -> web.StreamResponse:
        body = await request.json() if request.can_read_body else {}
        status, answer = self.proposals.answer(request.match_info["path"], request.query_string, body)
        return web.json_response(answer, status=status)

    def _answer(self, request: web.Request, path: str, body: Json) -> web.StreamResponse:
        parts = path.split("/")
        if parts == ["models"]:
            return web.json_response({"results": self.models, "default": self.models[0]["id"]})
        if parts == ["links"]:
            return web.json_response({"results": [self.links[name] for name in body["objects"] if name in self.links]})
        if parts == ["sessions"]:
            return self._list(request)
        if parts[0] == "messages" and request.method == "PATCH":
            message = next(each for session in self.sessions for each in session.messages if each["id"] == parts[1])
            message["inPrompt"] = body["inPrompt"]
            return web.json_response(message)
        if parts[0] == "messages" and request.method == "PUT":
            return web.json_response(body)
        session = next((each for each in self.sessions if each.id == parts[1]), None)
        if session is None:
            return web.json_response({"title": "Not found", "detail": "There is no such session."}, status=404)
        if parts[2:] == ["messages"]:
            return self._messages(request, session)
        if parts[2:] == ["shares"]:
            return self._shares(request, session, body)
        if request.method == "PATCH":
            session.title = body.get("title", session.title)
            session.require_validation = body.get("requireValidation", session.require_validation)
            session.model_available = session.model_available or "model" in body
            session.model = body.get("model", session.model)
            session.archived = body.get("archived", session.archived)
        if request.method == "DELETE":
            self.sessions.remove(session)
            return web.Response(status=204)
        return web.json_response(session.as_json())

    def _list(self, request: web.Request) -> web.StreamResponse:
        context = request.query.get("context", "")
        archived = request.query.get("archived") == "true"
        of_others = request.query.get("shared") == "true"
        of_list = [
            each for each in self.sessions if each.archived == archived and (each.access != "owner") == of_others
        ]
        found = [each.as_json() for each in of_list if each.context == context or not context]
        return web.json_response(_paged(found, request, forward=True))

    def _shares(self, request: web.Request, session: FakeSession, body: Json) -> web.StreamResponse:
        given = session.shares
        if request.method == "GET":
            return web.json_response(given)
        if request.method == "DELETE":
            for name in ("shares", "links"):
                given[name] = [each for each in given[name] if each["id"] != request.query["share"]]
            return web.Response(status=204)
        new = {**body, "id": str(len(self.requests)), "createdAt": session.updated_at.isoformat()}
        if "link" in body:
            given["links"].append(new)
            return web.json_response({"share": None, "link": {**new, "url": "/shared/secret/"}}, status=201)
        given["shares"] = [each for each in given["shares"] if each["user"] != body["user"]] + [new]
        return web.json_response({"share": new, "link": None}, status=201)

    def _messages(self, request: web.Request, session: FakeSession) -> web.StreamResponse:
        page = _paged(session.listed(), request, forward=False)
        place = {"streamId": session.stream, "after": session.cursor, "summary": session.summary}
        return web.json_response(page | place)

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        if not self.accepting:
            return web.Response(status=503)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.workspaces.append(request.query.get("workspace", ""))
        self.sockets[socket] = set()
        try:
            async for message in socket:
                if message.type == WSMsgType.TEXT:
                    await self._receive(socket, json.loads(message.data))
        finally:
            self.sockets.pop(socket, None)
        return socket

    async def _receive(self, socket: web.WebSocketResponse, frame: Json) -> None:
        if frame["type"] == "ai:chat" and not self.accept_chats:
            self.dropped.append(frame)
            return
        self.received.append(frame)
        if refusal := self.refusals.pop(frame["type"], None):
            await socket.send_json({"type": "ai:error", "_id": frame["_id"], **refusal})
        elif frame["type"] == "ai:chat":
            await self._chat(socket, frame)
        elif frame["type"] == "ai:subscribe":
            await self._subscribe(socket, frame)
        elif frame["type"] == "ai:unsubscribe":
            self.sockets[socket].discard(frame["stream"])
        else:
            await socket.send_json({"type": "ai:accepted", "_id": frame["_id"], "sessionId": frame.get("sessionId")})

    async def _chat(self, socket: web.WebSocketResponse, frame: Json) -> None:
        known = self.answers.get(frame["idempotencyKey"])
        session = self._session_for(known or frame)
        self.sockets[socket].add(session.stream)
        if known:
            await socket.send_json(known | {"_id": frame["_id"]})
            for event in session.events:
                await socket.send_json(event)
            return
        question = session.add_message("user", content=frame["message"])
        answer = session.add_message("assistant", "queued", run_id=f"run-{len(session.messages)}")
        session.title = session.title or frame["message"][:60]
        accepted = {
            "type": "ai:accepted",
            "sessionId": session.id,
            "userMessageId": question["id"],
            "messageId": answer["id"],
            "runId": answer["runId"],
            "stream": session.stream,
        }
        self.answers[frame["idempotencyKey"]] = accepted
        await socket.send_json(accepted | {"_id": frame["_id"]})
        await self._publish(session.append("user_message", question["id"], answer["runId"], content=frame["message"]))
        await self._publish(session.append("status", answer["id"], answer["runId"], state="queued"))
        await self._publish(session.append("session_updated", "", "", title=session.title))

    def _session_for(self, frame: Json) -> FakeSession:
        if "sessionId" in frame:
            return next(each for each in self.sessions if each.id == frame["sessionId"])
        context = frame.get("context")
        return self.session(context=f"{context['type']}:{context['id']}" if context else "")

    async def _subscribe(self, socket: web.WebSocketResponse, frame: Json) -> None:
        if "stream" in frame:
            self.sockets[socket].add(frame["stream"])
            await socket.send_json({"type": "ai:subscribed", "_id": frame["_id"], "stream": frame["stream"]})
            return
        session = next((each for each in self.sessions if each.id == frame["sessionId"]), None)
        if session is None or frame["after"] > len(session.events):
            code = "not_found" if session is None else "validation"
            await socket.send_json({"type": "ai:error", "_id": frame["_id"], "code": code, "error": "Not there."})
            return
        await socket.send_json({"type": "ai:subscribed", "_id": frame["_id"], "stream": session.stream})
        sent = frame["after"]
        while sent < len(session.events):  # also what came while a slow reader was waited for
            await socket.send_json(session.events[sent])
            sent += 1
        self.sockets[socket].add(session.stream)

    async def _publish(self, frame: Json) -> None:
        for socket, streams in list(self.sockets.items()):
            if frame["stream"] in streams and not socket.closed:
                await socket.send_json(frame)


def _file(root: Path, name: str) -> web.Response:
    path = (root / name).resolve()
    if root not in path.parents or not path.is_file():
        return web.Response(status=404)
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-store"}
    return web.Response(body=path.read_bytes(), content_type=TYPES[path.suffix], charset="utf-8", headers=headers)


def _paged(items: list[Json], request: web.Request, *, forward: bool) -> Json:
    """Forward: the first page first, `next` leads on. Backward: the last page first, `previous` leads back."""
    at = int(request.query.get("cursor", 0))
    query = dict(request.query) | {"cursor": str(at + PAGE_SIZE)}
    more = str(request.url.with_query(query)) if at + PAGE_SIZE < len(items) else None
    if forward:
        return {"results": items[at : at + PAGE_SIZE], "next": more, "previous": None}
    end = len(items) - at
    return {"results": items[max(0, end - PAGE_SIZE) : end], "next": None, "previous": more}
