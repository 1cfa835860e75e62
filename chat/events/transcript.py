"""What an answer's events amount to: the same fold stores a message, rebuilds it after a crash, and replays it."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from chat.events.vocabulary import StoredEvent, storable
from chat.models import WAITING, Call

#: Between the texts of two rounds.
PARAGRAPH = "\n\n"


@dataclass(slots=True)
class Transcript:
    """Grows with `add`. `calls` are the tool calls by their ids, in order.

    `arguments` is what was shown of the text of their arguments while they were written.
    """

    texts: list[str] = field(default_factory=list)
    reasonings: list[str] = field(default_factory=list)
    calls: dict[str, Call] = field(default_factory=dict)
    arguments: dict[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "".join(self.texts)

    @property
    def reasoning(self) -> str:
        return "".join(self.reasonings)

    @property
    def tool_calls(self) -> list[Call]:
        return list(self.calls.values())

    @property
    def empty(self) -> bool:
        """True when a reader has seen nothing of the answer yet."""
        return not (self.texts or self.reasonings or self.calls)

    def paragraph(self, text: str) -> str:
        """What to add so that the text stands in a paragraph of its own."""
        return PARAGRAPH + text if self.texts else text

    def add(self, type_: str, data: dict[str, Any]) -> None:
        """Takes an event of any type, in the form in which the log stores it."""
        match type_:
            case "content_delta":
                self.texts.append(storable(data["delta"]))
            case "reasoning_delta":
                self.reasonings.append(storable(data["delta"]))
            case "tool_call_start":
                data = storable(data)
                self.calls[data["toolCallId"]] = Call(data["toolCallId"], data["name"], data["args"])
            case "tool_call_delta" if "args" in data:
                data = storable(data)
                self.calls[data["toolCallId"]] = replace(self.calls[data["toolCallId"]], args=data["args"])
            case "tool_call_delta":
                self.arguments[data["toolCallId"]] = self.arguments.get(data["toolCallId"], "") + data["delta"]
            case "tool_call_result":
                data = storable(data)
                self._set_result(data["toolCallId"], data["result"], status_of(data["result"]))
            case "generation" if data["state"] == "running" and "progress" not in data:
                # Another process took it over, and writes it anew.
                for part in (self.texts, self.reasonings, self.calls, self.arguments):
                    part.clear()
            case "proposal":
                self._set_result(data["toolCallId"], {"proposalId": data["proposalId"], "status": "pending"}, WAITING)

    def _set_result(self, call_id: str, result: Any, status: str) -> None:
        self.calls[call_id] = replace(self.calls[call_id], result=result, status=status)


def status_of(result: Any) -> str:
    """ "error" for a result the tool gave as such, else "ok"."""
    return "error" if isinstance(result, dict) and "error" in result else "ok"


def replay(events: Iterable[StoredEvent], message_id: uuid.UUID, begun: Transcript | None = None) -> Transcript:
    """The transcript of an answer: its run's events and later decisions. `begun` is continued page by page."""
    transcript = Transcript() if begun is None else begun
    for event in events:
        if event.message_id == message_id:
            transcript.add(event.type, event.data)
    return transcript
