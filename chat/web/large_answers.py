"""Doors with the largest answers: a few at a time of one person and of this process, sent as fast as they are taken.

An ASGI application around Django; a view marks itself by `large_answer`. Who finds no place waits for one, holding
neither a thread nor a connection.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from django.http import HttpRequest, HttpResponseBase
from django.urls import Resolver404, resolve
from django.utils import translation

from chat.access import identity
from chat.access.identity import Identity
from chat.concurrency.turns import Claim, Left
from chat.sockets.backpressure import Gate, TooSlow, release_gate, response_gate
from chat.sockets.strangers import address_of
from chat.web.problem_answer import answer_page, answer_problem
from graphs.site import refusal_events
from graphs.site.api.problems import Problem, restarting, too_many_large_answers
from graphs.site.database_away import AWAY

log = logging.getLogger("countersign.api")

#: Answers that are made or sent, of this process and of one person.
MOST = 8
MOST_OF_ONE = 2
#: Of these so many are made at the same time: others have the interpreter for a third of the time.
MOST_MADE = 2
#: One person's are made one after the other: nobody holds all that are made.
MOST_MADE_OF_ONE = 1
WAIT_S = 10.0
#: Who takes longer to read an answer loses it to somebody who waits, where all places are taken.
READ_WITHIN_S = 30.0
#: Where a scope has what tells a place how its answer is made.
PLACE = "countersign.place"

#: Requests that wait for a place or an answer, of which nothing was sent yet.
_open: set["_Asking"] = set()

Receive = Callable[[], Awaitable[dict[str, Any]]]
Answer = Callable[[HttpRequest], HttpResponseBase]


def close_all() -> None:
    """Lets nobody wait longer for an answer of which nothing was sent yet, because this process ends."""
    for asking in list(_open):
        asking.end()


class _Asking:
    """A request, until the first of its answer is sent."""

    def __init__(self) -> None:
        self._task = asyncio.current_task()
        self.is_ended = False
        _open.add(self)

    def end(self) -> None:
        """Ends it, also where it waits for its thread; asked again until it has ended."""
        assert self._task is not None
        self.is_ended = True
        self._task.cancel()

    def close(self) -> None:
        _open.discard(self)


class Place:
    """One of the places, from asking until the answer is both made and sent."""

    def __init__(self, places: "Places", user_id: int) -> None:
        self._places = places
        self._loop = asyncio.get_running_loop()
        self.user_id = user_id
        self.gate = Gate()
        self.sent_since = 0.0
        self.is_made = False
        self.is_sent = False
        self._claim = Claim()

    def begin(self) -> bool:
        """Whether a thread may make the answer, to the end, also when the reader leaves; not if they have left."""
        return self._claim.take()

    def end(self) -> None:
        """Says that the thread has ended; called by it."""
        self._loop.call_soon_threadsafe(self._made)

    def sent(self) -> None:
        """Says that nothing more is sent, whatever the reason."""
        self.is_sent = True
        self.is_made = self.is_made or self._claim.take()
        self._places.changed(self)

    def _made(self) -> None:
        self.is_made, self.sent_since = True, self._loop.time()
        self._places.changed(self)


@dataclass(frozen=True, slots=True)
class _Waiting:
    user_id: int
    place: asyncio.Future[Place]


class Places:
    """Who has a place, and who waits for one: who came first gets the next one, but for people who have enough."""

    def __init__(self) -> None:
        self._taken: list[Place] = []
        self._of_person: Counter[int] = Counter()
        self._waiting: list[_Waiting] = []

    async def take(self, user_id: int) -> Place | None:
        """A place; None if none came free in time."""
        if self._has_room(user_id):
            return self._given(user_id)
        loop = asyncio.get_running_loop()
        deadline = loop.time() + WAIT_S
        waiting = _Waiting(user_id, loop.create_future())
        self._waiting.append(waiting)
        try:
            while not waiting.place.done() and (left := deadline - loop.time()) > 0:
                self._cut_a_slow_reader(loop.time())
                await asyncio.wait([waiting.place], timeout=min(left, 1))
        except asyncio.CancelledError:
            if waiting.place.done():
                waiting.place.result().sent()
            raise
        finally:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
        return waiting.place.result() if waiting.place.done() else None

    def changed(self, place: Place) -> None:
        """Frees the place if its answer is made and sent, and gives those who wait, in turn, what there is room for."""
        if place.is_made and place.is_sent and place in self._taken:
            self._taken.remove(place)
            self._of_person -= Counter([place.user_id])
        for waiting in list(self._waiting):
            if self._has_room(waiting.user_id):
                self._waiting.remove(waiting)
                waiting.place.set_result(self._given(waiting.user_id))

    def _given(self, user_id: int) -> Place:
        place = Place(self, user_id)
        self._taken.append(place)
        self._of_person[user_id] += 1
        return place

    def _has_room(self, user_id: int) -> bool:
        made = [place.user_id for place in self._taken if not place.is_made]
        if len(made) >= MOST_MADE or made.count(user_id) >= MOST_MADE_OF_ONE:
            return False
        return len(self._taken) < MOST and self._of_person[user_id] < MOST_OF_ONE

    def _cut_a_slow_reader(self, now: float) -> None:
        """Ends what was sent for longest, if all places are taken and it took too long."""
        if len(self._taken) < MOST:
            return
        slow = [place for place in self._taken if place.is_made and now - place.sent_since > READ_WITHIN_S]
        if slow:
            slowest = min(slow, key=lambda place: place.sent_since)
            log.warning("an answer to user %s cut off for somebody who waits", slowest.user_id)
            slowest.gate.cut()


class LargeAnswers:
    """Wraps the application that answers."""

    def __init__(self, application: Any) -> None:
        self._application = application
        self.places = Places()

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Any) -> None:
        person = await _person(scope) if _may_be_large(scope) else None
        if person is None:
            await self._application(scope, receive, send)
            return
        asking = _Asking()
        try:
            await self._answer(asking, person, scope, receive, send)
        except asyncio.CancelledError:
            if not asking.is_ended:
                raise
            asking.close()
            await _answer_instead(restarting, scope, send)
        finally:
            asking.close()

    async def _answer(
        self, asking: _Asking, person: Identity, scope: dict[str, Any], receive: Receive, send: Any
    ) -> None:
        place = await self.places.take(person.user.pk)
        if place is None:
            asking.close()
            await _refuse(person, scope, send)
            return
        try:
            await self._application({**scope, PLACE: place}, receive, _Paced(place, asking, send))
        except TooSlow:
            log.warning("an answer to user %s cut off, its reader took nothing for a while", place.user_id)
            place.gate.cut()
        finally:
            place.sent()


def making(request: HttpRequest, answer: Answer) -> Answer:
    """`answer`, for a thread; it tells the place of the request, if that has one, when it begins and ends."""
    place = getattr(request, "scope", {}).get(PLACE)
    if place is None:
        return answer

    def tell(request: HttpRequest) -> HttpResponseBase:
        if not place.begin():
            raise Left
        try:
            return answer(request)
        finally:
            place.end()

    return tell


class _Paced:
    """Sends no faster than the reader takes it: the rest waits in Django's response, and not once more in a buffer."""

    def __init__(self, place: Place, asking: _Asking, send: Any) -> None:
        self._place = place
        self._asking = asking
        self._send = send

    async def __call__(self, message: dict[str, Any]) -> None:
        if self._asking.is_ended:  # and told so
            return
        if message["type"] == "http.response.start":
            self._asking.close()
            await self._send(message)
            self._place.gate = response_gate(self._send)
            return
        await self._place.gate.passed()
        if not message.get("more_body"):
            release_gate(self._send)
        await self._send(message)


