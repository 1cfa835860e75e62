"""The logs of Celery's processes are those of the site."""

from logging.config import dictConfig
from typing import Any

from celery.signals import setup_logging
from django.conf import settings


@setup_logging.connect
def log_as_the_site_does(**_options: Any) -> None:
    """Logs as the site does: Celery's own handlers would replace those that keep secrets out of the logs."""
    dictConfig(settings.LOGGING)
