"""The header row of everything that can be talked about: its name, its version, and what is held when it changes."""

from collections.abc import Iterable
from typing import Any, ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from graphs.models.workspaces import Workspace

#: Characters of the key of an object.
MAX_KEY = 100
#: Written only by what changes an object, in its own statements.
_OF_CHANGES = frozenset(
    {"id", "object", "type", "version", "as_recorded", "unsaved_since", "untrusted_since", "untrusted_by"}
)


class Object(models.Model):
    """One object of a workspace: `type` is the name of its kind, `key` names it among those of its kind.

    A change holds this row until the commit and raises `version`. `unsaved_since` is the moment of the first live edit
    that the history does not have yet. History, streams, proposals, vectors and costs point to `id`. `as_recorded` are
    the fields as the history left them, for models that others save, too. `untrusted_since` is the moment in which
    somebody, `untrusted_by`, imported it from outside, until an editor has looked through it.
    """

    #: The kind of a subclass that has its fields in a table of its own.
    TYPE: ClassVar[str] = ""

    workspace = models.ForeignKey(
        Workspace, models.CASCADE, related_name="+", verbose_name=_("workspace"), db_index=False
    )
    type = models.CharField(_("kind"), max_length=30, editable=False)
    key = models.CharField(_("key"), max_length=MAX_KEY)
    version = models.PositiveIntegerField(_("version"), default=1, editable=False)
    as_recorded = models.JSONField(null=True, editable=False)
    unsaved_since = models.DateTimeField(_("unsaved since"), null=True, editable=False)
    untrusted_since = models.DateTimeField(_("untrusted since"), null=True, editable=False)
    untrusted_by = models.CharField(
        _("imported by"), max_length=150, blank=True, default="", db_default="", editable=False
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    updated_at = models.DateTimeField(_("changed"), auto_now=True)

    class Meta:
        verbose_name = _("object")
        verbose_name_plural = _("objects")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["workspace", "type", "key"], name="object_key_in_workspace")
        ]
        indexes: ClassVar = [
            models.Index(fields=["unsaved_since"], name="object_unsaved", condition=~models.Q(unsaved_since=None))
        ]

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        if self.TYPE and not args:
            self.type = self.TYPE

    def __str__(self) -> str:
        return f"{self.type}:{self.key}"

    def save(self, *, update_fields: Iterable[str] | None = None, **options: Any) -> None:
        """Saves the object but for its version and unsaved edits, which others may have changed since it was read."""
        if update_fields is None and self.pk and not self._state.adding and not options.get("force_insert"):
            kept = _OF_CHANGES | self.get_deferred_fields()
            fields = [field for field in self._meta.concrete_fields if not {field.name, field.attname} & kept]
            update_fields = [field.name for field in fields]
        super().save(update_fields=update_fields, **options)
