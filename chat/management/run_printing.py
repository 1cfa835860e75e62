"""The events of a run as text in a terminal: the answer on standard output, all else as dimmed lines on the other."""

import json
import re
from typing import Any

from django.core.management.base import OutputWrapper

from chat.events.vocabulary import StoredEvent

ARGUMENTS_CHARS = 200
#: What could command a terminal instead of being shown by it.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class RunPrinter:
    """Prints the events of one run, which `show` gets in order."""

    def __init__(self, out: OutputWrapper, notes: OutputWrapper) -> None:
        self._out = out
        self._notes = notes
        self._dim = notes.isatty()
        self._names: dict[str, str] = {}
        #: Where a line is not finished yet.
        self._open: OutputWrapper | None = None

    def show(self, event: StoredEvent) -> None:
        data = event.data
        match event.type:
            case "content_delta":
                self._say(self._out, data["delta"])
            case "reasoning_delta":
                self._say(self._notes, data["delta"])
            case "tool_call_start":
                self._names[data["toolCallId"]] = data["name"]
                self.note(f"→ {data['name']} {_short(data['args'])}" if data["args"] else f"→ {data['name']}")
            case "tool_call_delta" if "args" in data:
                self.note(f"→ {self._names[data['toolCallId']]} {_short(data['args'])}")
            case "tool_call_result":
                size = len(json.dumps(data["result"], ensure_ascii=False))
                failed = isinstance(data["result"], dict) and data["result"].get("error")
                self.note(f"← {self._names.get(data['toolCallId'], '?')}: {failed or f'{size} characters'}")
            case "proposal":
                self.note(
                    f"{self._names.get(data['toolCallId'], '?')} waits for a decision: proposal {data['proposalId']}"
                )
            case "usage":
                cost = "price unknown" if data["cost"] is None else f"${data['cost']:.4f}"
                self.note(f"{data['promptTokens']} + {data['completionTokens']} tokens, {cost}")
            case "tool_limit":
                self.note(f"The {data['roundsUsed']} rounds of tools are used up. Go on or sum up in the conversation.")
            case "status":
                self.note(data["state"])
            case "error":
                self.note(f"error: {data['code']}")
            case "done":
                self.note(f"done: {data['reason']}")

    def note(self, text: str) -> None:
        """A line of its own beside the answer."""
        self._finish_line()
        self._notes.write(self._dimmed(_harmless(text)), style_func=str)
        self._notes.flush()

    def _say(self, where: OutputWrapper, text: str) -> None:
        if self._open is not where:
            self._finish_line()
        text = _harmless(text)
        where.write(self._dimmed(text) if where is self._notes else text, style_func=str, ending="")
        where.flush()
        self._open = None if text.endswith("\n") else where

    def _finish_line(self) -> None:
        if self._open is not None:
            self._open.write("")
            self._open.flush()
            self._open = None

    def _dimmed(self, text: str) -> str:
        return f"\x1b[2m{text}\x1b[0m" if self._dim else text


class EventLines:
    """Prints a run as lines of JSON, for programs: a note, or an event with its type, number and data."""

    def __init__(self, out: OutputWrapper) -> None:
        self._out = out

    def show(self, event: StoredEvent) -> None:
        self._write({"sequence": event.sequence, "type": event.type, "data": event.data})

    def note(self, text: str) -> None:
        self._write({"type": "note", "text": text})

    def _write(self, line: dict[str, Any]) -> None:
        self._out.write(json.dumps(line))
        self._out.flush()


def _harmless(text: str) -> str:
    return _CONTROL.sub("\ufffd", text)


def _short(arguments: dict[str, Any]) -> str:
    text = json.dumps(arguments, ensure_ascii=False)
    return text if len(text) <= ARGUMENTS_CHARS else f"{text[:ARGUMENTS_CHARS]}…"
