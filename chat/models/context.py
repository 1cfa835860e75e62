"""What decides what of a conversation a model is sent, beside the messages themselves."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from chat.models.conversation import Session
from graphs.models import Workspace
from graphs.models.objects import MAX_KEY


class Summary(models.Model):
    """What stands in the prompt for the earlier part of a conversation; the latest one counts.

    It stands for the messages before position `sequence`, except those at the positions `kept`, and for the first
    `rounds` rounds of the answer at that position. `model` is empty where no model could write it. Tokens are those of
    the prompt before and after, as counted here.
    """

    session = models.ForeignKey(Session, models.CASCADE, related_name="summaries", verbose_name=_("session"))
    sequence = models.PositiveIntegerField(_("position"))
    rounds = models.PositiveSmallIntegerField(_("rounds"), default=0)
    kept = models.JSONField(default=list)
    content = models.TextField(_("content"))
    model = models.CharField(_("model"), max_length=100, blank=True)
    tokens_before = models.PositiveIntegerField(_("tokens before"))
    tokens_after = models.PositiveIntegerField(_("tokens after"))
    created_at = models.DateTimeField(_("created"), db_default=Now())

    class Meta:
        verbose_name = _("summary")
        verbose_name_plural = _("summaries")
        ordering = ("session", "sequence", "rounds")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["session", "sequence", "rounds"], name="one_summary_per_place")
        ]

    def __str__(self) -> str:
        return self.content[:80]


class AlwaysSend(models.Model):
    """An object, or a part of one, that every conversation of the workspace is shown from its beginning.

    Named by kinds and keys: one that is deleted is shown again when a rollback brings it back. Without a part it is the
    object as a whole.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+", verbose_name=_("workspace"))
    object_type = models.CharField(_("kind of object"), max_length=30, default="graph")
    object_key = models.CharField(_("object"), max_length=MAX_KEY)
    part_type = models.CharField(_("kind of part"), max_length=30, blank=True)
    part_key = models.CharField(_("part"), max_length=250, blank=True)
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("added by")
    )
    created_at = models.DateTimeField(_("since"), db_default=Now())

    class Meta:
        verbose_name = _("record that is always sent")
        verbose_name_plural = _("records that are always sent")
        ordering = ("workspace", "id")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["workspace", "object_type", "object_key", "part_type", "part_key"], name="always_sent_once"
            )
        ]

    def __str__(self) -> str:
        return " · ".join(part for part in (self.object_key, self.part_key) if part)
