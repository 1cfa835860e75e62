"""What a run reports to logs, metrics and spans: one function for each thing in the engine. docs/observing.md."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from chat.engine.claims import ClaimedRun
from chat.events.transcript import Transcript
from chat.events.vocabulary import NewEvent
from chat.proposals.applying import TOOL_PREFIX
from chat.providers.circuit import CircuitOpen
from chat.providers.estimating import estimated_tokens, size
from chat.providers.model_request import PromptMessage, ToolCall
from chat.subjects import tools
from graphs.site.telemetry.events import Activity, about, activity, emit

if TYPE_CHECKING:
    from chat.engine.calling import LiveCall
    from chat.engine.tool_calls import CheckedCall
    from chat.spending.calls import CallCost

#: Of arguments that are no JSON.
MALFORMED_CHARS = 500


@contextmanager
def of_run(run: ClaimedRun) -> Iterator[Activity]:
    """The span of a run: what is logged inside names it."""
    workspace = run.member.workspace.pk if run.member else None
    object_type, object_key = (run.context.type, run.context.key) if run.context else (None, None)
    with (
        about(workspace=workspace, session=run.session_id, run=run.id, object_type=object_type, object_key=object_key),
        activity("run", trigger=run.trigger["event"], attempt=run.attempts, resumed=run.resumed) as span,
    ):
        yield span


@contextmanager
def of_call(call: "LiveCall") -> Iterator[None]:
    """The span of a call of a model with all its attempts."""
    request, config = call.request, call.config
    with activity(
        "llm_call",
        lambda: {"input": [_message(message) for message in request.messages]},
        provider=config.name,
        model=config.model,
        purpose=call.purpose.value,
        max_tokens=request.max_tokens,
        messages=len(request.messages),
        tools=len(request.tools) if request.tools_allowed else 0,
    ) as span:
        try:
            yield
        finally:
            _describe_reply(call, span)


def _describe_reply(call: "LiveCall", span: Activity) -> None:
    reply, usage = call.reply, call.reply.usage
    span.note(call.outcome, finish=reply.end, tool_calls=len(reply.tool_calls), reply_length=len(reply.text))
    if usage is not None:
        span.note(
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            cached_tokens=usage.cached_tokens,
        )
    span.note_text(lambda: {"output": _message(PromptMessage("assistant", reply.text, reply.tool_calls))})
    if (error := call.error) is not None:
        emit(
            "llm_error",
            "error",
            lambda: {"said": error.said} if error.said else {},  # It may quote what the vendor was sent.
            provider=call.config.name,
            model=call.config.model,
            code=error.code,
            status_code=error.status,
            retryable=error.retryable,
            asked=not isinstance(error, CircuitOpen),
        )


def costs(costs: Iterable["CallCost"]) -> None:
    """Emits what each attempt of a call took."""
    for cost in costs:
        emit(
            "token_usage",
            provider=cost.provider,
            model=cost.model,
            outcome=cost.outcome,
            **asdict(cost.usage),
            cost=None if cost.cost is None else float(cost.cost),
            duration_ms=cost.latency_ms,
            first_token_ms=cost.first_token_ms,
            retries=cost.retries,
            purpose=cost.purpose.value,
        )


def unpaid(call: "LiveCall") -> None:
    """Emits that a budget does not pay for a call."""
    emit("budget_refused", "warning", provider=call.config.name, model=call.config.model)


@contextmanager
def of_tool(call: "CheckedCall") -> Iterator[Callable[[dict[str, Any]], None]]:
    """The span of a tool that reads, as a function that notes the tool's answer; `{"error": ...}` is one, too."""
    arguments = call.arguments
    with activity("tool", lambda: {"arguments": arguments}, tool=call.name, tool_call=call.id) as span:

        def returned(result: dict[str, Any]) -> None:
            text = json.dumps(result, ensure_ascii=False)
            span.note("error" if "error" in result else None, result_chars=len(text))
            span.note_text(lambda: {"result": text})

        yield returned


def refused(checked: Sequence["CheckedCall"], written: Sequence[ToolCall]) -> None:
    """Emits the calls whose arguments are no JSON."""
    for call, as_written in zip(checked, written, strict=True):
        if isinstance(call.found, tools.CallRefused) and call.found.malformed:
            raw = as_written.arguments[:MALFORMED_CHARS]
            emit("malformed_json", "warning", partial(dict, raw=raw), tool=call.name, tool_call=call.id)


def proposed(events: Iterable[NewEvent]) -> None:
    """Emits stored changes that wait for a person, or that an allowance let through."""
    for event in events:
        if event.type != "proposal":
            continue
        data = event.data
        named = {
            "tool": data["tool"],
            "action_type": data["tool"].removeprefix(TOOL_PREFIX),
            "proposal": data["proposalId"],
        }
        if data["askedBy"]:
            emit("hitl_interrupt", text=partial(dict, reason=data["reason"]), **named)
        else:
            emit("hitl_decision", outcome="allowed", **named)


def deserted(shown: Transcript) -> None:
    """Emits that an answer is stopped because nobody reads it, and about how many tokens of it were shown."""
    emit("client_disconnect_abort", "warning", tokens_streamed=estimated_tokens(size(shown.text + shown.reasoning)))


def _message(message: PromptMessage) -> dict[str, Any]:
    found: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        found["toolCalls"] = [
            {"id": call.id, "name": call.name, "arguments": call.arguments} for call in message.tool_calls
        ]
    return found | ({"toolCallId": message.tool_call_id} if message.tool_call_id else {})
