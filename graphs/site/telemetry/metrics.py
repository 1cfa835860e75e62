"""Counts events for Prometheus, if METRICS_TOKEN is set; `config/metrics.py` is the door.

Labels are names that the operator chose (providers, models, tools, outcomes): no user, no session, no text.
"""

import os
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from graphs.site.telemetry import reserved_files
from graphs.site.telemetry.events import Activity, Listener, Moment

reserved_files.use()

#: Seconds, from a cache that hits to a model that takes its time.
FAST = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)
SLOW = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120, 300, 600)
#: The label of all models that are nobody's default, for example because somebody typed their name.
OTHER = "other"

_registry = CollectorRegistry()
_counter = partial(Counter, namespace="countersign", registry=_registry)
_gauge = partial(Gauge, namespace="countersign", registry=_registry, multiprocess_mode="livesum")
_fast = partial(Histogram, namespace="countersign", registry=_registry, buckets=FAST)
_slow = partial(Histogram, namespace="countersign", registry=_registry, buckets=SLOW)
_MODEL = ("provider", "model")
CALLS = _counter("model_calls", "Attempts to ask a model", (*_MODEL, "outcome"))
TOKENS = _counter("model_tokens", "Tokens of models", (*_MODEL, "kind"))
COST = _counter("model_cost_dollars", "US dollars, where a price is known", _MODEL)
CALL_SECONDS = _slow("model_call_seconds", "How long an attempt took", _MODEL)
FIRST_TOKEN_SECONDS = _slow("first_token_seconds", "From asking a model to its first word", _MODEL)
RUNS = _counter("runs", "Runs of the engine that came to rest", ("outcome",))
RUN_SECONDS = _slow("run_seconds", "How long runs took")
TOOLS = _counter("tool_calls", "Calls of tools that read", ("tool", "outcome"))
TOOL_SECONDS = _fast("tool_seconds", "How long tools took")
PROPOSALS = _counter("proposals", "Changes that a person was asked about", ("tool",))
DECISIONS = _counter("decisions", "What was decided about changes", ("outcome",))
RETRIEVAL_SECONDS = _fast("retrieval_seconds", "How long retrieval took", ("cache",))
EMBEDDINGS = _counter("embedding_calls", "Calls of embedders", ("model", "outcome"))
EMBEDDING_TOKENS = _counter("embedding_tokens", "Tokens that embedders read", ("model",))
EMBEDDING_SECONDS = _slow("embedding_seconds", "How long calls of embedders took", ("model",))
MOMENTS = _counter("events", "Failures and departures by name", ("event",))
GAUGES = {
    "open_sockets": _gauge("open_sockets", "Open chat sockets"),
    "driven_runs": _gauge("driven_runs", "Runs that processes drive now"),
    "writer_queue": _gauge("writer_queue", "Events that wait to be stored"),
}
HISTOGRAMS = {
    "writer_batch": _slow(
        "writer_batch_events", "Events stored by one commit", buckets=(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
    ),
    "writer_commit_seconds": _fast("writer_commit_seconds", "How long a commit of events took"),
}
COUNTED = frozenset({"llm_error", "malformed_json", "client_disconnect_abort", "budget_refused"})


def exposition() -> bytes:
    """All figures of this process, or of all processes of this machine, in the text format of Prometheus."""
    folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    if not folder:
        return generate_latest(_registry)
    for pid in {int(path.stem.rpartition("_")[2]) for path in Path(folder).glob("gauge_live*_*.db")}:
        if not _lives(pid):
            mark_process_dead(pid, folder)
    together = CollectorRegistry()
    MultiProcessCollector(together, folder)
    return generate_latest(together)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


class Metrics(Listener):
    """The listener that counts."""

    def emitted(self, moment: Moment) -> None:
        fields = moment.fields
        match moment.name:
            case "token_usage":
                _count_call(fields)
            case "hitl_interrupt":
                PROPOSALS.labels(fields["tool"]).inc()
            case "hitl_decision":
                DECISIONS.labels(fields["outcome"]).inc()
            case name if name in COUNTED:
                MOMENTS.labels(name).inc()

    def ended(self, activity: Activity, begun: None) -> None:
        fields, seconds = activity.fields, activity.seconds
        match activity.name:
            case "run":
                RUNS.labels(activity.outcome).inc()
                RUN_SECONDS.observe(seconds)
            case "tool":
                TOOLS.labels(fields["tool"], activity.outcome).inc()
                TOOL_SECONDS.observe(seconds)
            case "retrieval":
                RETRIEVAL_SECONDS.labels("hit" if fields.get("cache_hit") else "miss").observe(seconds)
            case "question_embedding" | "embedding_batch":
                model = _known_embedder(fields["model"])
                EMBEDDINGS.labels(model, activity.outcome).inc()
                EMBEDDING_TOKENS.labels(model).inc(fields.get("prompt_tokens", 0))
                EMBEDDING_SECONDS.labels(model).observe(seconds)

    def measured(self, name: str, value: float) -> None:
        if name in GAUGES:
            GAUGES[name].set(value)
        else:
            HISTOGRAMS[name].observe(value)


def _count_call(fields: Any) -> None:
    named = fields["provider"], _known(fields["model"])
    CALLS.labels(*named, fields["outcome"]).inc()
    CALL_SECONDS.labels(*named).observe(fields["duration_ms"] / 1000)
    for kind in ("prompt", "completion", "cached", "cache_write", "reasoning"):
        TOKENS.labels(*named, kind).inc(fields[f"{kind}_tokens"])
    if fields["cost"] is not None:
        COST.labels(*named).inc(fields["cost"])
    if fields["first_token_ms"] is not None:
        FIRST_TOKEN_SECONDS.labels(*named).observe(fields["first_token_ms"] / 1000)


def _known(model: str) -> str:
    """The label of a model. People may name any model of a vendor, and each label stays for ever."""
    asked = {str(entry["model"]) for entry in settings.CHAT_PROVIDERS.values()}
    asked |= {settings.LLM_MODEL, os.environ.get("CUSTOM_MODEL", "")}
    return model if model in asked else OTHER


def _known_embedder(name: str) -> str:
    """The label of an embedder. Embedders that the settings no longer name share one."""
    provider, _, model = name.partition("/")
    named = {settings.EMBEDDING_MODEL, *settings.EMBEDDING_MODELS}
    return name if provider == "local" or (provider in settings.CHAT_PROVIDERS and model in named) else OTHER
