"""Server-sent events out of bytes, whatever way the bytes are cut. Called by the decoders of the wires."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from chat.providers.provider_error import ProviderError

MAX_EVENT_BYTES = 1_048_576
_NEWLINE = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class ServerSentEvent:
    name: str
    data: bytes


@dataclass(slots=True)
class EventStream:
    """Feed it chunks, get whole events. A line or an event above `MAX_EVENT_BYTES` is a `ProviderError`."""

    _line_parts: list[bytes] = field(default_factory=list)
    _line_size: int = 0
    _after_cr: bool = False
    _at_start: bool = True
    _name: str = ""
    _data: list[bytes] = field(default_factory=list)
    _data_size: int = 0

    def feed(self, chunk: bytes) -> Iterator[ServerSentEvent]:
        if not chunk:
            return
        if self._after_cr:
            chunk = chunk.removeprefix(b"\n")
        self._after_cr = chunk.endswith(b"\r")
        lines = _NEWLINE.split(chunk) if b"\r" in chunk else chunk.split(b"\n")
        self._hold(lines[0])
        for following in lines[1:]:
            if event := self._end_line():
                yield event
            self._hold(following)

    def close(self) -> Iterator[ServerSentEvent]:
        """The last event, where the sender forgot the empty line that ends it."""
        for event in (self._end_line(), self._end_event()):
            if event:
                yield event

    def _hold(self, part: bytes) -> None:
        self._line_size += len(part)
        if self._line_size > MAX_EVENT_BYTES:
            raise ProviderError("server_error", f"a line of the answer is longer than {MAX_EVENT_BYTES} bytes")
        if part:
            self._line_parts.append(part)

    def _end_line(self) -> ServerSentEvent | None:
        """The event that an empty line ends."""
        line = b"".join(self._line_parts)
        self._line_parts.clear()
        self._line_size = 0
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(_BOM)
        if not line:
            return self._end_event()
        self._take_field(line)
        return None

    def _take_field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data_size += len(value) + 1
            if self._data_size > MAX_EVENT_BYTES:
                raise ProviderError("server_error", f"an event of the answer is longer than {MAX_EVENT_BYTES} bytes")
            self._data.append(value)
        elif name == b"event":
            self._name = value.decode("utf-8", "replace")

    def _end_event(self) -> ServerSentEvent | None:
        name, data = self._name, self._data
        self._name, self._data, self._data_size = "", [], 0
        return ServerSentEvent(name, b"\n".join(data)) if data else None
