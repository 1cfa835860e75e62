"""Celery's beat without the applications: it only names tasks, which the workers know."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from celery import Celery

from config.logs import log_as_the_site_does  # noqa: F401 - a receiver

app = Celery("countersign", fixups=[])
app.config_from_object("django.conf:settings", namespace="CELERY")
