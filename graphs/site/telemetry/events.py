"""Telling what happens: a moment (`tell`), or something with a beginning and an end (`activity`).

Called by the engine, retrieval and the embedders; never once for each token. Nothing that a listener does or fails to
do reaches the teller.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

log = logging.getLogger("countersign.telemetry")

Level = Literal["debug", "info", "warning", "error"]
#: What people and models wrote, by its name. Asked for only where the operator wants it in the logs.
Text = Callable[[], Mapping[str, Any]]
#: What comes to an end, by its name, with the events that tell of its beginning and of its end.
Kind = Literal["run", "llm_call", "tool", "retrieval", "question_embedding", "embedding_batch"]

_about: ContextVar[Mapping[str, Any]] = ContextVar("about", default={})  # noqa: B039 - nobody changes it


def _no_text() -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class Moment:
    """Something happened. `about` names workspace, session and run where they are known; `fields` hold no text."""

    name: str
    level: Level
    about: Mapping[str, Any]
    fields: Mapping[str, Any]
    text: Text = _no_text


@dataclass(slots=True)
class Activity:
    """Something under way or over; `outcome` is "complete" or why it is not, `seconds` how long it took."""

    kind: Kind
    about: Mapping[str, Any]
    fields: dict[str, Any]
    text: Text = _no_text
    outcome: str = "complete"
    failed: bool = False
    seconds: float = 0
    _began: float = field(default_factory=time.monotonic)

    def note(self, outcome: str | None = None, **fields: Any) -> None:
        """What is known only later."""
        self.outcome = outcome or self.outcome
        self.fields |= fields

    def note_text(self, text: Text) -> None:
        """What was said meanwhile, beside what was known at the beginning."""
        before = self.text
        self.text = lambda: {**before(), **text()}

    def end(self) -> None:
        self.seconds = time.monotonic() - self._began


class Listener(Protocol):
    """Who hears of it, on the thread on which it happens."""

    def told(self, moment: Moment) -> None: ...

    def begun(self, activity: Activity) -> Any:
        """What this returns is given back to `ended`."""
        ...

    def ended(self, activity: Activity, begun: Any) -> None: ...

    def measured(self, name: str, value: float) -> None:
        """A figure of this process, such as how many sockets are open."""
        ...


#: Filled when the process starts (`graphs/site/telemetry/listening.py`).
listeners: list[Listener] = []


@contextmanager
def about(**names: Any) -> Iterator[None]:
    """Everything told inside concerns this workspace, session or run."""
    token = _about.set({**_about.get(), **{name: value for name, value in names.items() if value is not None}})
    try:
        yield
    finally:
        _about.reset(token)


def tell(name: str, level: Level = "info", text: Text = _no_text, **fields: Any) -> None:
    """One event: its name, and fields that are numbers, names or ids."""
    moment = Moment(name, level, _about.get(), fields, text)
    for listener in listeners:
        _heard(listener.told, moment)


def measure(name: str, value: float) -> None:
    for listener in listeners:
        _heard(listener.measured, name, value)


@contextmanager
def activity(kind: Kind, text: Text = _no_text, **fields: Any) -> Iterator[Activity]:
    """Begins here and ends with the block, whatever way that is left."""
    activity = Activity(kind, _about.get(), fields, text)
    begun = [(listener, _heard(listener.begun, activity)) for listener in listeners]
    try:
        yield activity
    except asyncio.CancelledError:
        activity.note("stopped")
        raise
    except Exception as error:  # Any: it is only named, and goes on its way.
        code = getattr(error, "code", None)
        activity.failed = True
        activity.note(code if isinstance(code, str) else "failed", error=type(error).__name__)
        raise
    finally:
        activity.end()
        for listener, what in reversed(begun):
            _heard(listener.ended, activity, what)


def _heard(hear: Callable[..., Any], what: Moment | Activity | str, *args: Any) -> Any:
    try:
        return hear(what, *args)
    except Exception as error:  # Any: a broken sink must not break an answer.
        log.warning("%s did not hear of %s: %s", hear.__qualname__, _named(what), type(error).__name__)
        return None


def _named(what: Moment | Activity | str) -> str:
    """Without its fields and texts."""
    match what:
        case Moment(name=name):
            return name
        case Activity(kind=kind):
            return kind
        case name:
            return name
