"""People who go on talking while things fail: each sends with a key until it is taken, and reads to the end.

They come in as the widget does (the socket), as a program on server-sent events, and as one that asks for pages. Each
keeps everything it received, and whatever it met that it should not have.
"""

import asyncio
import contextlib
import json
import os
import random
import threading
import time
import uuid
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import aiohttp
from django.contrib.auth.models import User
from django.db import connection

from chat.models import Message, Stream
from graphs.site.api import tokens
from tests import checker
from tests.cast import signed_in

#: What an answer takes on its own is a second; nobody may have to wait longer than this for anything.
PATIENCE_S = 60
#: Within which everybody gets on after what was away is back.
GET_ON_WITHIN_S = 10
ANSWER = "SCRIPT=" + json.dumps({"text": " ".join(f"word{number}" for number in range(20)), "delay_s": 0.05})
#: Between two rounds of somebody who looks at pages, and between two pages of events that were not full: without a
#: pause, they alone fill a core.
STROLL_S, LEAF_S = (0.1, 0.1) if os.environ.get("FULL") else (0.5, 0.3)
PAGE_SIZE = 7
#: What a connection is closed with when the server says "come back", and when it just ends.
COME_BACK = {4012, 1006, None}
#: What a door answers when it cannot do its work now.
NOT_NOW = 503
#: What it answers where somebody whose process or connection hangs holds what was to be changed.
BUSY = 429


class Lost(Exception):
    """The connection or the answer is gone: try again, perhaps elsewhere."""


class Person(ABC):
    """One of the crowd, in a conversation of its own. `urls` are the web processes, changed at every loss."""

    username = "alice"

    def __init__(self, name: str, urls: Sequence[str], token: str) -> None:
        self.name = name
        self.surprises: list[str] = []
        self.events: list[dict[str, Any]] = []
        self.answers: list[dict[str, Any]] = []
        #: They read their streams from the beginning.
        self.began: dict[str, int] = {}
        #: {user message id: text} of what was acknowledged.
        self.acknowledged: dict[str, str] = {}
        self.ends: Counter[str] = Counter()
        self.losses: Counter[str] = Counter()
        self.stream = ""
        self.session_id = ""
        #: When something last went well.
        self.well_at = 0.0
        self.leaving = asyncio.Event()
        self._urls = list(urls)
        self._headers = {"Authorization": f"Bearer {token}"}
        self._token = token
        self._moods = random.Random(name)

    @property
    def url(self) -> str:
        return self._urls[0]

    @property
    def last(self) -> int:
        return int(self.events[-1]["sequence"]) if self.events else 0

    async def live(self) -> None:
        async with aiohttp.ClientSession(headers=self._headers, timeout=aiohttp.ClientTimeout(PATIENCE_S)) as http:
            self.http = http
            while not self.leaving.is_set():
                await self._try(self.talk)

    async def _try(self, act: Any) -> Any:
        try:
            return await act()
        except (Lost, aiohttp.ClientError, ConnectionError) as lost:
            self.losses[str(lost) or type(lost).__name__] += 1
        except TimeoutError:
            self.surprises.append(f"{self.name} waited {PATIENCE_S} s in vain")
        except Exception as error:
            self.surprises.append(f"{self.name}: {error!r}")
        self._urls.append(self._urls.pop(0))
        await asyncio.sleep(self._moods.uniform(0.2, 0.6))
        return None

    @abstractmethod
    async def talk(self) -> None:
        """Asks and reads the answer; raises `Lost` where it has to begin again."""

    def place(self) -> dict[str, Any]:
        return {"sessionId": self.session_id} if self.session_id else {"context": {"type": "graph", "id": "nba"}}

    def take(self, event: dict[str, Any], end: str | None) -> None:
        """Keeps an event; `end` is how the run ended, if it is its last one."""
        self.events.append(event)
        self.well()
        if end is not None:
            self.ends[end] += 1

    def accept(self, answer: dict[str, Any], text: str) -> None:
        self.session_id = answer["sessionId"]
        self.stream = answer["streamId"]
        self.began[self.stream] = 0
        self.acknowledged[answer["userMessageId"]] = text
        self.well()

    def well(self) -> None:
        self.well_at = time.monotonic()

    def new_question(self) -> tuple[str, str]:
        """A key, and a text that nobody else writes."""
        key = str(uuid.uuid4())
        return key, f"{key} {ANSWER}"


