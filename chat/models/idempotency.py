"""Answers kept for repeated requests."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class IdempotencyKey(models.Model):
    """The answer to a request that named itself: the same key and body get it again, another body is refused."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    body_digest = models.CharField(max_length=64)
    answer = models.JSONField(null=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "key"], name="one_answer_per_key")]
        indexes: ClassVar = [models.Index(fields=["created_at"], name="idempotency_age")]
