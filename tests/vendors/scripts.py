"""What a vendor shall do with one request. Made by tests, or read from JSON."""

import re
from dataclasses import dataclass, field
from threading import Event
from typing import Any, Literal

_TOKEN = re.compile(r"\S+\s*|\s+")


@dataclass(frozen=True)
class ScriptedCall:
    """A tool call; `arguments` is an object, or text to be sent as it is."""

    name: str
    arguments: dict[str, Any] | str = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True)
class Script:
    """One answer. Chunks are events of the stream, counted from 0; times are seconds.

    `status` other than 200 answers with `error` (a message, or a whole body) or `raw`, and with `headers`. `stamps`
    sends that many tokens, each the time of its sending in nanoseconds since 1970. `cut` ends the connection before
    chunk `cut_at`: "clean" is a proper end of HTTP, "eof" closes, "reset" is a TCP reset. `stall_at` sends nothing
    from that chunk on, until it `goes_on`. `finish` replaces the reason of the end ("" leaves the terminal marker
    out), `usage` what is counted (`input`, `output`, `cached`, `kept` in the cache, `reasoning`; None leaves it
    out). `raw` is sent as the body, byte for byte; a tuple is sent chunk by chunk. `slice_bytes` cuts the stream
    into writes of that size. `token_chars` makes tokens of that many characters instead of words.
    """

    text: str = ""
    token_chars: int = 0
    reasoning: str = ""
    signature: str = ""
    tool_calls: tuple[ScriptedCall, ...] = ()
    stamps: int = 0
    status: int = 200
    error: str | dict[str, Any] = "scripted failure"
    headers: dict[str, str] = field(default_factory=dict)
    first_delay_s: float = 0
    delay_s: float = 0
    cut: Literal["", "clean", "eof", "reset"] = ""
    cut_at: int = 0
    stall_at: int | None = None
    goes_on: Event | None = None
    finish: str | None = None
    usage: dict[str, Any] | None = field(default_factory=lambda: {"input": 100, "output": 20, "cached": 40})
    raw: bytes | tuple[bytes, ...] | None = None
    content_type: str = "text/event-stream"
    slice_bytes: int = 0

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Script":
        """A script from the names above; `raw` as text."""
        calls = tuple(ScriptedCall(**call) for call in fields.get("tool_calls", ()))
        raw = fields.get("raw")
        return cls(**{**fields, "tool_calls": calls, "raw": raw.encode() if raw is not None else None})

    def tokens(self) -> list[str]:
        return pieces_of(self.text, self.token_chars) if self.token_chars else _TOKEN.findall(self.text)


def pieces_of(text: str, size: int = 6) -> list[str]:
    """A text in fragments, as vendors send arguments."""
    return [text[start : start + size] for start in range(0, len(text), size)]
