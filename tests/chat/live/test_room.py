"""What a process remembers of a graph that is watched through it."""

import asyncio
import json
from datetime import UTC, datetime

import pytest

from chat.live import room
from chat.live.people import Person
from chat.live.room import Room, Watcher
from graphs.models import LiveEdit
from graphs.workflows.live.live_states import LiveState


def edited(version: int, name: str) -> LiveState:
    operations = [{"action": "update", "type": "node", "id": "root", "version": version, "new": {"name": name}}]
    now = datetime.now(UTC)
    edit = LiveEdit(version=version, person_label="alice", created_at=now, operations=operations)
    return LiveState(version, now, (edit,))


def watched(here: Room) -> Watcher:
    watcher = Watcher(here, Person("1", "bob"), 1)
    here.watchers.add(watcher)
    asyncio.run(watcher.next())
    return watcher


def told(watcher: Watcher) -> list[tuple[str, int]]:
    frames = [json.loads(text) for text in asyncio.run(watcher.next())]
    return [(each["type"], each["version"]) for each in frames]


def test_a_change_larger_than_what_may_be_kept_is_told_as_one_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "REMEMBERED_BYTES", 10_000)
    here = Room("graph", 1, 1, False)
    watcher = watched(here)
    here.take(edited(2, "x" * 20_000))
    assert told(watcher) == [("graph:changed", 2)]
    assert not here.happened
    here.take(edited(3, "y"))
    assert told(watcher) == [("graph:edited", 3)]


def test_large_changes_are_forgotten_before_they_take_more_memory_than_they_may(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(room, "REMEMBERED_BYTES", 10_000)
    here = Room("graph", 1, 1, False)
    reads_on, stays_behind = watched(here), watched(here)
    for version in range(2, 30):
        here.take(edited(version, "é" * 3_000))
        assert told(reads_on) == [("graph:edited", version)]
        assert sum(len(text) for _version, text in here.happened) <= 10_000
    assert len(here.happened) > 1
    assert told(stays_behind) == [("graph:changed", 29)]
