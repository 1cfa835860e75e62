"""A run that a request has just begun, told to what waits around the request for its end, in the same process."""

from contextvars import ContextVar
from dataclasses import dataclass

from chat.access.identity import Identity
from chat.queries.streams import ReadableStream


@dataclass(frozen=True, slots=True)
class Begun:
    """Who asked, as they were when their run was stored, and the stream: the run ends behind its last number."""

    person: Identity
    stream: ReadableStream


_told: ContextVar[list[Begun] | None] = ContextVar("told", default=None)


def listen() -> list[Begun]:
    """What the request that is made in this context will tell, also from its thread."""
    told: list[Begun] = []
    _told.set(told)
    return told


def tell(person: Identity, stream: ReadableStream) -> None:
    """Tells of a run that the request has stored itself, if somebody listens."""
    told = _told.get()
    if told is not None:
        told.append(Begun(person, stream))
