"""Sends events as OpenTelemetry spans, by the conventions for generative AI. Imported only with an OTLP address.

The conventions (open-telemetry/semantic-conventions-genai) are in development: their names stand here and nowhere else.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any

from django.conf import settings
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer

from graphs.site.telemetry.events import Activity, ActivityName, Listener, Text

OPERATIONS: dict[ActivityName, str] = {
    "run": "invoke_agent",
    "llm_call": "chat",
    "tool": "execute_tool",
    "retrieval": "retrieval",
    "question_embedding": "embeddings",
    "embedding_batch": "embeddings",
}
CLIENT = frozenset({"llm_call", "question_embedding", "embedding_batch"})
#: The names that the conventions give to providers in `CHAT_PROVIDERS`; others keep their own.
PROVIDERS = {"openai": "openai", "anthropic": "anthropic", "deepseek": "deepseek"}
#: Attributes by the field of an activity; the attributes of other fields begin with `countersign.`.
ATTRIBUTES = {
    "model": "gen_ai.request.model",
    "max_tokens": "gen_ai.request.max_tokens",
    "prompt_tokens": "gen_ai.usage.input_tokens",
    "completion_tokens": "gen_ai.usage.output_tokens",
    "cached_tokens": "gen_ai.usage.cache_read.input_tokens",
    "tool": "gen_ai.tool.name",
    "tool_call": "gen_ai.tool.call.id",
    "dimensions": "gen_ai.embeddings.dimension.count",
    "error": "countersign.exception",
}
TEXTS = {
    "input": "gen_ai.input.messages",
    "output": "gen_ai.output.messages",
    "arguments": "gen_ai.tool.call.arguments",
    "result": "gen_ai.tool.call.result",
    "query": "gen_ai.retrieval.query.text",
}
MESSAGES = ("input", "output")
#: Outcomes of activities that went as they should.
WELL = frozenset({"complete", "finished", "waiting", "toolLimit", "stopped", "handed over", "taken over"})


def provider() -> TracerProvider:
    """A provider that sends spans in the background to the address of the environment, the last ones at the end."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    named = {} if os.environ.get("OTEL_SERVICE_NAME") else {SERVICE_NAME: "countersign"}
    made = TracerProvider(resource=Resource.create(named))
    made.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return made


class Spans(Listener):
    """The listener that makes a span of each activity, inside the span of the activity around it."""

    def __init__(self, provider: TracerProvider) -> None:
        self._tracer: Tracer = provider.get_tracer("countersign")

    def begun(self, activity: Activity) -> tuple[AbstractContextManager[Span], Span]:
        kind = SpanKind.CLIENT if activity.name in CLIENT else SpanKind.INTERNAL
        current = self._tracer.start_as_current_span(
            _name(activity), kind=kind, record_exception=False, set_status_on_exception=False
        )
        return current, current.__enter__()

    def ended(self, activity: Activity, begun: tuple[AbstractContextManager[Span], Span]) -> None:
        current, span = begun
        span.set_attributes(dict(_attributes(activity)))
        if activity.outcome not in WELL:
            span.set_attribute("error.type", activity.outcome)
            span.set_status(StatusCode.ERROR)
        if settings.AI_LOG_TEXT:
            span.set_attributes(_texts(activity.text))
        current.__exit__(None, None, None)


def _name(activity: Activity) -> str:
    """The operation and its model or tool: "chat gpt-4o", "execute_tool search_nodes"."""
    operation = OPERATIONS[activity.name]
    with_what = activity.fields.get("model") or activity.fields.get("tool")
    return f"{operation} {with_what}" if with_what else operation


def _attributes(activity: Activity) -> Iterator[tuple[str, Any]]:
    yield "gen_ai.operation.name", OPERATIONS[activity.name]
    if activity.name == "run":
        yield "gen_ai.agent.name", "countersign"
    if activity.name == "tool":
        yield "gen_ai.tool.type", "function"
    for name, value in activity.about.items():
        yield "gen_ai.conversation.id" if name == "session" else f"countersign.{name}", str(value)
    for name, value in activity.fields.items():
        if value is None:
            continue
        if name == "provider":
            yield "gen_ai.provider.name", PROVIDERS.get(str(value).partition("-")[0], value)
        elif name == "finish":
            yield "gen_ai.response.finish_reasons", (str(value),)
        else:
            yield ATTRIBUTES.get(name, f"countersign.{name}"), value if isinstance(value, int | float) else str(value)


def _texts(text: Text) -> Mapping[str, str]:
    found = {}
    for name, value in text().items():
        if name in MESSAGES:
            value = [_message(each) for each in (value if isinstance(value, list) else [value])]
        found[TEXTS.get(name, f"countersign.{name}")] = value if isinstance(value, str) else json.dumps(value)
    return found


def _message(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message as the conventions write it: a role and parts."""
    if message["role"] == "tool":
        part = {"type": "tool_call_response", "id": message.get("toolCallId"), "response": message["content"]}
        return {"role": "tool", "parts": [part]}
    said = [{"type": "text", "content": message["content"]}] if message["content"] else []
    return {
        "role": message["role"],
        "parts": [*said, *({"type": "tool_call", **c} for c in message.get("toolCalls", ()))],
    }