def _may_be_large(scope: dict[str, Any]) -> bool:
    """Whether the view says so of what it answers: `large_answer` is True, or the parameter that makes it large."""
    if scope["method"] not in ("GET", "HEAD"):
        return False
    try:
        view = resolve(scope["path"]).func
    except Resolver404:
        return False
    large: bool | str = getattr(getattr(view, "view_class", view), "large_answer", False)
    return large if isinstance(large, bool) else large in parse_qs(scope.get("query_string", b"").decode("latin1"))


async def _person(scope: dict[str, Any]) -> Identity | None:
    """Who asks; None for somebody unknown or while the database is away, of which Django answers."""
    try:
        return await identity.of_request(scope["headers"], scope["path"])
    except AWAY:
        return None


async def _refuse(person: Identity, scope: dict[str, Any], send: Any) -> None:
    address, door = address_of((scope.get("client") or [""])[0], scope["headers"]), resolve(scope["path"]).route
    refusal_events.tell(person.user.pk, address, f"{scope['method']} {door}", "throttled", 429)
    await _answer_instead(too_many_large_answers, scope, send)


async def _answer_instead(problem: Callable[[], Problem], scope: dict[str, Any], send: Any) -> None:
    translation.activate(identity.language_of(scope["headers"]))
    answer = answer_problem if scope["path"].startswith(identity.API) else answer_page
    await answer(problem(), scope["headers"], send)
