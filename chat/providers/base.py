"""The neutral language between the engine and the vendors of models.

A provider turns a `ModelRequest` into a stream of pieces; `fold` turns pieces into a `Reply`. Nothing here or in the
providers knows Django. A reply counts only when its last piece is a `TurnEnd`: `Reply.end` is None otherwise.
"""

import json
import math
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from graphs.site.vendor_errors import RETRYABLE, ErrorCode

Wire = Literal["openai", "openai-responses", "anthropic", "demo"]
EndReason = Literal["stop", "tool_calls", "length", "content_filter"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call the model asks for; `arguments` is JSON text as the model wrote it, perhaps malformed."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """One entry of the conversation as a vendor sees it.

    `vendor_blocks` are opaque JSON objects of the vendor named in `vendor` that it must get back unchanged in the same
    turn (Anthropic's signed thinking); other vendors ignore them. `model` names who wrote an answer, "provider:model",
    where that is known.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    reasoning: str = ""
    vendor: str = ""
    vendor_blocks: tuple[dict[str, Any], ...] = ()
    model: str = ""
    cache_breakpoint: bool = False


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as offered to a model. `parameters` is a JSON Schema, `text` all of it as JSON, written once."""

    name: str
    description: str
    parameters: dict[str, Any]
    text: str = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        said = {"name": self.name, "description": self.description, "parameters": self.parameters}
        object.__setattr__(self, "text", json.dumps(said, ensure_ascii=False, separators=(",", ":")))


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What is sent to a model; `max_tokens` bounds what it may write.

    With `tools_allowed` False it may not call any: they are not sent, or sent with a choice of "none" where a vendor
    needs to know the tools of earlier calls. The answer has to be whole before the event loop's clock shows `deadline`.
    `earlier_calls` are ids of calls of this answer that are not among the messages: no new call may get one of them.
    """

    messages: tuple[PromptMessage, ...]
    tools: tuple[ToolSpec, ...]
    model: str
    max_tokens: int
    tools_allowed: bool = True
    deadline: float = math.inf
    earlier_calls: frozenset[str] = frozenset()


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
    error: "ProviderError"


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


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens. `cache_write` is for what a vendor keeps in its cache; None: as other input."""

    input: float
    cached_input: float
    output: float
    cache_write: float | None = None

    def cost(self, usage: Usage) -> float:
        """What a call cost, in US dollars."""
        fresh = usage.prompt_tokens - usage.cached_tokens - usage.cache_write_tokens
        written = self.input if self.cache_write is None else self.cache_write
        total = (
            fresh * self.input
            + usage.cached_tokens * self.cached_input
            + usage.cache_write_tokens * written
            + usage.completion_tokens * self.output
        )
        return total / 1_000_000


@dataclass(frozen=True, slots=True)
class ProviderConfig:
    """One entry of the registry, completed from the environment.

    `kind` names the wire: "openai" (Chat Completions), "openai-responses" (Responses, for reasoning summaries),
    "anthropic" or "demo". `price` is None where nobody knows it. `context_window` is what prompt and answer may take
    together, in tokens.

    Facts about a vendor: `max_tokens_field` is what Chat Completions calls its limit there; `echo_reasoning`: it wants
    the reasoning of turns with tool calls back; `tool_choice_none`: its Chat Completions take tools that may not be
    called; `thinking_tokens`: what Anthropic's model may think with, 0 is off;
    `adaptive_thinking`: it decides itself how much, as those since 2026 do.
    """

    name: str
    kind: Wire
    base_url: str
    model: str
    max_tokens: int
    price: Price | None
    context_window: int = 32_768
    api_key: str = field(default="", repr=False)
    max_tokens_field: str = "max_tokens"
    echo_reasoning: bool = False
    tool_choice_none: bool = False
    thinking_tokens: int = 0
    adaptive_thinking: bool = False
    idle_timeout_s: float = 60
    total_timeout_s: float = 600

    @property
    def id(self) -> str:
        """The name of this choice, "provider:model"."""
        return f"{self.name}:{self.model}"


class ProviderError(Exception):
    """A call failed. `code` is one of eight; `detail` is for logs and never holds a key or a URL with one.

    `said` is what the vendor wrote about it: it may quote the request, so it is only told where text is asked for.
    `retry_after` is in seconds, where the vendor said so. `billed`: the vendor may have read the request and written
    something, so the call may cost money; one that was refused or never reached it does not.
    """

    def __init__(
        self,
        code: ErrorCode,
        detail: str,
        *,
        said: str = "",
        retryable: bool | None = None,
        status: int | None = None,
        retry_after: float | None = None,
        billed: bool = False,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.said = said
        self.retryable = code in RETRYABLE if retryable is None else retryable
        self.status = status
        self.retry_after = retry_after
        self.billed = billed

    def reworded(self, detail: str, said: str, *, billed: bool) -> "ProviderError":
        """This failure in other words, by somebody who knows whether it was billed."""
        return ProviderError(
            self.code,
            detail,
            said=said,
            retryable=self.retryable,
            status=self.status,
            retry_after=self.retry_after,
            billed=billed,
        )


class Provider(Protocol):
    """One vendor's wire. Instances live as long as the process and keep one HTTP client."""

    config: ProviderConfig

    def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        """Yields pieces, at last a `TurnEnd`, or raises `ProviderError`; closing it closes the connection at once."""
        ...

    async def close(self) -> None:
        """Gives back the HTTP client."""
        ...
