"""What models were sent, kept for `AI_KEEP_REQUESTS_DAYS`; `chat/sent_requests` writes and reads it."""

import uuid
from typing import ClassVar

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from chat.models.conversation import Session
from chat.models.runs import Run


class SentRequest(models.Model):
    """The body of call `number` of a run, answered by `round`; `head`, `tools`: digests of its last entry and tools."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    run = models.ForeignKey(Run, models.CASCADE, related_name="sent_requests", verbose_name=_("run"), db_index=False)
    number = models.PositiveSmallIntegerField(_("call"))
    round = models.PositiveSmallIntegerField(_("round"))
    provider = models.CharField(_("provider"), max_length=40)
    model = models.CharField(_("model"), max_length=100)
    parameters = models.JSONField(_("parameters"))
    head = models.BinaryField(max_length=16, null=True)
    tools = models.BinaryField(max_length=16, null=True)
    entries = models.PositiveIntegerField(_("entries"))
    marks = models.JSONField(default=list)
    created_at = models.DateTimeField(_("created"), db_default=Now())

    class Meta:
        verbose_name = _("sent request")
        verbose_name_plural = _("sent requests")
        ordering = ("run", "number")
        constraints: ClassVar = [models.UniqueConstraint(fields=["run", "number"], name="one_request_per_call")]
        indexes: ClassVar = [models.Index(fields=["created_at"], name="requests_by_age")]

    def __str__(self) -> str:
        return f"{self.provider} {self.model} {self.number}"


class RequestEntry(models.Model):
    """An entry of a conversation's requests, after `parent`; `digest` covers the content and all before it."""

    session = models.ForeignKey(Session, models.CASCADE, related_name="request_entries", db_index=False)
    digest = models.BinaryField(max_length=16)
    parent = models.BinaryField(max_length=16, null=True)
    position = models.PositiveIntegerField()
    content = models.TextField()

    class Meta:
        verbose_name = _("entry of requests")
        verbose_name_plural = _("entries of requests")
        constraints: ClassVar = [models.UniqueConstraint(fields=["session", "digest"], name="one_entry_per_digest")]
