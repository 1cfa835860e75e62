"""A runtime in a thread of its own, so that a test can post messages and see what the engine makes of them."""

import asyncio
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, connections, transaction

from chat.actions import conversations
from chat.engine import claims
from chat.engine.runtime import Runtime
from chat.events import log_pages
from chat.events.append import append
from chat.events.vocabulary import NewEvent, StoredEvent
from chat.models import Message, Run, RunStatus, Session
from chat.queries.conversations import hold
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from tests.chat.starting import start

NBA = Ref("graph", "nba")


class Engine:
    """The runtime and what tests ask of it."""

    def __init__(self) -> None:
        self.failed = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.runtime: Runtime = self.on_loop(self._start())

    async def _start(self) -> Runtime:
        runtime = Runtime(self.failed.set)
        # What tests silence is dead, and nobody waits for it.
        runtime.runner._patient_until = runtime.runner._loop.time()
        await start(runtime)
        return runtime

    def on_loop(self, work: Any, timeout: float = 30) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout)

    def close(self, drain_s: float = 0) -> None:
        self.on_loop(self.runtime.close(drain_s))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(30)
        self._loop.close()


@contextmanager
def engine() -> Iterator[Engine]:
    started = Engine()
    try:
        yield started
    finally:
        started.close()
        connections.close_all()


class Bystander:
    """A runner that begins runs and never drives them, as one that got no answer to its COMMIT."""

    def __init__(self) -> None:
        self.process_id = uuid.uuid4()
        self.adopted: list[claims.ClaimedRun] = []
        claims.register(self.process_id, "here:1")

    def takes(self) -> bool:
        return True

    def adopt(self, run: claims.ClaimedRun) -> None:
        self.adopted.append(run)

    def ring(self) -> None:
        pass


def ask(user: Any, text: str, **kwargs: Any) -> conversations.Accepted:
    """Posts a message of the person about the graph `nba`, or into a session."""
    if "session_id" in kwargs:
        with transaction.atomic():
            return conversations.post_into(hold(user, kwargs.pop("session_id")), text, **kwargs)
    kwargs.setdefault("context", NBA)
    return conversations.post_message(member_of(user), text, **kwargs)


def until(condition: Callable[[], Any], timeout: float = 30) -> Any:
    """Waits until the condition gives something true, and returns that. What takes long is asked for less often."""
    deadline, pause = time.monotonic() + timeout, 0.02
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(pause)
        pause = min(1.2 * pause, 0.1)
    raise AssertionError(f"waited {timeout} s in vain")


def rested(run_id: uuid.UUID) -> Run:
    """The run once it has come to rest."""
    live = [RunStatus.QUEUED, RunStatus.RUNNING]
    return until(lambda: Run.objects.exclude(status__in=live).select_related("message").filter(pk=run_id).first())


def events(session_id: uuid.UUID) -> list[StoredEvent]:
    stream_id = Session.objects.get(pk=session_id).stream_id
    return [event for page in log_pages.pages_after(stream_id, 0) for event in page]


def of_run(run_id: uuid.UUID) -> list[StoredEvent]:
    session = Run.objects.get(pk=run_id).session_id
    return [event for event in events(session) if event.run_id == run_id]


def types(found: list[StoredEvent]) -> list[str]:
    """The types in order, repeated ones once."""
    names: list[str] = []
    for event in found:
        if not names or names[-1] != event.type:
            names.append(event.type)
    return names


def answer_of(accepted: conversations.Accepted) -> Message:
    return Message.objects.get(pk=accepted.message_id)


def silence(process: uuid.UUID) -> None:
    """Makes a process look dead for longer than any lease."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE chat_process SET seen_at = now() - interval '1 hour' WHERE id = %s", [process])


def claimed_by_a_process_that_died(shown: str = "") -> uuid.UUID:
    """A claim whose process is silent since; it may have shown something first."""
    process = uuid.uuid4()
    claims.register(process, "somewhere:1")
    (run,) = claims.claim(process, 10)
    if shown:
        with transaction.atomic():
            append(run.stream_id, [NewEvent("content_delta", {"delta": shown}, run.message_id, run.id)], run.epoch)
    silence(process)
    return run.id
