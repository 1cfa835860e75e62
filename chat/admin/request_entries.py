"""An entry of a request to a model as people read it, whatever vendor's wire it was written for."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from graphs.admin.display import pretty

#: A block of data in the prompt, between two marks that its rows cannot imitate (`rag/texts/fencing.py`).
_FENCED = re.compile(r"\A(\[[^\n]*\]\n<data (\w+)>\n.*?\n</data \2>)\s*", re.DOTALL)
_NOTE = re.compile(r"\A\[.*\]\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class EntryPart:
    """`holds` is one of those of `LABELS`; `call_id` joins the result of a tool with its call, which has the name."""

    holds: str
    text: str
    name: str = ""
    call_id: str = ""


LABELS: Mapping[str, Promise] = {
    "system": _("system prompt"),
    "data": _("retrieved data"),
    "note": _("note of the engine"),
    "words": _("what the person wrote"),
    "text": _("what the model said"),
    "call": _("call of a tool"),
    "result": _("result of a tool"),
    "reasoning": _("reasoning"),
    "other": _("other"),
}


def parts_of(content: str) -> list[EntryPart]:
    """The readable parts of one stored entry."""
    key, item, *_whole = json.loads(content)
    if key == "system":
        return list(_texts("system", item))
    return list(_message(item)) if isinstance(item, dict) else [EntryPart("other", pretty(item))]


def _message(item: Mapping[str, Any]) -> Iterator[EntryPart]:
    role = item.get("role") or item.get("type", "")
    match role:
        case "system" | "developer":
            yield from _texts("system", item.get("content"))
        case "tool":
            yield EntryPart("result", _text_of(item.get("content")), call_id=str(item.get("tool_call_id")))
        case "function_call_output":
            yield EntryPart("result", _text_of(item.get("output")), call_id=str(item.get("call_id")))
        case "function_call":
            yield EntryPart("call", _readable(item.get("arguments")), str(item.get("name")), str(item.get("call_id")))
        case "reasoning":
            yield EntryPart("reasoning", pretty(item))
        case "user":
            for block in _blocks(item.get("content")):
                yield from _of_user(block)
        case "assistant":
            if item.get("reasoning_content"):
                yield EntryPart("reasoning", str(item["reasoning_content"]))
            for block in _blocks(item.get("content")):
                yield _of_model(block)
            for call in item.get("tool_calls") or ():
                function = call.get("function", {})
                yield EntryPart(
                    "call", _readable(function.get("arguments")), str(function.get("name")), str(call.get("id"))
                )
        case _:
            yield EntryPart("other", pretty(item))


def _of_user(block: Mapping[str, Any]) -> Iterator[EntryPart]:
    if block.get("type") == "tool_result":
        yield EntryPart("result", _text_of(block.get("content")), call_id=str(block.get("tool_use_id")))
        return
    text = _text_of(block)
    while fenced := _FENCED.match(text):
        yield EntryPart("data", fenced[1])
        text = text[fenced.end() :]
    if text:
        yield EntryPart("note" if _NOTE.match(text) else "words", text)


def _of_model(block: Mapping[str, Any]) -> EntryPart:
    match block.get("type"):
        case "tool_use":
            return EntryPart("call", pretty(block.get("input")), str(block.get("name")), str(block.get("id")))
        case "thinking" | "redacted_thinking":
            return EntryPart("reasoning", str(block.get("thinking") or pretty(block)))
        case _:
            return EntryPart("text", _text_of(block))


def _blocks(content: Any) -> list[Mapping[str, Any]]:
    if isinstance(content, list):
        return [block if isinstance(block, dict) else {"type": "text", "text": str(block)} for block in content]
    return [{"type": "text", "text": content}] if content else []


def _texts(holds: str, content: Any) -> Iterator[EntryPart]:
    blocks = [content] if isinstance(content, dict) else _blocks(content)
    for block in blocks:
        yield EntryPart(holds, _text_of(block))


def _text_of(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        return value["text"]
    return pretty(value)


def _readable(arguments: Any) -> str:
    """Arguments as readable JSON, or as the model wrote them."""
    try:
        return pretty(json.loads(arguments))
    except (TypeError, ValueError):
        return str(arguments)
