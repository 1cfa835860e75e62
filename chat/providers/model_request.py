"""What is sent to a model, in the neutral language of the engine and all vendors."""

import json
import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, Literal


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
    """A tool as offered to a model. `parameters` is a JSON Schema, `text` all of it as JSON, written once.

    Vendors that can, hold a model to the schema of one that is `forced`; where it is the only one it has to be called.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    forced: bool = field(default=False, kw_only=True)
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
    `bodies` are what was made of it for the models that are configured so, to be sent and to be kept as it was sent.
    """

    messages: tuple[PromptMessage, ...]
    tools: tuple[ToolSpec, ...]
    model: str
    max_tokens: int
    tools_allowed: bool = True
    deadline: float = math.inf
    earlier_calls: frozenset[str] = frozenset()
    bodies: dict[Hashable, tuple[Any, Any, dict[str, Any]]] = field(default_factory=dict, compare=False, repr=False)

    def body(self, config: Hashable, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Its body for a configuration, made once, also of one with another deadline. Nobody changes it."""
        said = (config, id(self.messages), id(self.tools), self.model, self.max_tokens, self.tools_allowed)
        if said not in self.bodies:  # With what it was made of, so that nothing else comes to have the same ids.
            self.bodies[said] = (self.messages, self.tools, make())
        return self.bodies[said][2]
