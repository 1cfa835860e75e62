"""The Celery application: broker from the settings, JSON only."""

import os
from logging.config import dictConfig
from typing import Any

from celery import Celery
from celery.signals import setup_logging
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("countersign")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def log_as_the_site_does(**_options: Any) -> None:
    """Celery would put handlers of its own in the place of those that keep secrets out of the logs."""
    dictConfig(settings.LOGGING)
