"""The wire as it was recorded: names, order, types, values, status codes and content types of all doors.

A chapter that differs fails with the lines that differ. If the difference is meant, record it anew:

    .venv/bin/python -m tests.wire.record

and commit `recorded/` with what made it. Values that no two runs share are placeholders (`placeholders.py`); all others
are compared to the letter.
"""

import os
import re
import uuid
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from pytest_django import Settings

from tests.cast import PASSWORD
from tests.chat.inprocess import run
from tests.doors.addresses import every_address
from tests.wire import files, inside
from tests.wire.chapters import CHAPTERS
from tests.wire.story import API, Story

RECORDING = bool(os.environ.get("RECORD_WIRE"))
PREFIX = API.lstrip("/")
#: The frames that clients are told of. `ai:question` is reserved: nothing sends it yet.
FRAMES = {
    "ai:authenticated", "ai:accepted", "ai:subscribed", "ai:unsubscribed", "ai:error", "ai:user_message", "ai:status",
    "ai:token", "ai:reasoning", "ai:tool_start", "ai:tool_delta", "ai:tool_result", "ai:proposal", "ai:decision",
    "ai:tool_limit", "ai:usage", "ai:object_changed", "ai:session_updated", "ai:complete", "graph:authenticated",
    "graph:opened", "graph:ack", "graph:saved", "graph:edited", "graph:changed", "graph:presence", "graph:error",
}  # fmt: skip
#: Drawings, whose bytes are those of the library that draws: `tests/graphs/api/test_matrix.py` looks into them.
DRAWN = {
    *((f"folders/{{folder}}/matrix.{form}", "GET") for form in ("svg", "png")),
    ("folders/{folder}/matrix/preview", "POST"),
}


@pytest.fixture
def story(transactional_db: None, quick_passwords: None, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Story:
    """The demo's data, and nobody's counts of another test."""
    settings.REDIS_PREFIX = f"{settings.REDIS_PREFIX}:{uuid.uuid4().hex}"
    monkeypatch.setenv("DEMO_PASSWORD", PASSWORD)
    call_command("seed_demo", stdout=StringIO())
    return Story(inside.voice(monkeypatch), settings)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_wire_is_as_recorded(story: Story, chapter: str) -> None:
    run(lambda: CHAPTERS[chapter](story))
    if RECORDING:
        files.path_of(chapter).write_text(story.written(), encoding="utf-8")
    if difference := files.difference(chapter, story.written()):
        pytest.fail(difference, pytrace=False)


def test_every_file_has_a_chapter() -> None:
    assert {path.stem for path in files.FOLDER.iterdir()} == set(CHAPTERS)


def test_every_address_is_in_the_story() -> None:
    addresses = {each.path.removeprefix(PREFIX) for each in every_address() if each.path.startswith(PREFIX)}
    assert addresses - {address for address, _method, _status in answers(addresses)} == set()


def test_every_operation_has_a_good_answer_and_every_one_with_an_id_a_404() -> None:
    (schema,) = [step["json"] for step in files.read("schema") if step["answer"].startswith("200")]
    operations = {
        (path.removeprefix(API), method.upper())
        for path, methods in schema["paths"].items()
        for method in methods
        if method != "parameters"
    }
    recorded = list(answers({path for path, _method in operations}))
    good = {(address, method) for address, method, status in recorded if status < 300}
    absent = {(address, method) for address, method, status in recorded if status == 404}
    assert operations - good == DRAWN
    assert {(path, method) for path, method in operations if "{" in path} - absent == set()


def test_every_frame_is_in_the_story() -> None:
    on_sockets = [step for step in steps() if "socket" in step]
    frames = [frame for step in on_sockets for frame in step.get("hears", [step.get("answer")])]
    assert {frame["type"] for frame in frames} == FRAMES


def steps() -> Iterator[dict[str, Any]]:
    for chapter in CHAPTERS:
        yield from files.read(chapter)


def answers(addresses: set[str]) -> Iterator[tuple[str, str, int]]:
    """Address, method and status of each recorded request to one of these."""
    patterns = {
        address: re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(address)))
        for address in sorted(addresses, key=lambda each: each.count("{"))
    }
    for step in steps():
        if "request" in step:
            method, _, path = step["request"].partition(" ")
            path = path.partition("?")[0]
            found = next((address for address, pattern in patterns.items() if pattern.fullmatch(path)), "")
            yield found, method, int(step["answer"][:3])
