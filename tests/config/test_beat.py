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
    [beat] = beats()
    with consumer.app.connection_for_read() as connection, connection.SimpleQueue("celery") as sent:
        assert [sent.get(timeout=60).headers["task"] for _ in range(2)] == ["tests.often"] * 2
    worker_shutting_down.send(sender="worker")
    beat.join(timeout=60)
    assert not beat.is_alive()
    with shelve.open(settings.BEAT_SCHEDULE) as noted:
        assert noted["entries"]["often"].total_run_count > 1


def test_a_worker_that_is_not_asked_sends_nothing(consumer: Any) -> None:
    send_what_is_due(sender=consumer)
    assert beats() == []
