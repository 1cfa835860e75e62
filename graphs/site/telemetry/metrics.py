"""Counts events for Prometheus, if METRICS_TOKEN is set; `config/metrics.py` is the door.

Labels are names that the operator chose (providers, models, tools, outcomes): no user, no session, no text.
"""

import os
from pathlib import Path
from typing import Any

from django.conf import settings
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from graphs.site.telemetry.events import Activity, Moment

#: Seconds, from a cache that hits to a model that takes its time.
FAST = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)
SLOW = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120, 300, 600)
#: The label of all models that are nobody's default, for example because somebody typed their name.
OTHER = "other"

_registry = CollectorRegistry()
_MODEL = ("provider", "model")
CALLS = Counter("countersign_model_calls", "Attempts to ask a model", (*_MODEL, "outcome"), registry=_registry)
TOKENS = Counter("countersign_model_tokens", "Tokens of models", (*_MODEL, "kind"), registry=_registry)
COST = Counter("countersign_model_cost_dollars", "US dollars, where a price is known", _MODEL, registry=_registry)
CALL_SECONDS = Histogram(
    "countersign_model_call_seconds", "How long an attempt took", _MODEL, registry=_registry, buckets=SLOW
)
FIRST_TOKEN_SECONDS = Histogram(
    "countersign_first_token_seconds", "From asking a model to its first word", _MODEL, registry=_registry, buckets=SLOW
)
RUNS = Counter("countersign_runs", "Runs of the engine that came to rest", ("outcome",), registry=_registry)
RUN_SECONDS = Histogram("countersign_run_seconds", "How long runs took", registry=_registry, buckets=SLOW)
TOOLS = Counter("countersign_tool_calls", "Calls of tools that read", ("tool", "outcome"), registry=_registry)
TOOL_SECONDS = Histogram("countersign_tool_seconds", "How long tools took", registry=_registry, buckets=FAST)
PROPOSALS = Counter("countersign_proposals", "Changes that a person was asked about", ("tool",), registry=_registry)
DECISIONS = Counter("countersign_decisions", "What was decided about changes", ("outcome",), registry=_registry)
RETRIEVAL_SECONDS = Histogram(
    "countersign_retrieval_seconds", "How long retrieval took", ("cache",), registry=_registry, buckets=FAST
)
EMBEDDINGS = Counter("countersign_embedding_calls", "Calls of embedders", ("model", "outcome"), registry=_registry)
EMBEDDING_TOKENS = Counter("countersign_embedding_tokens", "Tokens that embedders read", ("model",), registry=_registry)
EMBEDDING_SECONDS = Histogram(
    "countersign_embedding_seconds", "How long calls of embedders took", ("model",), registry=_registry, buckets=SLOW
)
MOMENTS = Counter("countersign_events", "Failures and departures by name", ("event",), registry=_registry)
GAUGES = {
    "open_sockets": Gauge(
        "countersign_open_sockets", "Open chat sockets", registry=_registry, multiprocess_mode="livesum"
    ),
    "driven_runs": Gauge(
        "countersign_driven_runs", "Runs that processes drive now", registry=_registry, multiprocess_mode="livesum"
    ),
    "writer_queue": Gauge(
        "countersign_writer_queue", "Events that wait to be stored", registry=_registry, multiprocess_mode="livesum"
    ),
}
HISTOGRAMS = {
    "writer_batch": Histogram(
        "countersign_writer_batch_events", "Events stored by one commit", registry=_registry,
        buckets=(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000),
    ),
    "writer_commit_seconds": Histogram(
        "countersign_writer_commit_seconds", "How long a commit of events took", registry=_registry, buckets=FAST
    ),
}  # fmt: skip
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


class Metrics:
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

    def begun(self, activity: Activity) -> None:
        """Does nothing: activities are counted at their end."""

    def ended(self, activity: Activity, begun: None) -> None:
        fields, seconds = activity.fields, activity.seconds
        match activity.kind:
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
