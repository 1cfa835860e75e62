"""Crash scenarios of people who change a graph live, and take it back. No conversation is concerned."""

import uuid
from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.utils import timezone

from graphs.models import LiveEdit, Modification, Node, Object
from tests.chat.engine.driving import until
from tests.faults.crash_stage import TAKEN_OVER_WITHIN_S, Stage
from tests.faults.graph_socket import AWAY, acknowledged, at, new_note
from tests.web_process import WebProcess


def live_edit(stage: Stage) -> None:
    """It is there once, whatever its person heard of it; sent again it is acknowledged in the same words."""
    frame = new_note(_key())
    stage.arm()
    told = _sent(stage, stage.first, frame)
    stage.await_death()
    answer = _sent(stage, stage.survivor, frame)
    assert answer is not None
    assert told in (None, answer)
    assert _live_edits(frame) == 1
    _saved()
    assert _created(frame) == 1


def take_back(stage: Stage) -> None:
    """What was taken back is gone, and the history never hears of it."""
    frame = new_note(_key())
    made = _sent(stage, stage.first, frame)
    assert made is not None
    undo = {"type": "graph:undo", "_id": _key(), "version": made["version"]}
    stage.arm()
    told = _sent(stage, stage.first, undo)
    stage.await_death()
    answer = _sent(stage, stage.survivor, undo)
    assert answer is not None
    assert told in (None, answer)
    assert _live_edits(frame) + _live_edits(undo) == 2
    assert not Node.objects.filter(key=frame["_id"]).exists()
    _saved()
    assert _created(frame) <= 1  # leaving the first time may have saved it before it was taken back
    assert Modification.objects.filter(key=frame["_id"], action="delete").count() == _created(frame)


def leave(stage: Stage) -> None:
    """Who leaves has it saved, by this process or by the clock of another one."""
    frame = new_note(_key())
    with suppress(*AWAY), at(stage.first, stage.alice.token) as socket:
        acknowledged(socket, frame)
        stage.arm()
    stage.await_death()
    _saved()
    assert _live_edits(frame) == 1
    assert _created(frame) == 1


def save_in_time(stage: Stage) -> None:
    """The clock of one process dies while it saves; that of another one saves."""
    frame = new_note(_key())
    with suppress(*AWAY), at(stage.first, stage.alice.token) as socket:
        acknowledged(socket, frame)
        stage.arm()
        _age()
        stage.await_death()
    _saved()
    assert _live_edits(frame) == 1
    assert _created(frame) == 1


def live_note(stage: Stage) -> str:
    """A node that was made live and is in the history: the key of both."""
    frame = new_note(_key())
    assert _sent(stage, stage.first, frame) is not None
    _saved()
    return str(frame["_id"])


def _key() -> str:
    return f"note-{uuid.uuid4()}"


def _sent(stage: Stage, web: WebProcess, frame: dict[str, Any]) -> dict[str, Any] | None:
    """What it was acknowledged with; None where the process died first."""
    answer = None
    with suppress(*AWAY), at(web, stage.alice.token) as socket:
        answer = acknowledged(socket, frame)
    return answer


def _age() -> None:
    """Makes unsaved edits old enough for the clocks, in one statement: none is marked that was saved just now."""
    Object.objects.exclude(unsaved_since=None).update(unsaved_since=timezone.now() - timedelta(hours=1))


def _saved() -> None:
    def nothing_left() -> bool:
        _age()
        return not LiveEdit.objects.filter(saved_at=None).exists()

    until(nothing_left, TAKEN_OVER_WITHIN_S)


def _live_edits(frame: dict[str, Any]) -> int:
    return LiveEdit.objects.filter(key=frame["_id"]).count()


def _created(frame: dict[str, Any]) -> int:
    """How often the history has it, as the rows of the graph do."""
    created = Modification.objects.filter(key=frame["_id"], action="create").count()
    deleted = Modification.objects.filter(key=frame["_id"], action="delete").count()
    assert Node.objects.filter(key=frame["_id"]).count() == created - deleted
    return created
