"""What an answer's events amount to: its text, its reasoning and its tool calls.

The same fold fills the stored message while the engine streams, rebuilds it after a crash, and lets a test prove that
replaying the log gives what is stored.
"""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from chat.events.vocabulary import StoredEvent, storable

#: Between the texts of two rounds.
PARAGRAPH = "\n\n"
#: The status of a call that waits for a person.
WAITING = "waiting"


@dataclass(slots=True)
class Transcript:
    """Grows with `add`. `calls` maps a tool call's id to `{id, name, args, result, status}`, in order."""

    texts: list[str] = field(default_factory=list)
    reasonings: list[str] = field(default_factory=list)
    calls: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "".join(self.texts)

    @property
    def reasoning(self) -> str:
        return "".join(self.reasonings)

    @property
    def tool_calls(self) -> list[dict[str, Any]]:
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
                call = {"id": data["toolCallId"], "name": data["name"], "args": data["args"]}
                self.calls[data["toolCallId"]] = {**call, "result": None, "status": "running"}
            case "tool_call_result":
                data = storable(data)
                call = self.calls[data["toolCallId"]]
                call["result"] = data["result"]
                call["status"] = status_of(data["result"])
            case "proposal":
                call = self.calls[data["toolCallId"]]
                call["result"] = {"proposalId": data["proposalId"], "status": "pending"}
                call["status"] = WAITING


def status_of(result: Any) -> str:
    """ "error" for a result the tool gave as such, else "ok"."""
    return "error" if isinstance(result, dict) and "error" in result else "ok"


def replay(events: Iterable[StoredEvent], message_id: uuid.UUID, begun: Transcript | None = None) -> Transcript:
    """One answer as its events tell it: those of its run, and what was decided later about its calls.

    `begun` is continued where the events come in pages.
    """
    transcript = Transcript() if begun is None else begun
    for event in events:
        if event.message_id == message_id:
            transcript.add(event.type, event.data)
    return transcript
