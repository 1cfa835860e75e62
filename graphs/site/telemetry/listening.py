"""Chooses the listeners of this process by the settings. Called once, when Django is ready."""

from django.conf import settings

from graphs.site.telemetry.events import listeners
from graphs.site.telemetry.log_lines import LogLines


def start() -> None:
    """Fills `listeners`. Libraries that no setting asks for are not imported."""
    listeners[:] = [LogLines()]
    if settings.METRICS_TOKEN:
        from graphs.site.telemetry.metrics import Metrics

        listeners.append(Metrics())
    if settings.OTEL_EXPORTER_OTLP_ENDPOINT:
        from graphs.site.telemetry.spans import Spans, provider

        listeners.append(Spans(provider()))
