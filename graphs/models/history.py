"""The history of every change: written once (triggers refuse the rest), with plain ids that outlive their objects."""

import uuid
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class Origin(models.TextChoices):
    """Through what a change came about."""

    CHAT = "chat", _("conversation")
    GENERATION = "generation", _("structured generation")
    AUTOMATION = "automation", _("automation")
    MANUAL = "manual", _("by hand")
    IMPORT = "import", _("import")
    ROLLBACK = "rollback", _("rollback")
    #: A save past this program, noticed afterwards.
    OUTSIDE = "outside", _("changed outside")


class ChangeSet(models.Model):
    """What one person changed in one step, of any objects; all of it was applied, or nothing.

    `cause`, a `kind:id`, says what led to it; `causes` are all, narrowest first (proposal, message, session), to find
    what one of them changed. `undoes` are the change sets that it takes back as a whole; `size` counts modifications.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.BigIntegerField(_("workspace"))
    actor = models.BigIntegerField(_("person"), null=True)
    actor_label = models.CharField(_("person"), max_length=150, blank=True)
    origin = models.CharField(_("origin"), max_length=20, choices=Origin.choices)
    cause = models.CharField(_("cause"), max_length=200, blank=True)
    causes = ArrayField(models.CharField(max_length=200), default=list)
    reason = models.TextField(_("reason"), blank=True)
    prompt_version = models.CharField(_("prompt version"), max_length=40, blank=True)
    model = models.CharField(_("model"), max_length=100, blank=True)
    undoes = ArrayField(models.UUIDField(), verbose_name=_("undoes"), default=list)
    size = models.PositiveIntegerField(_("modifications"), default=0)
    created_at = models.DateTimeField(_("when"), db_default=Now())

    class Meta:
        verbose_name = _("change set")
        verbose_name_plural = _("change sets")
        ordering = ("-created_at", "-id")
        indexes: ClassVar = [
            models.Index(fields=["workspace", "-created_at", "-id"], name="change_set_latest"),
            models.Index(fields=["-created_at", "-id"], name="change_set_newest"),
            GinIndex(fields=["causes"], name="change_set_causes"),
            GinIndex(fields=["undoes"], name="change_set_undone", condition=~models.Q(undoes=[])),
        ]

    def __str__(self) -> str:
        return self.reason[:80] or " · ".join(filter(None, (self.get_origin_display(), self.actor_label)))


class Revision(models.Model):
    """The version that a change set made of one object, which `type` and `object` (its primary key) name.

    `key` and `label` are what they were then. Versions and `created_at` rise in the order of the commits.
    """

    change_set = models.ForeignKey(ChangeSet, models.DO_NOTHING, related_name="revisions", db_constraint=False)
    type = models.CharField(_("kind of object"), max_length=30)
    object = models.BigIntegerField(_("object"))
    key = models.CharField(_("key"), max_length=250)
    label = models.CharField(_("label"), max_length=200, blank=True)
    version = models.PositiveIntegerField(_("version"))
    created_at = models.DateTimeField(_("when"), db_default=Now())

    class Meta:
        verbose_name = _("revision")
        verbose_name_plural = _("revisions")
        ordering = ("-version",)
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["type", "object", "version"], name="one_revision_per_version")
        ]
        indexes: ClassVar = [models.Index(fields=["type", "object", "created_at"], name="revision_at_a_moment")]

    def __str__(self) -> str:
        return f"{self.type}:{self.key} {self.version}"


class Modification(models.Model):
    """One field of one part, before and after; a creation or deletion has the whole record and an empty `field`.

    `type` and `object` name the object of the revision, `kind` and `key` the part of it, or the object itself.
    """

    class Action(models.TextChoices):
        CREATE = "create", _("created")
        UPDATE = "update", _("changed")
        DELETE = "delete", _("deleted")

    change_set = models.ForeignKey(
        ChangeSet, models.DO_NOTHING, related_name="modifications", db_constraint=False, db_index=False
    )
    sequence = models.PositiveIntegerField(_("position"))
    type = models.CharField(_("kind of object"), max_length=30)
    object = models.BigIntegerField(_("object"))
    version = models.PositiveIntegerField(_("version"))
    kind = models.CharField(_("kind"), max_length=30)
    key = models.CharField(_("key"), max_length=250)
    action = models.CharField(_("action"), max_length=10, choices=Action.choices)
    field = models.CharField(_("field"), max_length=100, blank=True)
    old = models.JSONField(_("before"), null=True, encoder=DjangoJSONEncoder)
    new = models.JSONField(_("after"), null=True, encoder=DjangoJSONEncoder)

    class Meta:
        verbose_name = _("modification")
        verbose_name_plural = _("modifications")
        ordering = ("change_set", "sequence")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["change_set", "sequence"], name="modification_sequence")
        ]
        indexes: ClassVar = [
            models.Index(fields=["type", "object", "kind", "key", "field", "-version"], name="modification_of_item"),
        ]

    def __str__(self) -> str:
        return f"{self.kind}:{self.key} {self.field}"
