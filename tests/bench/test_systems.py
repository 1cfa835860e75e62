import logging

import pytest
from django.utils.module_loading import import_string
from pytest_django import Settings

from bench import systems
from bench.servers import Servers
from graphs.site.telemetry.events import activity

LOG = logging.getLogger("countersign.events")


def test_events_of_the_product_do_not_stand_among_figures(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    variables = systems.environment(Servers("postgres:///x", "redis://x", "dbname=x"), "http://nobody.invalid")
    import_string(variables["AI_LOG_SINK"])({"time": "now"})
    LOG.addHandler(caplog.handler)
    try:
        for settings.AI_LOG_SINK in ("", variables["AI_LOG_SINK"]):
            with activity("retrieval", sink=settings.AI_LOG_SINK):
                pass
    finally:
        LOG.removeHandler(caplog.handler)
    (told,) = caplog.messages
    assert '"sink": ""' in told
