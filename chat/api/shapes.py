"""What the conversation's endpoints take and give, as pydantic models: they check bodies and describe OpenAPI."""

from typing import Annotated, Any, Literal

from pydantic import Field

from chat.actions.posting import Asked
from chat.api.proposal_shapes import ProposalShape
from graphs.api.history_shapes import ObjectName
from graphs.api.shapes import Shape
from graphs.site.api.bodies import Body


class MessageBody(Asked):
    """With `wait` the run is awaited before the response is sent (`chat/web/waiting.py`)."""

    wait: bool | None = None


class MessageKeepingBody(Body):
    """Whether a model is sent the message until it is summarised, always, or never."""

    in_prompt: Literal["auto", "pinned", "left_out"]


class ResumeBody(Body):
    answer: Annotated[str, Field(max_length=32_000)] | None = None
    continue_: bool | None = Field(None, alias="continue")
    wait: bool | None = None


class RetryBody(Body):
    wait: bool | None = None


class DeepenBody(Body):
    wait: bool | None = None


class StopBody(Body):
    pass


class SessionBody(Body):
    title: Annotated[str, Field(max_length=1000)] | None = None
    model: Annotated[str, Field(max_length=100)] | None = None
    on_disconnect: Literal["continue", "cancel"] | None = None
    require_validation: bool | None = None


class AcceptedShape(Shape):
    session_id: str
    user_message_id: str
    message_id: str
    run_id: str
    stream_id: str


class ErrorShape(Shape):
    code: str
    message: str
    retryable: bool


class ToolCallShape(Shape):
    id: str
    name: str
    args: dict[str, Any]
    result: Any
    status: Literal["running", "waiting", "ok", "error"]


class RestedShape(AcceptedShape):
    type: Literal["message", "interrupt", "question", "toolLimit", "error"]
    message: str
    tool_calls: list[ToolCallShape]
    proposals: list[ProposalShape]
    error: ErrorShape | None = None


class DecidedShape(Shape):
    """The ids tell which run goes on, where one does; the rest, with `wait`, how it ended."""

    proposal: ProposalShape
    session_id: str | None = None
    user_message_id: str | None = None
    message_id: str | None = None
    run_id: str | None = None
    stream_id: str | None = None
    type: Literal["message", "interrupt", "question", "toolLimit", "error"] | None = None
    message: str | None = None
    tool_calls: list[ToolCallShape] | None = None
    proposals: list[ProposalShape] | None = None
    error: ErrorShape | None = None


class UsageShape(Shape):
    """`cost` is in US dollars, null where nobody knows the price; `estimated` where a vendor did not count.

    Tokens that were read from the vendor's cache or kept there are among those of the prompt, those of reasoning among
    those of the completion.
    """

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    cache_write_tokens: int
    reasoning_tokens: int
    cost: float | None
    estimated: bool


class SessionUsageShape(UsageShape):
    """Of the whole conversation; `cost` leaves out the `unpricedTokens` of models without a price."""

    unpriced_tokens: int


class SessionShape(Shape):
    id: str
    title: str
    type: str
    context: ObjectName | None
    model: str
    model_available: bool
    phase: str
    waiting: dict[str, Any] | None
    usage: SessionUsageShape
    stream_id: str
    on_disconnect: str
    require_validation: bool
    created_at: str
    updated_at: str


class MessageShape(Shape):
    id: str
    role: Literal["user", "assistant"]
    status: Literal["complete", "queued", "streaming", "stopped", "failed"]
    content: str
    html: str
    reasoning: str
    tool_calls: list[ToolCallShape]
    proposals: list[ProposalShape]
    model: str
    model_id: str
    deepens: str | None
    gave_up: bool
    run_id: str | None
    error: ErrorShape | None
    usage: UsageShape | None
    changes: int | None
    in_prompt: Literal["auto", "pinned", "left_out"]
    created_at: str


class SummaryShape(Shape):
    """What stands for the earlier messages; `before` is the first message that the model is still sent as it is."""

    before: str | None
    content: str
    model: str
    tokens_before: int
    tokens_after: int
    created_at: str


class SessionPage(Shape):
    results: list[SessionShape]
    next: str | None
    previous: str | None


class MessagePage(Shape):
    """The oldest message first; `previous` gives earlier ones. Read `streamId` from the number `after` on to go on."""

    results: list[MessageShape]
    next: str | None
    previous: str | None
    stream_id: str
    after: int
    summary: SummaryShape | None


class EventShape(Shape):
    stream: str
    sequence: int
    type: str
    data: dict[str, Any]
    message_id: str | None
    run_id: str | None
    created_at: str


class EventPage(Shape):
    """`last` is the last number of the stream, not of the page."""

    events: list[EventShape]
    last: int


class PriceShape(Shape):
    """US dollars per million tokens."""

    input: float
    cached_input: float
    output: float


class ModelShape(Shape):
    """`strength` orders models, 0 where it is unknown; `stronger` is the id of the next stronger one. `price` is null
    where nobody knows it. `context_window`: tokens of prompt and answer together."""

    id: str
    label: str
    provider: str
    model: str
    reasons: bool
    strength: int
    stronger: str | None
    price: PriceShape | None
    context_window: int


class ModelList(Shape):
    results: list[ModelShape]
    next: str | None
    previous: str | None
    default: str
