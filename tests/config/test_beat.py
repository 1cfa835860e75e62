"""config/beat.py: a worker that sends what is due."""

import shelve
import threading
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from celery import Celery
from celery.signals import worker_shutting_down
from pytest_django import Settings

from config import beat, processes
from config.beat import send_what_is_due


@pytest.fixture
def consumer() -> Any:
    """What Celery's signal tells of: its application has a schedule of one task, and a broker in this process."""
    app = Celery("beat", broker="memory://")
    app.conf.beat_schedule = {"often": {"task": "tests.often", "schedule": timedelta(milliseconds=20)}}
    return SimpleNamespace(app=app)


def beats() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "beat"]


def test_it_sends_what_is_due_until_the_worker_ends(consumer: Any, settings: Settings, tmp_path: Path) -> None:
    settings.BEAT_SCHEDULE = str(tmp_path / "schedule")
    send_what_is_due(sender=consumer)
    [thread] = beats()
    with consumer.app.connection_for_read() as connection, connection.SimpleQueue("celery") as sent:
        assert [sent.get(timeout=60).headers["task"] for _ in range(2)] == ["tests.often"] * 2
    worker_shutting_down.send(sender="worker")
    thread.join(timeout=60)
    assert not thread.is_alive()
    with shelve.open(settings.BEAT_SCHEDULE) as noted:
        assert noted["entries"]["often"].total_run_count > 1


def test_it_begins_again_after_what_ended_it_and_holds_nobody_up(
    consumer: Any, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its file cannot be written: the folder is not there yet, and then it is."""
    monkeypatch.setattr(beat, "PAUSE_S", 0.05)
    settings.BEAT_SCHEDULE = str(tmp_path / "later" / "schedule")
    send_what_is_due(sender=consumer)
    [thread] = beats()
    thread.join(timeout=0.2)
    assert thread.is_alive()
    (tmp_path / "later").mkdir()
    with consumer.app.connection_for_read() as connection, connection.SimpleQueue("celery") as sent:
        assert sent.get(timeout=60).headers["task"] == "tests.often"
    worker_shutting_down.send(sender="worker")
    thread.join(timeout=60)
    assert not thread.is_alive()


def test_who_cannot_begin_ends_with_the_worker(consumer: Any, settings: Settings, tmp_path: Path) -> None:
    settings.BEAT_SCHEDULE = str(tmp_path / "never" / "schedule")
    send_what_is_due(sender=consumer)
    [thread] = beats()
    worker_shutting_down.send(sender="worker")
    thread.join(timeout=60)
    assert not thread.is_alive()


def test_a_worker_that_is_not_asked_sends_nothing(consumer: Any) -> None:
    send_what_is_due(sender=consumer)
    assert beats() == []


def test_one_worker_of_several_is_asked() -> None:
    of_somebody = {"BEAT_SCHEDULE": "/mine"}
    asked = [dict(each.env or {})["BEAT_SCHEDULE"] for each in processes.workers(3, Path("/data"), of_somebody)]
    assert asked == ["/data/beat-schedule", "", ""]
