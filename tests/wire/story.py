"""A chapter of the story as it is told: each request and each frame, with what was answered."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from django.db import connections
from django.test import Client
from pytest_django import Settings

from tests.cast import PASSWORD
from tests.chat.inprocess import Answer, Socket, asked, opened, request
from tests.wire import files
from tests.wire.inside import Voice
from tests.wire.placeholders import Placeholders

API = "/api/v1/"
ABOUT_NBA = {"type": "graph", "id": "nba"}
NOWHERE = "00000000-0000-4000-8000-000000000007"
#: What a client may build upon; the others (security, lengths) are the same for all answers.
HEADERS = ("allow", "cache-control", "content-disposition", "etag", "location", "retry-after", "www-authenticate")
BOUNDARY = "the-boundary"
T = TypeVar("T")


class Story:
    def __init__(self, model: Voice, settings: Settings) -> None:
        self.model = model
        self.settings = settings
        self.steps: list[dict[str, Any]] = []
        self._placeholders = Placeholders()
        self._tokens: dict[str, str] = {}

    def written(self) -> str:
        return files.laid_out(self.steps) + "\n"

    def record(self, **step: Any) -> None:
        self.steps.append(self._placeholders.put(step))

    async def token(self, who: str) -> str:
        if who not in self._tokens:
            answer = await request("POST", f"{API}auth/token", body={"username": who, "password": PASSWORD})
            self._tokens[who] = answer.json()["access"]
        return self._tokens[who]

    async def call(
        self, what: str, method: str, path: str, body: Any = None, who: str = "alice", **headers: str
    ) -> Any:
        """The JSON of the answer, after both were recorded. Nobody is signed in if `who` is empty."""
        answer = await request(method, API + path, body=body, **await self._signed(who), **headers)
        self._record(what, method, path, body, who, headers, answer)
        return answer.json() if answer.body else None

    async def send_file(
        self, what: str, content: Any, who: str = "alice", to: str = "graphs/import", **fields: str
    ) -> Any:
        """Posts it `to` this address; without `content` no file is sent."""
        text = "" if content is None else content if isinstance(content, str) else json.dumps(content)
        parts = [f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in
                 fields.items()]  # fmt: skip
        if content is not None:
            head = 'Content-Disposition: form-data; name="file"; filename="flow.json"'
            parts.append(f"--{BOUNDARY}\r\n{head}\r\nContent-Type: application/json\r\n\r\n{text}\r\n")
        whole = "".join([*parts, f"--{BOUNDARY}--\r\n"]).encode()
        form = {"content_type": f"multipart/form-data; boundary={BOUNDARY}"}
        answer = await request("POST", API + to, body=whole, **await self._signed(who), **form)
        self._record(what, "POST", to, {"file": content, **fields}, who, {}, answer)
        return answer.json()

    async def read_stream(self, what: str, path: str, until: Callable[[Answer], Any], who: str = "alice") -> None:
        """Server-sent events, read until there is what is waited for."""
        headers = await self._signed(who)
        async with asked("GET", API + path, headers=headers) as answer:
            await answer.until(lambda each: each.complete or until(each))
            told = [{"id": "<cursor>" if cursor else cursor, "data": data} for cursor, data in answer.events()]
            self.record(
                what=what, request=f"GET {path}", who=who, answer=_status(answer), headers=_shown(answer), events=told
            )

    async def rested(self, stream: str, ends: int, who: str = "alice") -> None:
        """Returns when so many answers of a conversation are complete; records nothing."""
        async with asked("GET", f"{API}streams/sse?streams={stream}", headers=await self._signed(who)) as answer:
            await answer.until(lambda each: each.body.count(b'"done"') >= ends)

    @asynccontextmanager
    async def socket(self, who: str, path: str = "/ws/chat/") -> AsyncIterator["Line"]:
        """A socket after its person said who they are."""
        kind = "ai" if path == "/ws/chat/" else "graph"
        async with opened(path=path) as socket:
            line = Line(self, f"{who} at {path}", socket)
            await line.say(f"{kind}:authenticate", by=f"{kind}:authenticated", token=await self.token(who))
            yield line

    async def stream_of_nba(self) -> str:
        """Its name, which the page of the graph has."""
        return await in_thread(_stream_of_page)

    async def _signed(self, who: str) -> dict[str, str]:
        return {"authorization": f"Bearer {await self.token(who)}"} if who else {}

    def _record(
        self, what: str, method: str, path: str, body: Any, who: str, headers: dict[str, str], answer: Answer
    ) -> None:
        step: dict[str, Any] = {"what": what, "request": f"{method} {path}", "who": who}
        step |= {"sent": headers} if headers else {}
        step |= {} if body is None else {"body": body.decode() if isinstance(body, bytes) else body}
        step |= {"answer": _status(answer), "headers": _shown(answer)}
        self.record(**step, **_content(answer))


class Line:
    """A socket of the story. Frames are recorded when they are waited for."""

    def __init__(self, story: Story, name: str, socket: Socket) -> None:
        self._story = story
        self._name = name
        self.socket = socket
        self._heard: dict[str, int] = {}

    async def say(self, type_: str, *, by: str = "", **values: Any) -> dict[str, Any]:
        """The frame that answers: the one of the type `by`, else the one with this `_id`."""
        before = len(self.socket.received)
        self.socket.send(type_, **values)

        def answers(frame: dict[str, Any]) -> bool:
            return frame["type"] == by if by else frame.get("_id") == values["_id"] and "sequence" not in frame

        found = await self.socket.until(lambda each: next(filter(answers, each.received[before:]), None))
        self._story.record(socket=self._name, says={"type": type_, **values}, answer=found)
        return found

    async def hear(self, what: str, stream: str, last: str, **values: Any) -> list[dict[str, Any]]:
        """The frames of a stream up to the first of this type that was not heard before."""
        after = self._heard.get(stream, 0)

        def new(socket: Socket) -> list[dict[str, Any]]:
            found = [each for each in socket.events(stream) if each["sequence"] > after]
            ends = [
                n for n, each in enumerate(found, 1)
                if each["type"] == last and all(each.get(name) == value for name, value in values.items())
            ]  # fmt: skip
            return found[: ends[0]] if ends else []

        found = await self.socket.until(new)
        self._heard[stream] = found[-1]["sequence"]
        self._story.record(socket=self._name, what=what, hears=found)
        return found

    async def hears_of(self, what: str, type_: str, condition: Callable[[dict[str, Any]], bool]) -> None:
        """The first frame of this type which is as it should be."""
        found = await self.socket.until(
            lambda each: next((one for one in each.received if one["type"] == type_ and condition(one)), None)
        )
        by_name = {"people": sorted(found["people"], key=lambda person: person["name"])} if "people" in found else {}
        self._story.record(socket=self._name, what=what, hears=[found | by_name])

    async def expect(self, what: str, type_: str, **values: Any) -> dict[str, Any]:
        """The first frame of this type with these values, which nobody asked for."""
        found = await self.socket.frame(type_, **values)
        self._story.record(socket=self._name, what=what, hears=[found])
        return found


async def in_thread(work: Callable[[], T]) -> T:
    """Its result; the thread gives its connection back."""

    def given_back() -> T:
        try:
            return work()
        finally:
            connections.close_all()

    return await asyncio.to_thread(given_back)


def _stream_of_page() -> str:
    client = Client()
    assert client.login(username="alice", password=PASSWORD)
    found = re.search(r'data-stream="([^"]+)"', client.get("/graphs/nba/").content.decode())
    assert found
    return found[1]


def _status(answer: Answer) -> str:
    return f"{answer.status} {answer.headers.get('content-type', '')}".rstrip()


def _shown(answer: Answer) -> dict[str, str]:
    return {name: answer.headers[name] for name in HEADERS if name in answer.headers}


def _content(answer: Answer) -> dict[str, Any]:
    """The body as JSON, with the way it is spelled if that is not the usual one; as text if it is of no known way."""
    if not answer.body:
        return {}
    if "json" not in answer.headers.get("content-type", ""):
        return {"text": answer.body.decode().splitlines()}
    text, found = answer.body.decode(), answer.json()
    ways = {
        "": json.dumps(found, ensure_ascii=False, separators=(",", ":")),
        "spaced, ASCII": json.dumps(found),
        "indented": json.dumps(found, ensure_ascii=False, indent=4),
    }
    spelling = next((name for name, way in ways.items() if way == text), None)
    if spelling is None:
        return {"text": text.splitlines()}
    return {"spelling": spelling, "json": found} if spelling else {"json": found}
