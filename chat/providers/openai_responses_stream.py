"""OpenAI's Responses: the bytes of an answer as pieces. Called by `openai_responses.py`."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chat.providers import pieces
from chat.providers.call_ids import tool_name
from chat.providers.decoding import Decoder, as_dict, position_key, vendor_usage
from chat.providers.model_request import ModelRequest

VENDOR = "openai-responses"


@dataclass(slots=True)
class _Call:
    id: str
    written: str = ""
    ended: bool = False


class ResponsesDecoder(Decoder):
    def __init__(self, request: ModelRequest) -> None:
        super().__init__(request)
        self._calls_by_index: dict[object, _Call] = {}
        self._summaries = 0
        self.handlers = {
            "response.output_item.added": self._add_item,
            "response.output_item.done": self._end_item,
            "response.output_text.delta": self._text_delta,
            "response.refusal.delta": self._text_delta,
            "response.reasoning_summary_part.added": self._begin_summary,
            "response.reasoning_summary_text.delta": self._reasoning_delta,
            "response.reasoning_text.delta": self._reasoning_delta,
            "response.function_call_arguments.delta": self._arguments_delta,
            "response.completed": self._complete,
            "response.incomplete": self._complete,
            "response.failed": self.fail,
            "error": self.fail,
        }

    def pending(self) -> Iterator[pieces.Piece]:
        for call in self._calls_by_index.values():
            yield from self._end_call(call, "")

    def _add_item(self, payload: dict[str, Any]) -> Iterator[pieces.Piece]:
        item = as_dict(payload.get("item"))
        if item.get("type") != "function_call":
            return
        if before := self._calls_by_index.get(position_key(payload.get("output_index"))):
            yield from self._end_call(before, "")
        self.count_call()
        call = _Call(self.ids.claim(item.get("call_id")))
        self._calls_by_index[position_key(payload.get("output_index"))] = call
        yield pieces.ToolCallStart(call.id, tool_name(self.text(item.get("name"))))

    def _arguments_delta(self, payload: dict[str, Any]) -> Iterator[pieces.Piece]:
        call = self._calls_by_index.get(position_key(payload.get("output_index")))
        fragment = self.text(payload.get("delta"))
        if call and fragment:
            call.written += fragment
            yield pieces.ToolCallDelta(call.id, fragment)

    def _end_item(self, payload: dict[str, Any]) -> Iterator[pieces.Piece]:
        item = as_dict(payload.get("item"))
        if item.get("type") == "function_call":
            call = self._calls_by_index.get(position_key(payload.get("output_index")))
            if call is None:
                yield from self._add_item(payload)
                call = self._calls_by_index[position_key(payload.get("output_index"))]
            yield from self._end_call(call, item.get("arguments"))
        elif item.get("type") == "reasoning" and (sealed := self.text(item.get("encrypted_content"))):
            yield pieces.VendorBlock(VENDOR, self._reasoning(item, sealed))

    def _reasoning(self, item: dict[str, Any], sealed: str) -> dict[str, Any]:
        """The reasoning as it is stored and sent back: its known parts, cleaned, and nothing else."""
        parts = item["summary"] if isinstance(item.get("summary"), list) else []
        texts = [self.text(part["text"]) for part in parts if isinstance(part, dict) and part.get("text")]
        kept: dict[str, Any] = {"type": "reasoning"}
        if id_ := self.text(item.get("id")):
            kept["id"] = id_
        summary = [{"type": "summary_text", "text": text} for text in texts if text]
        return kept | {"summary": summary, "encrypted_content": sealed}

    def _end_call(self, call: _Call, whole: object) -> Iterator[pieces.Piece]:
        """The arguments as a whole, where they did not come in parts."""
        if not call.ended and not call.written.strip():
            yield pieces.ToolCallDelta(call.id, self.text(whole) or "{}")
        call.ended = True

    def _text_delta(self, payload: dict[str, Any]) -> Iterator[pieces.Piece]:
        if text := self.text(payload.get("delta")):
            yield pieces.TextDelta(text)

    def _begin_summary(self, payload: dict[str, Any]) -> Iterator[pieces.Piece]:
        self._summaries += 1
        if self._summaries > 1:
            yield pieces.ReasoningDelta("\n\n")

    def _reasoning_delta(self, payload: dict[str, Any]) -> Iterator[pieces.Piece]:
        if text := self.text(payload.get("delta")):
            yield pieces.ReasoningDelta(text)

    def _complete(self, payload: dict[str, Any]) -> Iterator[pieces.Piece]:
        response = as_dict(payload.get("response"))
        usage = as_dict(response.get("usage"))
        read, written = usage.get("input_tokens_details"), usage.get("output_tokens_details")
        self.usage = vendor_usage(usage.get("input_tokens"), usage.get("output_tokens"), read, written)
        reason = as_dict(response.get("incomplete_details")).get("reason")
        if reason == "content_filter":
            self.end("content_filter")
        else:
            self.end("length" if reason or payload.get("type") == "response.incomplete" else "stop")
        self.done = True
        return iter(())
