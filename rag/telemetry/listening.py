"""Who listens in this process, as the settings say. Called once, when Django is ready."""

from django.conf import settings

from rag.telemetry.events import listeners
from rag.telemetry.log_lines import LogLines


def start() -> None:
    """What is not asked for is not imported."""
    listeners[:] = [LogLines()]
    if settings.METRICS_TOKEN:
        from rag.telemetry.metrics import Metrics

        listeners.append(Metrics())
    if settings.OTEL_EXPORTER_OTLP_ENDPOINT:
        from rag.telemetry.spans import Spans, provider

        listeners.append(Spans(provider()))
