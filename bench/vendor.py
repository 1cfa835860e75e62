"""A mock vendor of models: Chat Completions whose every token is the time it was sent. A process of its own.

python -m bench.vendor --port N

The last user message says what to write: "stream 300 tokens at 50/s". The first token comes at once, the others at that
pace from a random phase on. "use NAME {...}" before it makes a call of that tool first, and the tokens after its
result. Plain asyncio protocols, so that it costs a small part of what it measures.
"""

import argparse
import asyncio
import json
import random
import re
import secrets
import sys
import time
from typing import Any

_ASKED = re.compile(rb"stream (\d+) tokens at (\d+)/s")
_USE = re.compile(r"use (\w+) (\{.*\}) stream ")
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
_CHUNK = b'{"id":"chatcmpl-1","object":"chat.completion.chunk","model":"mock","choices":[{"index":0,"delta":%b,%b}]}'
_USAGE = {"prompt_tokens": 100, "completion_tokens": 100}


def question(tokens: int, rate: int) -> str:
    """The message that makes the vendor write so many tokens, `rate` a second."""
    return f"stream {tokens} tokens at {rate}/s"


def using(tool: str, arguments: dict[str, Any]) -> str:
    """What makes the vendor call a tool; `question` follows it."""
    return f"use {tool} {json.dumps(arguments)}"


def _event(data: bytes) -> bytes:
    return b"%x\r\ndata: %b\n\n\r\n" % (len(data) + 8, data)


def _token(content: bytes) -> bytes:
    return _event(_CHUNK % (b'{"content":"%b"}' % content, b'"finish_reason":null'))


def _end(reason: bytes) -> bytes:
    return (
        _event(_CHUNK % (b"{}", b'"finish_reason":"%b"' % reason))
        + _event(json.dumps({"id": "chatcmpl-1", "choices": [], "usage": _USAGE}).encode())
        + _event(b"[DONE]")
        + b"0\r\n\r\n"
    )


_END, _END_OF_CALL = _end(b"stop"), _end(b"tool_calls")


def _called(body: bytes) -> bytes:
    """The chunk with the call that the last message asks for; nothing where it asks for none."""
    if b"use " not in body:
        return b""
    last = json.loads(body)["messages"][-1]
    asked = _USE.search(last["content"]) if last["role"] == "user" else None
    if asked is None:
        return b""
    function = {"name": asked[1], "arguments": asked[2]}
    call = {"index": 0, "id": f"call_{secrets.token_hex(6)}", "type": "function", "function": function}
    return _event(_CHUNK % (json.dumps({"tool_calls": [call]}).encode(), b'"finish_reason":null'))


class Vendor(asyncio.Protocol):
    """One connection; requests are answered one after the other."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._loop = asyncio.get_running_loop()
        self._received = b""

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, body = self._received.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: *(\d+)", head)
        if found and length is not None and len(body) >= int(length[1]):
            self._received = b""
            self._answer(body)

    def _answer(self, body: bytes) -> None:
        if called := _called(body):
            self._transport.write(_HEAD + called + _END_OF_CALL)
            return
        tokens, rate = _ASKED.findall(body)[-1]
        self._left, self._pause = int(tokens), 1 / int(rate)
        self._due = self._loop.time() + random.random() * self._pause
        self._transport.write(_HEAD)
        self._write_token()

    def _write_token(self) -> None:
        if self._transport.is_closing():
            return
        self._transport.write(_token(b"%d " % time.time_ns()))
        self._left -= 1
        if self._left == 0:
            self._transport.write(_END)
            return
        self._due += self._pause
        self._loop.call_at(self._due, self._write_token)


async def _serve(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Vendor, "127.0.0.1", port, backlog=1024)
    print("ready", flush=True)
    await server.serve_forever()


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.vendor")
    parser.add_argument("--port", type=int, required=True)
    asyncio.run(_serve(parser.parse_args(arguments).port))


if __name__ == "__main__":
    main(sys.argv[1:])
