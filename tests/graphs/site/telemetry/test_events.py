"""What is told is heard with whom it concerns, and nobody who listens can break who tells."""

import asyncio
import json
import logging
from functools import partial
from typing import Any

import pytest
from pytest_django import Settings

from graphs.site.telemetry.events import about, activity, emit

heard: list[dict[str, Any]] = []


def sink(entry: dict[str, Any]) -> None:
    heard.append(entry)


def broken(_entry: dict[str, Any]) -> None:
    raise OSError("the disk of the sink is full")


@pytest.fixture(autouse=True)
def listening(settings: Settings) -> None:
    heard.clear()
    settings.AI_LOG_SINK = f"{__name__}.sink"


def test_an_entry_names_whom_it_concerns_in_camel_case() -> None:
    with about(session="s", run="r"), about(workspace=None):
        emit("token_usage", prompt_tokens=3, cost=None)
    emit("token_usage")
    assert heard[0] | {"time": ""} == {
        "time": "", "level": "info", "event": "token_usage", "session": "s", "run": "r", "promptTokens": 3,
    }  # fmt: skip
    assert set(heard[1]) == {"time", "level", "event"}


def test_an_activity_ends_whatever_way_it_is_left() -> None:
    with activity("tool", tool="a") as told:
        told.note(result_chars=2)
    with pytest.raises(KeyError), activity("tool", tool="b"):
        raise KeyError("secret")
    with pytest.raises(asyncio.CancelledError), activity("tool", tool="c"):
        raise asyncio.CancelledError
    assert [(entry["event"], entry["tool"], entry["outcome"], entry["level"]) for entry in heard] == [
        ("tool_result", "a", "complete", "info"),
        ("tool_result", "b", "failed", "warning"),
        ("tool_result", "c", "stopped", "info"),
    ]
    assert heard[0]["resultChars"] == 2
    assert heard[0]["durationMs"] >= 0
    assert "secret" not in str(heard)


def test_details_come_with_ai_debug_only(settings: Settings) -> None:
    for settings.AI_DEBUG in (False, True):
        emit("ws_chat", "debug")
        with activity("tool", tool="a"):
            pass
    assert [entry["event"] for entry in heard] == ["tool_result", "ws_chat", "tool_execute", "tool_result"]


def test_text_comes_only_where_it_is_asked_for_and_never_without_end(settings: Settings) -> None:
    for settings.AI_LOG_TEXT in (False, True):
        with activity("retrieval", lambda: {"query": "q" * 9_000}):
            pass
    assert "text" not in heard[0]
    assert len(heard[1]["text"]["query"]) == 8_001
    emit("ws_chat")
    assert "text" not in heard[2]


def test_a_broken_sink_breaks_nothing(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    settings.AI_LOG_SINK = f"{__name__}.broken"
    with activity("tool", partial(dict, arguments="what the model wrote"), tool="a") as told:
        emit("malformed_json", "warning", partial(dict, raw="what the model wrote"))
    assert told.outcome == "complete"
    assert "did not hear of malformed_json: OSError" in caplog.text
    assert "disk" not in caplog.text
    assert "what the model wrote" not in caplog.text


def test_without_a_sink_it_is_one_line_of_json(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.AI_LOG_SINK = ""
    lines: list[logging.LogRecord] = []
    monkeypatch.setattr(logging.getLogger("countersign.events"), "handle", lines.append)
    emit("llm_error", "error", code="timeout\nforged")
    (line,) = lines
    assert line.levelname == "ERROR"
    assert "\n" not in line.getMessage()
    assert json.loads(line.getMessage())["code"] == "timeout\nforged"
