"""What decides what of a conversation a model is sent, beside the messages themselves."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from chat.models.conversation import Session
from graphs.models import Workspace


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
    """A graph, or a node of one, that every conversation of the workspace is shown from its beginning.

    Named by keys: one that is deleted is shown again when a rollback brings it back.
    """

    class Kind(models.TextChoices):
        GRAPH = "graph", _("graph")
        NODE = "node", _("node")

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+", verbose_name=_("workspace"))
    kind = models.CharField(_("kind"), max_length=10, choices=Kind.choices)
    graph_key = models.CharField(_("graph"), max_length=100)
    node_key = models.CharField(_("node"), max_length=100, blank=True)
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("added by")
    )
    created_at = models.DateTimeField(_("since"), db_default=Now())

    class Meta:
        verbose_name = _("record that is always sent")
        verbose_name_plural = _("records that are always sent")
        ordering = ("workspace", "id")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["workspace", "graph_key", "node_key"], name="always_sent_once"),
            models.CheckConstraint(
                condition=models.Q(kind="graph", node_key="") | (models.Q(kind="node") & ~models.Q(node_key="")),
                name="always_sent_kind",
            ),
        ]

    def __str__(self) -> str:
        return " · ".join(part for part in (self.graph_key, self.node_key) if part)
