"""Celery's doors."""

from datetime import timedelta

from celery import shared_task
from django.db.models.functions import Now

from chat.models import IdempotencyKey, Presence, Process


@shared_task
def delete_silent_processes() -> None:
    """Forgets processes that are long dead, readers that are long gone and answers nobody will ask for again."""
    Process.objects.filter(seen_at__lt=Now() - timedelta(minutes=10)).delete()
    Presence.objects.filter(seen_at__lt=Now() - timedelta(days=1)).delete()
    IdempotencyKey.objects.filter(created_at__lt=Now() - timedelta(days=1)).delete()
