"""The Celery application: broker from the settings, JSON only."""

import os

from celery import Celery

from config.beat import send_what_is_due  # noqa: F401 - a receiver
from config.logs import log_as_the_site_does  # noqa: F401 - a receiver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("countersign")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
