"""Writes events as entries of a structured log: JSON lines, or what the function in `AI_LOG_SINK` makes of them."""

import json
import logging
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from graphs.site.telemetry.events import Activity, ActivityName, Level, Listener, Moment, Text

log = logging.getLogger("countersign.events")

_LEVELS = logging.getLevelNamesMapping()
Entry = dict[str, Any]
#: The names of the events at the beginning and at the end of an activity. The first is written with AI_DEBUG only.
BEGIN: dict[ActivityName, str] = {"run": "agent_chat_start", "llm_call": "llm_call_start", "tool": "tool_execute"}
END: dict[ActivityName, str] = {
    "run": "agent_chat_done",
    "llm_call": "llm_call_done",
    "tool": "tool_result",
    "retrieval": "rag_retrieve",
    "question_embedding": "rag_embedding",
    "embedding_batch": "embedding_batch",
}
#: Longer texts are cut.
MAX_TEXT_CHARS = 8_000


class LogLines(Listener):
    """The listener that writes the log."""

    def emitted(self, moment: Moment) -> None:
        if moment.level != "debug" or settings.AI_DEBUG:
            _sink()(_entry(moment.name, moment.level, moment.about, moment.fields, moment.text))

    def begun(self, activity: Activity) -> None:
        if settings.AI_DEBUG and activity.name in BEGIN:
            _sink()(_entry(BEGIN[activity.name], "debug", activity.about, activity.fields, activity.text))

    def ended(self, activity: Activity, begun: None) -> None:
        fields = {**activity.fields, "outcome": activity.outcome, "duration_ms": round(activity.seconds * 1000, 1)}
        level: Level = "warning" if activity.failed else "info"
        _sink()(_entry(END[activity.name], level, activity.about, fields, activity.text))


def to_logging(entry: Entry) -> None:
    """Writes an entry through `logging`; the default sink."""
    line = json.dumps(entry, ensure_ascii=False, default=str)
    log.log(_LEVELS[entry["level"].upper()], "%s", line)


def has_sink() -> bool:
    """Whether what `AI_LOG_SINK` names, if anything, is a function."""
    try:
        return callable(_sink())
    except ImportError:
        return False


def _sink() -> Callable[[Entry], None]:
    return import_string(settings.AI_LOG_SINK) if settings.AI_LOG_SINK else to_logging


def _entry(name: str, level: Level, about: Mapping[str, Any], fields: Mapping[str, Any], text: Text) -> Entry:
    entry: Entry = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "level": level, "event": name}
    values = {**about, **fields}
    if settings.AI_LOG_TEXT and (said := text()):
        values["text"] = {_camel(key): _cut(value) for key, value in said.items()}
    plain = str | int | float | bool | list | dict
    shown = {name: value if isinstance(value, plain) else str(value) for name, value in values.items()}
    return entry | {_camel(name): value for name, value in shown.items() if values[name] is not None}


def _cut(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= MAX_TEXT_CHARS else f"{text[:MAX_TEXT_CHARS]}…"


@cache
def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
