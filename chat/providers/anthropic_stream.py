"""Anthropic's Messages: the bytes of an answer as pieces. Called by `anthropic.py`."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from chat.providers import pieces
from chat.providers.anthropic_messages import VENDOR
from chat.providers.call_ids import tool_name
from chat.providers.decoding import Decoder, as_dict, detail, position_key, token_count
from chat.providers.model_request import ModelRequest

_END: dict[str, pieces.EndReason] = {
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}
_COUNTS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")


@dataclass(slots=True)
class _Block:
    """A content block in the making; `written` is thinking or the JSON of arguments."""

    type: str
    id: str = ""
    written: str = ""
    signature: str = ""
    data: str = ""
    given_input: Any = None


class MessagesDecoder(Decoder):
    def __init__(self, request: ModelRequest) -> None:
        super().__init__(request)
        self._blocks: dict[object, _Block] = {}
        self._counts: dict[str, int] = {}
        self._thought = 0
        self._stop: pieces.EndReason = "stop"
        self.handlers = {
            "message_start": self._start_message,
            "content_block_start": self._start_block,
            "content_block_delta": self._take_delta,
            "content_block_stop": self._stop_block,
            "message_delta": self._take_message_delta,
            "message_stop": self._stop_message,
            "error": self.fail,
        }

    def pending(self) -> Iterator[pieces.Piece]:
        for index in list(self._blocks):
            yield from self._stop_block({"index": index})

    def _start_message(self, payload: dict[str, Any]) -> Iterator[pieces.Piece]:
        """Takes the counts of the beginning, without that of what is written: it is no count of the whole answer."""
        self._count(as_dict(payload.get("message")))
        if self.usage:
            self._counts["output_tokens"] = 0
            self.usage = replace(self.usage, completion_tokens=0, reasoning_tokens=0)
            yield pieces.UsageReport(replace(self.usage, estimated=True))

    def _start_block(self, payload: dict[str, Any]) -> Iterator[pieces.Piece]:
        yield from self._stop_block(payload)
        content = as_dict(payload.get("content_block"))
        block = _Block(str(content.get("type")))
        self._blocks[position_key(payload.get("index"))] = block
        if block.type == "tool_use":
            self.count_call()
            block.id = self.ids.claim(content.get("id"))
            block.given_input = content.get("input")
            yield pieces.ToolCallStart(block.id, tool_name(self.text(content.get("name"))))
        elif block.type == "redacted_thinking":
            block.data = self.text(content.get("data"))
        else:
            yield from self._write(block, content)

    def _take_delta(self, payload: dict[str, Any]) -> Iterator[pieces.Piece]:
        delta = as_dict(payload.get("delta"))
        block = self._blocks.get(position_key(payload.get("index"))) or _Block(
            str(delta.get("type")).removesuffix("_delta")
        )
        yield from self._write(block, delta)

    def _write(self, block: _Block, fields: dict[str, Any]) -> Iterator[pieces.Piece]:
        if block.type == "tool_use":
            if fragment := self.text(fields.get("partial_json")):
                block.written += fragment
                yield pieces.ToolCallDelta(block.id, fragment)
        elif block.type == "thinking":
            block.signature += self.text(fields.get("signature"))
            if thought := self.text(fields.get("thinking")):
                block.written += thought
                yield pieces.ReasoningDelta(thought)
        elif block.type == "text" and (text := self.text(fields.get("text"))):
            yield pieces.TextDelta(text)

    def _stop_block(self, payload: dict[str, Any]) -> Iterator[pieces.Piece]:
        block = self._blocks.pop(position_key(payload.get("index")), None)
        if block is None:
            return
        if block.type == "tool_use" and not block.written.strip():
            yield pieces.ToolCallDelta(block.id, self.text(json.dumps(as_dict(block.given_input))))
        elif block.type == "thinking" and block.signature:
            signed = {"type": "thinking", "thinking": block.written, "signature": block.signature}
            yield pieces.VendorBlock(VENDOR, signed)
        elif block.type == "redacted_thinking":
            yield pieces.VendorBlock(VENDOR, {"type": "redacted_thinking", "data": block.data})

    def _take_message_delta(self, payload: dict[str, Any]) -> Iterator[pieces.Piece]:
        self._count(payload)
        reason = as_dict(payload.get("delta")).get("stop_reason")
        if isinstance(reason, str):
            self._stop = _END.get(reason, "stop")
        return iter(())

    def _stop_message(self, payload: dict[str, Any]) -> Iterator[pieces.Piece]:
        self.end(self._stop)
        self.done = True
        return iter(())

    def _count(self, holder: dict[str, Any]) -> None:
        """Takes counts, which are cumulative and come in any event; one that cannot be believed makes all unknown."""
        usage = as_dict(holder.get("usage"))
        for name in _COUNTS:
            if usage.get(name) is not None:
                self._counts[name] = -1 if (count := token_count(usage[name])) is None else count
        counts = [self._counts.get(name, 0) for name in _COUNTS]
        if "input_tokens" not in self._counts or "output_tokens" not in self._counts or min(counts) < 0:
            self.usage = None
            return
        fresh, read, created, written = counts
        self._thought = detail(usage.get("output_tokens_details"), "thinking_tokens", written) or self._thought
        self.usage = pieces.Usage(
            prompt_tokens=fresh + read + created,
            completion_tokens=written,
            cached_tokens=read,
            cache_write_tokens=created,
            reasoning_tokens=min(self._thought, written),
        )
