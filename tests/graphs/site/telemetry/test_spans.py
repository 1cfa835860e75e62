"""Spans of a run as the conventions for generative AI name them."""

import json
import subprocess
import sys
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from pytest_django import Settings

from graphs.site.telemetry import events
from graphs.site.telemetry.events import about, activity
from graphs.site.telemetry.spans import Spans

MESSAGE = {"role": "user", "content": "canary"}
REPLY = {"role": "assistant", "content": "", "toolCalls": [{"id": "c", "name": "t", "arguments": "{}"}]}


@pytest.fixture
def exporter(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    found = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(found))
    monkeypatch.setattr(events, "listeners", [Spans(provider)])
    return found


def run() -> None:
    with about(session="s"), activity("run") as told:
        with activity("llm_call", lambda: {"input": [MESSAGE]}, provider="openai-mini", model="m") as call:
            call.note("complete", prompt_tokens=3, cached_tokens=None, finish="tool_calls")
            call.note_text(lambda: {"output": REPLY})
        with (
            pytest.raises(ValueError),
            activity("tool", lambda: {"arguments": {"q": "canary"}}, tool="t", tool_call="c"),
        ):
            raise ValueError("canary")
        told.note("finished")


def spans(exporter: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name: span for span in exporter.get_finished_spans()}


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def test_names_and_attributes_are_those_of_the_conventions(exporter: InMemorySpanExporter) -> None:
    run()
    found = spans(exporter)
    agent, call, tool = found["invoke_agent"], found["chat m"], found["execute_tool t"]
    assert attributes(call) | {"countersign.x": 1} == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "m",
        "gen_ai.usage.input_tokens": 3,
        "gen_ai.response.finish_reasons": ("tool_calls",),
        "gen_ai.conversation.id": "s",
        "countersign.x": 1,
    }
    assert (call.kind, tool.kind) == (SpanKind.CLIENT, SpanKind.INTERNAL)
    assert attributes(tool)["gen_ai.tool.call.id"] == "c"
    assert attributes(tool)["error.type"] == "failed"
    assert (tool.status.status_code, agent.status.status_code) == (StatusCode.ERROR, StatusCode.UNSET)
    assert call.parent is not None
    assert tool.parent is not None
    assert agent.context is not None
    assert {call.parent.span_id, tool.parent.span_id} == {agent.context.span_id}
    assert "canary" not in str([span.to_json() for span in found.values()])


def test_content_comes_only_where_it_is_asked_for(exporter: InMemorySpanExporter, settings: Settings) -> None:
    settings.AI_LOG_TEXT = True
    run()
    found = spans(exporter)
    call = attributes(found["chat m"])
    assert json.loads(call["gen_ai.input.messages"]) == [
        {"role": "user", "parts": [{"type": "text", "content": "canary"}]}
    ]
    assert json.loads(call["gen_ai.output.messages"])[0]["parts"] == [
        {"type": "tool_call", "id": "c", "name": "t", "arguments": "{}"}
    ]
    assert json.loads(attributes(found["execute_tool t"])["gen_ai.tool.call.arguments"]) == {"q": "canary"}


def test_what_is_not_asked_for_is_not_imported() -> None:
    code = """
import sys, types
from django.conf import settings
settings.configure(METRICS_TOKEN="", OTEL_EXPORTER_OTLP_ENDPOINT="")
from graphs.site.telemetry import listening
listening.start()
print([name for name in sys.modules if name.partition(".")[0] in {"opentelemetry", "prometheus_client"}])
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "[]\n"
