"""What the decoders of all wires share: events to pieces, limits, and the rule that a turn must be said to be over."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, ClassVar

from chat.providers.call_ids import CallIds
from chat.providers.classifying import error_in_stream
from chat.providers.cleaning import clean, parse_json
from chat.providers.estimating import estimated_tokens, size, tokens_of
from chat.providers.model_request import ModelRequest
from chat.providers.pieces import EndReason, Piece, TurnEnd, Usage, UsageReport
from chat.providers.provider_error import ProviderError
from chat.providers.sse import EventStream, ServerSentEvent

MAX_REPLY_CHARACTERS = 4_194_304
MAX_TOOL_CALLS = 128
MAX_TOKENS_BELIEVED = 100_000_000
_SEVERITY: dict[EndReason, int] = {"stop": 0, "tool_calls": 1, "length": 2, "content_filter": 3}


class Decoder:
    """Bytes in, pieces out, however they are cut. `done`: nothing more will come; `ended`: why the turn ended."""

    #: What an event holds that is no JSON but says that nothing more comes.
    farewell: ClassVar[bytes | None] = None

    def __init__(self, request: ModelRequest) -> None:
        self.done = False
        self.ended: EndReason | None = None
        self.usage: Usage | None = None
        self.ids = CallIds.of(request)
        self.handlers: dict[str, Callable[[dict[str, Any]], Iterator[Piece]]] = {}
        self._request = request
        self._events = EventStream()
        self._seen_events = 0
        self._seen_bytes = 0
        self._calls = 0
        self._characters = 0
        self._bytes = 0

    def feed(self, chunk: bytes) -> Iterator[Piece]:
        """Pieces of one more chunk. Raises `ProviderError` at the first thing that cannot be understood."""
        self._seen_bytes += len(chunk)
        for event in self._events.feed(chunk):
            if (payload := self._parse(event)) is not None:
                yield from self.take(event.name, payload)
            if self.done:
                return

    def close(self) -> Iterator[Piece]:
        """The last pieces, ending with `TurnEnd`; `ProviderError` where the vendor never said that the turn is over."""
        for event in () if self.done else self._events.close():
            try:
                payload = self._parse(event)
            except ProviderError:
                break  # Cut within the event.
            if payload is not None:
                yield from self.take(event.name, payload)
        yield from self.pending()
        if self.ended is None:
            if self._seen_events:
                raise ProviderError("network", "the answer was cut before its end")
            if self._seen_bytes:
                raise ProviderError("server_error", "the answer is not an event stream")
            raise ProviderError("network", "the answer is empty")
        yield UsageReport(self._counted())
        ended = self.ended
        if ended in ("stop", "tool_calls"):
            ended = "tool_calls" if self._calls else "stop"
        yield TurnEnd(ended)

    def take(self, name: str, payload: dict[str, Any]) -> Iterator[Piece]:
        """Pieces of one event, by the `handlers` of its type unless a wire has no types."""
        handler = self.handlers.get(str(payload.get("type") or name))
        return handler(payload) if handler else iter(())

    def fail(self, payload: dict[str, Any]) -> Iterator[Piece]:
        raise error_in_stream(payload.get("response") or payload)

    def pending(self) -> Iterator[Piece]:
        """Pieces that waited for something that will not come."""
        return iter(())

    def text(self, value: object) -> str:
        """Cleaned text of a field, empty where it is none; counts it against the limit of a reply."""
        if not isinstance(value, str):
            return ""
        self._characters += len(value)
        self._bytes += size(value)
        if self._characters > MAX_REPLY_CHARACTERS:
            raise ProviderError("server_error", f"the answer is longer than {MAX_REPLY_CHARACTERS} characters")
        return clean(value)

    def count_call(self) -> None:
        self._calls += 1
        if self._calls > MAX_TOOL_CALLS:
            raise ProviderError("server_error", f"the answer asks for more than {MAX_TOOL_CALLS} tool calls")

    def end(self, reason: EndReason) -> None:
        """Notes that the vendor said that the turn is over; of two, the graver reason counts."""
        if self.ended is None or _SEVERITY[reason] > _SEVERITY[self.ended]:
            self.ended = reason

    def _parse(self, event: ServerSentEvent) -> dict[str, Any] | None:
        """The object that an event holds; None of the one that says that nothing more comes."""
        self.done = event.data.strip() == self.farewell
        try:
            payload = None if self.done else parse_json(event.data)
        except ValueError:
            raise ProviderError("server_error", "an event of the answer is not JSON") from None
        self._seen_events += 1
        if isinstance(payload, dict) or self.done:
            return payload
        raise ProviderError("server_error", "an event of the answer is not a JSON object")

    def _counted(self) -> Usage:
        """The vendor's counts. None of them is believed that is zero for something: they are estimated."""
        written = estimated_tokens(self._bytes)
        if self.usage is None or not self.usage.prompt_tokens:
            return Usage(tokens_of(self._request), written, estimated=True)
        if written and not self.usage.completion_tokens:
            return replace(self.usage, completion_tokens=written, estimated=True)
        return self.usage


def position_key(index: object) -> int | str | None:
    """A key for the position that an event names, whatever the vendor sends as one."""
    return index if isinstance(index, (int, str)) else None


def as_dict(value: object) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def vendor_usage(
    prompt: object, completion: object, read: object, written: object, cached: object = None
) -> Usage | None:
    """A vendor's counts, None if they cannot be believed. `cached` counts if the details do not say it."""
    prompt_tokens, completion_tokens = token_count(prompt), token_count(completion)
    if prompt_tokens is None or completion_tokens is None:
        return None
    from_cache = detail(read, "cached_tokens", prompt_tokens) or min(token_count(cached) or 0, prompt_tokens)
    return Usage(
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        cached_tokens=from_cache,
        cache_write_tokens=detail(read, "cache_write_tokens", prompt_tokens - from_cache),
        reasoning_tokens=detail(written, "reasoning_tokens", completion_tokens),
    )


def token_count(value: object) -> int | None:
    """A number of tokens that can be believed, else None."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= MAX_TOKENS_BELIEVED else None


def detail(holder: object, name: str, at_most: int) -> int:
    """A count that is part of another one, which it never exceeds; 0 where it is absent or cannot be believed."""
    count = token_count(holder.get(name)) if isinstance(holder, dict) else None
    return min(count or 0, at_most)
