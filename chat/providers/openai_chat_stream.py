"""Chat Completions: the bytes of an answer as pieces. Called by `openai.py`."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chat.providers import pieces
from chat.providers.call_ids import tool_name
from chat.providers.classifying import error_in_stream
from chat.providers.decoding import Decoder, as_dict, vendor_usage
from chat.providers.model_request import ModelRequest
from chat.providers.provider_error import ProviderError

_END: dict[str, pieces.EndReason] = {
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "content_filter": "content_filter",
}


@dataclass(slots=True)
class _Call:
    """A call in the making. `id` is empty until it was announced; `arguments` waits until then."""

    vendor_id: str = ""
    name: str = ""
    id: str = ""
    arguments: str = ""


class ChatDecoder(Decoder):
    farewell = b"[DONE]"

    def __init__(self, request: ModelRequest) -> None:
        super().__init__(request)
        self._by_index: dict[object, _Call] = {}
        self._in_order: list[_Call] = []

    def take(self, name: str, payload: dict[str, Any]) -> Iterator[pieces.Piece]:
        if payload.get("error") or name == "error":
            raise error_in_stream(payload)
        if isinstance(usage := payload.get("usage"), dict):
            read, written = usage.get("prompt_tokens_details"), usage.get("completion_tokens_details")
            prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
            cached = usage.get("prompt_cache_hit_tokens")  # DeepSeek's word.
            self.usage = vendor_usage(prompt, completion, read, written, cached) or self.usage
        choices = payload.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if not isinstance(choice, dict) or choice.get("index", 0) not in (0, None):
                continue
            delta = as_dict(choice.get("delta"))
            if reasoning := self.text(delta.get("reasoning_content") or delta.get("reasoning")):
                yield pieces.ReasoningDelta(reasoning)
            if text := self.text(delta.get("content")) + self.text(delta.get("refusal")):
                yield pieces.TextDelta(text)
            fragments = delta.get("tool_calls")
            for fragment in fragments if isinstance(fragments, list) else ():
                if isinstance(fragment, dict):
                    yield from self._take_fragment(fragment)
            reason = choice.get("finish_reason")
            if reason == "insufficient_system_resource":
                raise ProviderError("server_error", "the vendor ran out of resources within the answer")
            if isinstance(reason, str) and reason:
                self.end(_END.get(reason, "stop"))

    def pending(self) -> Iterator[pieces.Piece]:
        for call in self._in_order:
            if not call.id:
                yield from self._announce(call)
            if not call.arguments.strip():
                yield pieces.ToolCallDelta(call.id, "{}")

    def _take_fragment(self, fragment: dict[str, Any]) -> Iterator[pieces.Piece]:
        function = as_dict(fragment.get("function"))
        call = self._call_of(fragment, function)
        call.name = call.name or self.text(function.get("name"))
        written = function.get("arguments")
        arguments = self.text(json.dumps(written) if isinstance(written, dict) else written)
        call.arguments += arguments
        if not call.id and call.name:
            yield from self._announce(call)
        elif call.id and arguments:
            yield pieces.ToolCallDelta(call.id, arguments)

    def _call_of(self, fragment: dict[str, Any], function: dict[str, Any]) -> _Call:
        """The call that a fragment belongs to. A new id with a name begins a new one, also at an index seen before."""
        given = fragment.get("id")
        vendor_id = given if isinstance(given, str) else ""
        index = fragment.get("index")
        call = self._by_index.get(index) if isinstance(index, int) else self._without_index(vendor_id)
        begins = bool(vendor_id and function.get("name"))
        if call is None or (begins and call.vendor_id and call.vendor_id != vendor_id):
            self.count_call()
            call = _Call()
            self._in_order.append(call)
            if isinstance(index, int):
                self._by_index[index] = call
        call.vendor_id = call.vendor_id or vendor_id
        return call

    def _without_index(self, vendor_id: str) -> _Call | None:
        same = [call for call in self._in_order if call.vendor_id == vendor_id] if vendor_id else self._in_order
        return same[-1] if same else None

    def _announce(self, call: _Call) -> Iterator[pieces.Piece]:
        call.id = self.ids.claim(call.vendor_id)
        yield pieces.ToolCallStart(call.id, tool_name(call.name))
        if call.arguments:
            yield pieces.ToolCallDelta(call.id, call.arguments)
