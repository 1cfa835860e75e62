"""What people do to objects live: in the rows at once, and here until the history has it, and for a while after."""

from typing import Any, ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from graphs.models.objects import Object


class LiveEdit(models.Model):
    """One edit of one person, stored in the transaction that changed the rows of the object into its `version`.

    `operations` have the `version` of their part afterwards; `items` names the parts as "kind:key". `key` is the
    client's, to find an edit that is sent again. `change_set` is where it was saved, None if nothing was left of it.
    """

    object = models.ForeignKey(Object, models.CASCADE, related_name="live_edits", db_index=False)
    version = models.PositiveIntegerField(_("version"))
    person = models.BigIntegerField(_("person"))
    person_label = models.CharField(_("person"), max_length=150)
    key = models.CharField(_("key"), max_length=100)
    digest = models.CharField(max_length=40)
    operations = models.JSONField(_("operations"), encoder=DjangoJSONEncoder)
    items = ArrayField(models.CharField(max_length=300))
    created_at = models.DateTimeField(_("when"), db_default=Now())
    saved_at = models.DateTimeField(_("saved"), null=True)
    change_set = models.UUIDField(_("change set"), null=True)

    class Meta:
        verbose_name = _("live edit")
        verbose_name_plural = _("live edits")
        ordering = ("object", "version")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["object", "version"], name="one_live_edit_per_version"),
            models.UniqueConstraint(fields=["object", "person", "key"], name="live_edit_once"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["object", "version"], name="live_edit_unsaved", condition=models.Q(saved_at=None)),
            models.Index(fields=["saved_at"], name="live_edit_saved"),
            GinIndex(fields=["items"], name="live_edit_items"),
        ]

    def __str__(self) -> str:
        return f"{self.object_id} {self.version}"

    def on(self, item_name: str) -> dict[str, Any] | None:
        """The operation on an item, by its name in `items`."""
        found = (each for each in self.operations if f"{each['type']}:{each['id']}" == item_name)
        return next(found, None)
