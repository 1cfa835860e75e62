"""The HTTP server of the scripted vendor, on asyncio's streams so that every byte and every way of closing is ours."""

import asyncio
import contextlib
import json
import socket
import struct
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.vendors.anthropic_wire import messages_error, messages_events
from tests.vendors.embeddings_wire import embeddings_script
from tests.vendors.openai_wire import chat_error, chat_events
from tests.vendors.responses_wire import responses_events
from tests.vendors.rules import broken_rules
from tests.vendors.scenarios import scenario_of
from tests.vendors.scripts import Script

Events = Callable[[Script, str], Iterator[bytes]]
Errors = Callable[[int, str | dict[str, Any]], dict[str, Any]]
_WIRES: dict[str, tuple[Events, Errors]] = {
    "/chat/completions": (chat_events, chat_error),
    "/messages": (messages_events, messages_error),
    "/responses": (responses_events, chat_error),
    "/embeddings": (chat_events, chat_error),
}
_MAX_BODY = 64 * 1024 * 1024


@dataclass
class RecordedRequest:
    """What came, and how it ended. `disconnected` is set when the client closed before the answer was whole."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    connection: int
    received_at: float
    disconnected: threading.Event = field(default_factory=threading.Event)
    answered: threading.Event = field(default_factory=threading.Event)
    chunks_sent: int = 0

    def as_json(self) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in ("path", "headers", "body", "connection", "chunks_sent")}
        return {**plain, "disconnected": self.disconnected.is_set(), "answered": self.answered.is_set()}


class _HungUpError(Exception):
    """The script says to close the connection, or the client did."""


class VendorServer:
    """A server in a thread with a loop of its own; `with VendorServer() as vendor`. See the package's docstring.

    A `strict` one refuses, with 400, what breaks the rules of `rules.py`.
    """

    def __init__(self, port: int = 0, *, strict: bool = True) -> None:
        self._strict = strict
        self.requests: list[RecordedRequest] = []
        self._port = port
        self.answers: dict[str, list[Script]] = {}
        self._queue: deque[Script] = deque()
        self._times_seen: Counter[str] = Counter()
        self._connections = 0
        self._loop = asyncio.new_event_loop()
        self._listening = threading.Event()
        self._thread = threading.Thread(target=self._run, name="vendor", daemon=True)

    def __enter__(self) -> "VendorServer":
        self._thread.start()
        if not self._listening.wait(30):
            raise RuntimeError("the vendor's server did not start")
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def openai_url(self) -> str:
        """The base URL for the OpenAI SDK; the other one's is `anthropic_url`."""
        return f"{self.url}/v1"

    @property
    def anthropic_url(self) -> str:
        return self.url

    def script(self, *scripts: Script) -> None:
        """Queues answers, one for each of the next requests."""
        self._queue.extend(scripts)

    def reset(self) -> None:
        self._queue.clear()
        self.answers.clear()
        self._times_seen.clear()
        self.requests.clear()

    def wait_for_requests(self, count: int, timeout_s: float = 30) -> list[RecordedRequest]:
        """The requests, once there are `count`."""
        until = time.monotonic() + timeout_s
        while len(self.requests) < count and time.monotonic() < until:
            time.sleep(0.01)
        if len(self.requests) < count:
            raise AssertionError(f"{len(self.requests)} requests came, not {count}")
        return list(self.requests)

    def serve_until_stopped(self) -> None:
        """Runs in this thread until it is interrupted."""
        self._run()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        with contextlib.suppress(KeyboardInterrupt):
            self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", self._port, limit=_MAX_BODY)
        self._port = server.sockets[0].getsockname()[1]
        self._listening.set()
        await self._stop.wait()
        server.close()
        connections = asyncio.all_tasks() - {asyncio.current_task()}
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections += 1
        connection = self._connections
        try:
            while await self._one_request(reader, writer, connection):
                pass
        except (_HungUpError, ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _one_request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, connection: int) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        line, *lines = head.decode("latin-1").split("\r\n")
        method, path, _ = line.split(" ")
        headers = {name.strip().lower(): value.strip() for name, _, value in (h.partition(":") for h in lines if h)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        wire = next((wire for ending, wire in _WIRES.items() if path.endswith(ending)), None)
        if wire is None or method != "POST":
            self._control(method, path, body, writer)
            await writer.drain()
            return True
        recorded = RecordedRequest(path, headers, json.loads(body), connection, time.monotonic())
        self.requests.append(recorded)
        answer = asyncio.ensure_future(self._answer(recorded, wire, writer))
        await _watch(reader, answer, recorded)
        return True

    def _control(self, method: str, path: str, body: bytes, writer: asyncio.StreamWriter) -> None:
        status, answer = 200, b"{}"
        if (method, path) == ("GET", "/requests"):
            answer = json.dumps([request.as_json() for request in self.requests]).encode()
        elif (method, path) == ("POST", "/scripts"):
            self.script(*(Script.from_json(fields) for fields in json.loads(body)))
        elif (method, path) == ("POST", "/reset"):
            self.reset()
        else:
            status = 404
        writer.write(_head(status, "application/json", {"content-length": str(len(answer))}) + answer)

    async def _answer(
        self, recorded: RecordedRequest, wire: tuple[Events, Errors], writer: asyncio.StreamWriter
    ) -> None:
        events, errors = wire
        faults = broken_rules(recorded.path, recorded.body) if self._strict else []
        script = Script(status=400, error="; ".join(faults)) if faults else self._script_for(recorded.body)
        await asyncio.sleep(script.first_delay_s)
        if script.status != 200 and script.raw is None:
            body = json.dumps(errors(script.status, script.error)).encode()
            headers = {**script.headers, "content-length": str(len(body))}
            writer.write(_head(script.status, "application/json", headers) + body)
        else:
            await self._stream(script, events(script, str(recorded.body.get("model"))), recorded, writer)
        await writer.drain()
        recorded.answered.set()

    async def _stream(
        self, script: Script, events: Iterator[bytes], recorded: RecordedRequest, writer: asyncio.StreamWriter
    ) -> None:
        if script.raw is not None:
            events = iter(script.raw if isinstance(script.raw, tuple) else [script.raw] if script.raw else [])
        await _interrupt(script, 0, writer)
        writer.write(_head(script.status, script.content_type, {**script.headers, "transfer-encoding": "chunked"}))
        for chunk in events:
            await _interrupt(script, recorded.chunks_sent, writer)
            for part in _slices(chunk, script.slice_bytes):
                writer.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
                await writer.drain()
                if script.slice_bytes:
                    await asyncio.sleep(0)
            recorded.chunks_sent += 1
            if script.delay_s:
                await asyncio.sleep(script.delay_s)
        await _interrupt(script, recorded.chunks_sent, writer)
        writer.write(b"0\r\n\r\n")

    def _script_for(self, body: dict[str, Any]) -> Script:
        if self._queue:
            return self._queue.popleft()
        if "encoding_format" in body:
            return embeddings_script(body)
        asked, rounds = last_question(body)
        for question, scripts in self.answers.items():
            if asked.endswith(question):
                return scripts[min(rounds, len(scripts) - 1)]
        found = scenario_of(asked)
        if found is None:
            return Script(text=f"You said: {asked}")
        name, scripts = found
        self._times_seen[asked] += 1
        if name == "endless_tools" and not _may_call_tools(body):
            return Script(text="A summary without tools.")
        if name.endswith("_once") and self._times_seen[asked] > 1:
            return Script(text="It worked at the second attempt.")
        return scripts[min(rounds, len(scripts) - 1)]


async def _watch(reader: asyncio.StreamReader, answer: "asyncio.Future[None]", recorded: RecordedRequest) -> None:
    """Lets the answer run until it is whole, or until the client hangs up."""
    hung_up = asyncio.ensure_future(reader.read(1))
    try:
        await asyncio.wait({hung_up, answer}, return_when=asyncio.FIRST_COMPLETED)
        if hung_up.done() and not recorded.answered.is_set():
            recorded.disconnected.set()
    finally:
        whole = not hung_up.done()
        hung_up.cancel()
        answer.cancel()
        outcomes = await asyncio.gather(hung_up, answer, return_exceptions=True)
    if not whole or outcomes[1] is not None:
        raise _HungUpError


async def _interrupt(script: Script, chunk: int, writer: asyncio.StreamWriter) -> None:
    if script.stall_at is not None and chunk >= script.stall_at:
        await writer.drain()
        while script.goes_on is None or not script.goes_on.is_set():
            await asyncio.sleep(0.01)
    if not script.cut or chunk < script.cut_at:
        return
    if script.cut == "clean":
        if chunk == 0:
            writer.write(_head(200, script.content_type, {"transfer-encoding": "chunked"}))
        writer.write(b"0\r\n\r\n")
    await writer.drain()
    if script.cut == "reset":
        peer: socket.socket = writer.get_extra_info("socket")
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raise _HungUpError


def _may_call_tools(body: dict[str, Any]) -> bool:
    return bool(body.get("tools")) and body.get("tool_choice") not in ("none", {"type": "none"})


def last_question(body: dict[str, Any]) -> tuple[str, int]:
    """The text of the last message a user wrote, and how many answers with tool calls came since.

    A text in square brackets is a note of the engine, not a message.
    """
    messages = body.get("messages") or body.get("input") or []
    rounds, since_call = 0, False
    for message in reversed(messages):
        calls = message.get("role") == "assistant" or message.get("type") == "function_call"
        rounds += calls and not since_call
        since_call = calls
        text = _text(message.get("content"))
        if message.get("role") == "user" and text and not (text.startswith("[") and text.endswith("]")):
            return text, rounds
    return "", rounds


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part.get("text", "") for part in parts if part.get("type") in {"text", "input_text"})


def _slices(chunk: bytes, size: int) -> Iterator[bytes]:
    for start in range(0, len(chunk), size or len(chunk) or 1):
        yield chunk[start : start + (size or len(chunk))]


def _head(status: int, content_type: str, headers: dict[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} Scripted", f"content-type: {content_type}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()
