"""Readers of one stream who change to the other process after every few events, and keep each one's bytes."""

import asyncio
import itertools
import json
import random
from abc import ABC, abstractmethod
from collections.abc import Sequence

import aiohttp

from chat.events.vocabulary import StoredEvent, event_json, frame
from chat.models import Stream
from tests.captures import events_of

#: The most events that are read before the next change.
AT_MOST = 4
PATIENCE_S = 60
_ENDS = {"done", "error", "ai:complete", "ai:error"}


class Switcher(ABC):
    """Reads `stream` of the session from its beginning. `texts` are its events as they came."""

    def __init__(self, urls: Sequence[str], token: str, session_id: str, stream: str) -> None:
        self.texts: list[str] = []
        #: Changes between two events of the same answer.
        self.switches = 0
        self.last = 0
        self.session_id = session_id
        self.stream = stream
        self.token = token
        self._urls = itertools.cycle(urls)
        self._moods = random.Random(type(self).__name__)
        self._between_answers = True

    async def read_up_to(self, last: "asyncio.Future[int]") -> None:
        """Reads on until the number that the future will give."""
        headers = {"Authorization": f"Bearer {self.token}"}
        async with aiohttp.ClientSession(headers=headers, timeout=aiohttp.ClientTimeout(PATIENCE_S)) as http:
            while not (last.done() and self.last >= last.result()):
                before = self.last
                await self.read_some(http, next(self._urls), self._moods.randint(1, AT_MOST))
                self.switches += self.last > before and not self._between_answers

    @abstractmethod
    async def read_some(self, http: aiohttp.ClientSession, url: str, count: int) -> None:
        """Connects there, reads up to `count` events after the last one, and leaves."""

    @abstractmethod
    def as_stored(self, event: StoredEvent) -> str:
        """What must have come for it."""

    def wanted(self) -> list[str]:
        return [self.as_stored(event) for event in events_of(Stream.objects.get(name=self.stream))]

    def take(self, text: str) -> None:
        event = json.loads(text)
        self.texts.append(text)
        self.last = event["sequence"]
        self._between_answers = event["type"] in _ENDS


class OnSocket(Switcher):
    async def read_some(self, http: aiohttp.ClientSession, url: str, count: int) -> None:
        async with http.ws_connect(f"{url}/ws/chat/", max_msg_size=0) as socket:
            await socket.send_json({"type": "ai:authenticate", "token": self.token})
            await socket.send_json({"type": "ai:subscribe", "sessionId": self.session_id, "after": self.last})
            while count:
                text = await asyncio.wait_for(socket.receive_str(), PATIENCE_S)
                if "sequence" in json.loads(text):
                    self.take(text)
                    count -= 1

    def as_stored(self, event: StoredEvent) -> str:
        return frame(event, self.stream, self.session_id)


class OnServerSentEvents(Switcher):
    _cursor = ""

    async def read_some(self, http: aiohttp.ClientSession, url: str, count: int) -> None:
        headers = {"Last-Event-ID": self._cursor} if self._cursor else {}
        async with http.get(f"{url}/api/v1/streams/sse?streams={self.stream}", headers=headers) as answer:
            assert answer.status == 200
            cursor = ""
            while count:
                line = (await answer.content.readline()).decode().rstrip("\n")
                if line.startswith("id: "):
                    cursor = line.removeprefix("id: ")
                elif line.startswith("data: "):
                    self.take(line.removeprefix("data: "))
                    self._cursor = cursor
                    count -= 1

    def as_stored(self, event: StoredEvent) -> str:
        return json.dumps(event_json(event, self.stream), ensure_ascii=False, separators=(",", ":"))


class OnPages(Switcher):
    async def read_some(self, http: aiohttp.ClientSession, url: str, count: int) -> None:
        address = f"{url}/api/v1/streams/events/{self.stream}?after={self.last}&limit={count}"
        async with http.get(address) as answer:
            assert answer.status == 200
            events = (await answer.json())["events"]
        for event in events:
            self.take(json.dumps(event))
        if not events:
            await asyncio.sleep(0.05)

    def as_stored(self, event: StoredEvent) -> str:
        return json.dumps(event_json(event, self.stream))
