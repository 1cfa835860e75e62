"""What a client received, and what must hold of it: I2 (the stored events, in order, once) and I9 (nothing of others).

A workspace's canary is a string that belongs into what its people write and draw: no client of another workspace may
ever receive it. `tests/checker.py` says when all this is called.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from django.contrib.auth.models import User

from chat.events import log_pages
from chat.events.vocabulary import StoredEvent, event_json, frame
from chat.models import Session, SessionType, Stream, StreamEvent
from graphs.models import Workspace


class Client(Protocol):
    """What a client recorded. `tests/flows/listener.py` does it by itself; `Capture` is for all others.

    `events` are numbered frames or SSE events in the order in which they came, over all its connections; `answers` is
    the rest. `began` tells after which number it reads a stream, where that is known.
    """

    username: str
    events: list[dict[str, Any]]
    answers: list[dict[str, Any]]
    began: dict[str, int]


@dataclass
class Capture:
    """The record of a client that is no `Listener`."""

    username: str
    events: list[dict[str, Any]] = field(default_factory=list)
    answers: list[dict[str, Any]] = field(default_factory=list)
    began: dict[str, int] = field(default_factory=dict)


def canary_of(workspace: str) -> str:
    """To be written into content of the workspace with this slug."""
    return f"canary-of-{workspace}"


def check_clients(clients: Sequence[Client]) -> None:
    """I2 and I9 for everything that the clients recorded."""
    check_canaries_are_planted()
    stored: dict[tuple[str, bool], list[dict[str, Any]]] = {}
    for client in clients:
        check_workspace(client)
        for stream, received in _by_stream(client.events).items():
            frames = received[0]["type"].startswith("ai:")
            if (stream, frames) not in stored:
                stored[stream, frames] = stored_frames(stream) if frames else stored_events(stream)
            after = client.began.get(stream, received[0]["sequence"] - 1)
            check_received(received, stored[stream, frames], after)


def _by_stream(events: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for event in events:
        found.setdefault(event["stream"], []).append(event)
    return found


def check_received(
    received: Iterable[Mapping[str, Any]],
    stored: Sequence[Mapping[str, Any]],
    after: int = 0,
    *,
    caught_up: bool = False,
) -> None:
    """I2: a client that began after `after` got the stored events in order, once, without a gap.

    `received` are frames or SSE events of one stream in the order in which they came, over all its connections; those
    without a sequence are ignored. `stored` comes from `stored_frames` or `stored_events`. With `caught_up` nothing may
    be missing at the end.
    """
    got = [_comparable(each) for each in received if each.get("sequence") is not None]
    wanted = [_comparable(each) for each in stored if each["sequence"] > after]
    for position, (one, other) in enumerate(zip(got, wanted, strict=False)):
        assert one == other, f"event {position} received: {one}\nstored: {other}"
    assert len(got) <= len(wanted), f"{len(got) - len(wanted)} events received that are not stored: {got[len(wanted)]}"
    assert len(got) == len(wanted) or not caught_up, f"never received: {wanted[len(got)]}"


def _comparable(event: Mapping[str, Any]) -> dict[str, Any]:
    """Without what belongs to the connection."""
    return {name: value for name, value in event.items() if name != "_id"}


def check_workspace(client: Client) -> None:
    """I9: every event came from a stream of the person's workspaces, and none holds another one's canary."""
    person = User.objects.get(username=client.username)
    own = Workspace.objects.filter(memberships__user=person)
    streams = {event["stream"] for event in client.events}
    foreign = Stream.objects.filter(name__in=streams).exclude(workspace__in=own)
    assert not foreign.exists(), f"{client.username} received events of {[stream.name for stream in foreign]}"
    received = json.dumps([client.events, client.answers], ensure_ascii=False)
    leaked = [slug for slug in _slugs(Workspace.objects.exclude(pk__in=own)) if canary_of(slug) in received]
    assert not leaked, f"{client.username} received content of the workspaces {leaked}"


def check_canaries_are_planted() -> None:
    """Where two workspaces talk, each one's canary must be in its events: else nobody would see it leak."""
    talking = Workspace.objects.filter(pk__in=StreamEvent.objects.values("stream__workspace"))
    if talking.count() < 2:
        return
    for slug in _slugs(talking):
        events = StreamEvent.objects.filter(stream__workspace__slug=slug, data__icontains=canary_of(slug))
        assert events.exists(), f"nothing that was said in the workspace {slug} holds its canary"


def _slugs(workspaces: Any) -> list[str]:
    return list(workspaces.values_list("slug", flat=True))


def stored_frames(stream_name: str) -> list[dict[str, Any]]:
    """The stream's events as the chat socket sends them."""
    stream = Stream.objects.get(name=stream_name)
    talk = Session.objects.filter(stream=stream).exclude(type=SessionType.GENERATION).first()
    session = str(talk.pk) if talk else None
    return [json.loads(frame(event, stream.name, session)) for event in events_of(stream)]


def stored_events(stream_name: str) -> list[dict[str, Any]]:
    """The stream's events as SSE and REST give them."""
    stream = Stream.objects.get(name=stream_name)
    return [event_json(event, stream.name) for event in events_of(stream)]


def events_of(stream: Stream) -> list[StoredEvent]:
    return [event for page in log_pages.pages_after(stream.pk, 0) for event in page]
