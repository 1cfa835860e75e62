"""Emits a moment (`emit`) or an `activity` to listeners, never for each token; a listener's failure stops nobody."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal

log = logging.getLogger("countersign.telemetry")

Level = Literal["debug", "info", "warning", "error"]
#: Gives texts of people and models by name. It is called only if the operator wants them in the logs.
Text = Callable[[], Mapping[str, Any]]
#: The kinds of activities.
ActivityName = Literal["run", "llm_call", "tool", "retrieval", "question_embedding", "embedding_batch"]

_about: ContextVar[Mapping[str, Any]] = ContextVar("about", default={})  # noqa: B039 - nobody changes it


def _no_text() -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that happened. `about` names workspace, session and run if they are known; `fields` hold no text."""

    name: str
    level: Level
    about: Mapping[str, Any]
    fields: Mapping[str, Any]
    text: Text = _no_text


@dataclass(slots=True)
class Activity:
    """Something under way or over. `outcome` is "complete" or why it is not, `seconds` is how long it took."""

    name: ActivityName
    about: Mapping[str, Any]
    fields: dict[str, Any]
    text: Text = _no_text
    outcome: str = "complete"
    failed: bool = False
    seconds: float = 0
    began: float = field(default_factory=time.monotonic)

    def note(self, outcome: str | None = None, **fields: Any) -> None:
        """Adds an outcome and fields that became known meanwhile."""
        self.outcome = outcome or self.outcome
        self.fields |= fields

    def note_text(self, text: Text) -> None:
        """Adds texts that came up meanwhile."""
        before = self.text
        self.text = lambda: {**before(), **text()}


class Listener:
    """A receiver of moments, activities and figures, called on the thread of what happens; this one ignores them."""

    def emitted(self, moment: Moment) -> None: ...

    def begun(self, activity: Activity) -> Any:
        """Returns a value that `ended` gets back."""

    def ended(self, activity: Activity, begun: Any) -> None: ...

    def measured(self, name: str, value: float) -> None:
        """Takes a figure of this process, such as the number of open sockets."""


#: Filled when the process starts (`graphs/site/telemetry/listening.py`).
listeners: list[Listener] = []


@contextmanager
def about(**names: Any) -> Iterator[None]:
    """Names the workspace, session or run that everything emitted inside is about."""
    token = _about.set({**_about.get(), **{name: value for name, value in names.items() if value is not None}})
    try:
        yield
    finally:
        _about.reset(token)


def emit(name: str, level: Level = "info", text: Text = _no_text, **fields: Any) -> None:
    """Emits a moment. Its fields are numbers, names or ids."""
    moment = Moment(name, level, _about.get(), fields, text)
    for listener in listeners:
        _call(listener.emitted, moment)


def measure(name: str, value: float) -> None:
    for listener in listeners:
        _call(listener.measured, name, value)


@contextmanager
def activity(name: ActivityName, text: Text = _no_text, **fields: Any) -> Iterator[Activity]:
    """Emits an activity that begins here and ends with the block, however that is left."""
    activity = Activity(name, _about.get(), fields, text)
    begun = [(listener, _call(listener.begun, activity)) for listener in listeners]
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
        activity.seconds = time.monotonic() - activity.began
        for listener, what in reversed(begun):
            _call(listener.ended, activity, what)


def _call(hear: Callable[..., Any], what: Moment | Activity | str, *args: Any) -> Any:
    try:
        return hear(what, *args)
    except Exception as error:  # Any: a broken sink must not break an answer.
        # Only its name: fields and texts may be private.
        name = what if isinstance(what, str) else what.name
        log.warning("%s did not hear of %s: %s", hear.__qualname__, name, type(error).__name__)
        return None