class SocketPerson(Person):
    """Keeps its socket open over questions and outages alike, and subscribes from where it was."""

    _question: tuple[str, str] | None = None
    _awaiting_end = False

    async def talk(self) -> None:
        async with self.http.ws_connect(f"{self.url}/ws/chat/", max_msg_size=0, headers={}) as socket:
            await socket.send_json({"type": "ai:authenticate", "_id": "in", "token": self._token})
            await self._until(socket, "ai:authenticated")
            if self.session_id:
                await socket.send_json(
                    {"type": "ai:subscribe", "_id": "on", "sessionId": self.session_id, "after": self.last}
                )
                await self._until(socket, "ai:subscribed")
            while not self.leaving.is_set():
                await self._one_answer(socket)

    async def _one_answer(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        if not self._awaiting_end:
            self._question = self._question or self.new_question()
            key, text = self._question
            frame = {"type": "ai:chat", "_id": key, "message": text, "idempotencyKey": key, **self.place()}
            await socket.send_json(frame)
            self.accept(await self._until(socket, "ai:accepted"), text)
            self._question, self._awaiting_end = None, True
        ends_before = self.ends.total()
        while self.ends.total() == ends_before:
            await self._receive(socket)

    async def _until(self, socket: aiohttp.ClientWebSocketResponse, wanted: str) -> dict[str, Any]:
        while (frame := await self._receive(socket))["type"] != wanted:
            pass
        return frame

    async def _receive(self, socket: aiohttp.ClientWebSocketResponse) -> dict[str, Any]:
        message = await socket.receive(PATIENCE_S)
        if message.type is not aiohttp.WSMsgType.TEXT:
            if socket.close_code not in COME_BACK:
                self.surprises.append(f"{self.name} was closed with {socket.close_code}")
            raise Lost(f"closed with {socket.close_code}")
        frame: dict[str, Any] = json.loads(message.data)
        if "sequence" in frame:
            reason = {"ai:complete": frame.get("reason"), "ai:error": frame.get("code")}.get(frame["type"])
            self.take(frame, reason)
            self._awaiting_end = self._awaiting_end and reason is None
        elif frame["type"] == "ai:error":
            self.surprises.append(f"{self.name} was refused: {frame}")
            raise Lost(f"refused: {frame.get('code')}")
        return frame


class HttpPerson(Person):
    """Sends by REST, half of the time waiting for the answer to be whole."""

    async def talk(self) -> None:
        key, text = self.new_question()
        while not await self._try(lambda: self._post(key, text)):
            pass
        ends_before = self.ends.total()
        while self.ends.total() == ends_before:
            await self._try(self.read_on)

    async def _post(self, key: str, text: str) -> bool:
        headers = {"Idempotency-Key": key}
        wait = self._moods.random() < 0.5
        body = {"message": text, "wait": wait, **self.place()}
        async with self.http.post(f"{self.url}/api/v1/chat/messages", json=body, headers=headers) as answer:
            await self.require(answer, *([200, 202] if wait else [202]))
            self.accept(await answer.json(), text)
        return True

    async def require(self, answer: aiohttp.ClientResponse, *statuses: int) -> None:
        """Raises `Lost` for what may come while something is away, and notes what may not."""
        if answer.status in statuses:
            return
        passes = answer.status == NOT_NOW or (answer.status == BUSY and '"busy"' in await answer.text())
        if not passes or "Retry-After" not in answer.headers:
            self.surprises.append(f"{self.name}: {answer.url.path} answered {answer.status}: {await answer.text()}")
        raise Lost(str(answer.status))

    @abstractmethod
    async def read_on(self) -> None: ...

    def take_event(self, event: dict[str, Any]) -> None:
        reason = {"done": event["data"].get("reason"), "error": event["data"].get("code")}.get(event["type"])
        self.take(event, reason)


class SsePerson(HttpPerson):
    _cursor = ""

    async def read_on(self) -> None:
        headers = {"Last-Event-ID": self._cursor} if self._cursor else {}
        address = f"{self.url}/api/v1/streams/sse?streams={self.stream}"
        async with self.http.get(address, headers=headers) as answer:
            await self.require(answer, 200)
            ends_before = self.ends.total()
            async for line in answer.content:
                if line.startswith(b"id: "):
                    cursor = line[4:].decode().strip()
                elif line.startswith(b"data: "):
                    self.take_event(json.loads(line[6:]))
                    self._cursor = cursor
                if self.ends.total() > ends_before:
                    return
        raise Lost("the stream ended")


class PagingPerson(HttpPerson):
    async def read_on(self) -> None:
        address = f"{self.url}/api/v1/streams/events/{self.stream}?after={self.last}&limit={PAGE_SIZE}"
        async with self.http.get(address) as answer:
            await self.require(answer, 200)
            page = await answer.json()
        for event in page["events"]:
            self.take_event(event)
        if len(page["events"]) < PAGE_SIZE:
            await asyncio.sleep(LEAF_S)


class PasserBy(Person):
    """Looks at pages: they may be away, but never broken, and the process says that it lives."""

    _PAGES = ("/healthz", "/readyz", "/api/v1/graphs", "/api/v1/chat/sessions", "/accounts/login/", "/")

    def __init__(self, name: str, urls: Sequence[str], token: str, cookie: str) -> None:
        super().__init__(name, urls, token)
        self._cookie = cookie

    async def talk(self) -> None:
        for page in self._PAGES:
            headers = {"Cookie": self._cookie}
            async with self.http.get(f"{self.url}{page}", headers=headers) as answer:
                self.losses[f"{page} {answer.status}"] += 1
                text = await answer.text()
            if answer.status not in ({200} if page == "/healthz" else {200, NOT_NOW}):
                self.surprises.append(f"{page} answered {answer.status}: {text[:300]}")
        self.well()
        self._urls.append(self._urls.pop(0))
        await asyncio.sleep(STROLL_S)


class Crowd:
    """`people` live in a thread of their own from `crowd(...)` until its end."""

    def __init__(self, people: list[Person], passers_by: list[PasserBy]) -> None:
        self.people = people
        self.passers_by = passers_by

    @property
    def everybody(self) -> list[Person]:
        return [*self.people, *self.passers_by]

    def all_get_on(self, but: Collection[Person] = ()) -> None:
        """Waits until something went well for everybody since now."""
        now = time.monotonic()

        def behind() -> list[str]:
            return [one.name for one in self.everybody if one.well_at <= now and one not in but]

        deadline = now + GET_ON_WITHIN_S
        while behind():
            assert time.monotonic() < deadline, f"these do not get on: {behind()}; {self.surprises}; {self.losses}"
            time.sleep(0.02)

    @property
    def surprises(self) -> list[str]:
        return [surprise for person in self.everybody for surprise in person.surprises]

    @property
    def ends(self) -> Counter[str]:
        return sum((person.ends for person in self.people), Counter())

    @property
    def losses(self) -> Counter[str]:
        return sum((person.losses for person in self.people), Counter())

    def check(self, site: checker.Logged) -> None:
        """All that the checker knows; and everybody read to the end, and what they sent is there once."""
        checker.check_run(site, *self.people)
        for person in self.people:
            last = Stream.objects.get(name=person.stream).last_sequence
            assert person.last == last, f"{person.name} read up to {person.last} of {last}"
            found = Message.objects.filter(session_id=person.session_id, role="user").values_list("id", "content")
            assert {str(id_): text for id_, text in found} == person.acknowledged, person.name


@contextmanager
def crowd(site: checker.Logged, urls: Sequence[str], ends: Collection[str]) -> Iterator[Crowd]:
    """People on every door, two of each, at these web processes; all of them are Alice.

    They are there and talk when the test begins. At its end they finish what they are at and go: then everybody has got
    on, every answer came to one of these ends, nobody has met what they should not, and the checker agrees.
    """
    here = _crowd(urls)
    with _living(here):
        here.all_get_on()
        yield here
        here.all_get_on()
    assert here.surprises == [], here.surprises
    assert set(here.ends) <= set(ends), here.ends
    # What is in the pool may have been lost with the server.
    connection.close()
    connection.close_pool()
    here.check(site)


def _crowd(urls: Sequence[str]) -> Crowd:
    alice = User.objects.get(username="alice")
    token = tokens.issue(alice).access
    cookie = f"sessionid={signed_in(alice).cookies['sessionid'].value}"
    people: list[Person] = [
        kind(f"{kind.__name__} {number}", [*urls[number:], *urls[:number]], token)
        for number in range(2)
        for kind in (SocketPerson, SsePerson, PagingPerson)
    ]
    return Crowd(people, [PasserBy("PasserBy", urls, token, cookie)])


@contextmanager
def _living(here: Crowd) -> Iterator[None]:
    loop = asyncio.new_event_loop()
    living = asyncio.gather(*(loop.create_task(person.live()) for person in here.everybody))
    thread = threading.Thread(target=_run, args=(loop, living), name="crowd", daemon=True)
    thread.start()
    try:
        yield
    except BaseException:
        loop.call_soon_threadsafe(living.cancel)
        raise
    for person in here.everybody:
        loop.call_soon_threadsafe(person.leaving.set)
    thread.join(2 * PATIENCE_S)
    assert not thread.is_alive(), f"somebody never came to an end: {here.surprises}"


def _run(loop: asyncio.AbstractEventLoop, living: asyncio.Future[Any]) -> None:
    with contextlib.suppress(asyncio.CancelledError):
        loop.run_until_complete(living)
    loop.close()
