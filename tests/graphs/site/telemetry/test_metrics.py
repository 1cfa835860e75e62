"""What Prometheus is told, and how little of it there can be."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_django import Settings

from graphs.site.telemetry import events, metrics
from graphs.site.telemetry.events import activity, emit, measure


@pytest.fixture(autouse=True)
def counting(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    monkeypatch.setattr(events, "listeners", [metrics.Metrics()])
    settings.LLM_MODEL = "own-model"


def figure(name: str, **labels: str) -> float:
    return metrics._registry.get_sample_value(f"countersign_{name}", labels) or 0


def used(model: str, **fields: object) -> None:
    emit(
        "token_usage", provider="openai", model=model, outcome="complete", duration_ms=1500,
        **{
            "prompt_tokens": 100, "completion_tokens": 5, "cached_tokens": 40, "cache_write_tokens": 10,
            "reasoning_tokens": 2, "cost": 0.25, "first_token_ms": 250, **fields,
        },
    )  # fmt: skip


def test_calls_are_counted_by_provider_model_and_outcome() -> None:
    used("own-model")
    used("own-model", cost=None)
    named = {"provider": "openai", "model": "own-model"}
    assert figure("model_calls_total", **named, outcome="complete") == 2
    assert figure("model_tokens_total", **named, kind="cached") == 80
    assert figure("model_tokens_total", **named, kind="cache_write") == 20
    assert figure("first_token_seconds_sum", **named) == 0.5
    assert figure("model_cost_dollars_total", **named) == 0.25
    assert figure("model_call_seconds_sum", **named) == 3


def test_a_model_without_a_price_is_not_told_to_cost_nothing(settings: Settings) -> None:
    settings.LLM_MODEL = "nobody-knows"
    used("nobody-knows", cost=None)
    named = {"provider": "openai", "model": "nobody-knows"}
    assert figure("model_calls_total", **named, outcome="complete") == 1
    assert metrics._registry.get_sample_value("countersign_model_cost_dollars_total", named) is None


def test_models_that_people_typed_are_one_line() -> None:
    for number in range(50):
        used(f"typed-{number}")
        used(f"typed-{number}/own-model")
        used(f"local/typed-{number}")
    assert figure("model_calls_total", provider="openai", model="other", outcome="complete") == 150
    assert b"typed-" not in metrics.exposition()


def test_activities_and_decisions() -> None:
    with activity("tool", tool="search_nodes"):
        pass
    with pytest.raises(ValueError), activity("embedding_batch", model="local/x", texts=3):
        raise ValueError
    with activity("retrieval") as told:
        told.note(cache_hit=True)
    emit("hitl_interrupt", tool="propose_move_node", proposal="p")
    emit("hitl_decision", outcome="applied")
    emit("ws_chat", "debug", session="a-session")
    assert figure("tool_calls_total", tool="search_nodes", outcome="complete") == 1
    assert figure("embedding_calls_total", model="local/x", outcome="failed") == 1
    assert figure("retrieval_seconds_count", cache="hit") == 1
    assert figure("proposals_total", tool="propose_move_node") == 1
    assert figure("decisions_total", outcome="applied") == 1
    assert b"a-session" not in metrics.exposition()


def test_figures_of_the_process() -> None:
    measure("open_sockets", 3)
    measure("open_sockets", 2)
    measure("writer_batch", 7)
    assert figure("open_sockets") == 2
    assert figure("writer_batch_events_sum") == 7


COUNTING = """
import sys
from django.conf import settings
settings.configure(CHAT_PROVIDERS={}, EMBEDDING_MODELS={}, LLM_MODEL="", EMBEDDING_MODEL="")
from graphs.site.telemetry import events, metrics
events.listeners.append(metrics.Metrics())
events.measure("open_sockets", 3)
events.emit("hitl_decision", outcome="applied")
print(metrics.exposition().decode())
"""


def test_all_processes_of_a_machine_are_added_up_and_the_dead_have_nothing_open(tmp_path: Path) -> None:
    environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    for number in (1, 2):
        said = subprocess.run([sys.executable, "-c", COUNTING], env=environment, capture_output=True, text=True)
        lines = said.stdout.splitlines()
        assert f'countersign_decisions_total{{outcome="applied"}} {number}.0' in lines, said.stderr
        assert "countersign_open_sockets 3.0" in lines
