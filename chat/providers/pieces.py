"""What a model answers: a stream of pieces, folded into a reply.

A reply counts only when its last piece is a `TurnEnd`: `Reply.end` is None otherwise.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

from chat.providers.model_request import ToolCall
from chat.providers.provider_error import ProviderError

EndReason = Literal["stop", "tool_calls", "length", "content_filter"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call; `estimated` where the vendor did not say.

    `prompt_tokens` includes `cached_tokens`, read from the vendor's cache, and `cache_write_tokens`, kept there for the
    next call; `completion_tokens` includes `reasoning_tokens`, where the vendor counts them apart.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    estimated: bool = False
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ToolCallStart:
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    id: str
    fragment: str


@dataclass(frozen=True, slots=True)
class UsageReport:
    usage: Usage


@dataclass(frozen=True, slots=True)
class VendorBlock:
    """Something opaque to give back in the next request (see `PromptMessage.vendor_blocks`)."""

    vendor: str
    block: dict[str, Any]


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """The vendor said that the turn is over."""

    reason: EndReason


@dataclass(frozen=True, slots=True)
class Retrying:
    """The call failed with `error` before anything was shown; attempt number `attempt` follows after `delay_s`."""

    attempt: int
    delay_s: float
    error: ProviderError


Piece = TextDelta | ReasoningDelta | ToolCallStart | ToolCallDelta | UsageReport | VendorBlock | TurnEnd | Retrying


@dataclass(frozen=True, slots=True)
class Reply:
    """What the pieces so far amount to. `end` is None until a `TurnEnd`; `model` is who wrote it, if known."""

    text: str = ""
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    vendor: str = ""
    vendor_blocks: tuple[dict[str, Any], ...] = ()
    model: str = ""
    end: EndReason | None = None


def fold(reply: Reply, piece: Piece) -> Reply:
    """The reply after one more piece."""
    match piece:
        case TextDelta(text):
            return replace(reply, text=reply.text + text)
        case ReasoningDelta(text):
            return replace(reply, reasoning=reply.reasoning + text)
        case ToolCallStart(id, name):
            return replace(reply, tool_calls=(*reply.tool_calls, ToolCall(id, name, "")))
        case ToolCallDelta(id, fragment):
            calls = tuple(
                replace(call, arguments=call.arguments + fragment) if call.id == id else call
                for call in reply.tool_calls
            )
            return replace(reply, tool_calls=calls)
        case UsageReport(usage):
            return replace(reply, usage=usage)
        case VendorBlock(vendor, block):
            return replace(reply, vendor=vendor, vendor_blocks=(*reply.vendor_blocks, block))
        case TurnEnd(reason):
            return replace(reply, end=reason)
        case Retrying():
            return reply
