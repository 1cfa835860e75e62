"""The records that are always sent, for the admins of each workspace."""

from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.forms import ModelForm
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from chat.admin.policy import PolicyAdmin
from chat.models import AlwaysSend
from chat.prompts.always_sent import MAX_RECORDS, sent_in
from graphs.admin.audit import WorkspaceFilter
from graphs.admin.object_filters import KindFilter, ObjectFilter
from graphs.history.outside import begin_history
from graphs.models import Object
from graphs.objects.headers import existing
from graphs.objects.kinds import KINDS, of_objects
from graphs.objects.refs import Ref
from graphs.objects.stores import has_part


class AlwaysSendForm(ModelForm):
    class Meta:
        model = AlwaysSend
        fields = ("workspace", "object_type", "object_key", "part_key")
        help_texts: ClassVar[Any] = {
            "object_key": _("Its key."),
            "part_key": _("Its key, as that of a node of a graph. Empty: the object itself."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kinds = [(kind.name, kind.label) for kind in of_objects()]
        self.fields["object_type"] = forms.ChoiceField(label=_("Kind"), choices=kinds)

    def clean(self) -> dict[str, Any]:
        """Refuses what there is not, and too many of them."""
        given = super().clean() or {}
        names = ("workspace", "object_type", "object_key", "part_key")
        workspace, type_, key, part_key = (given.get(name) for name in names)
        if not (workspace and type_ and key):
            return given
        of = existing(workspace.pk, Ref(type_, key))
        if of is None:
            raise forms.ValidationError({"object_key": gettext("This workspace has no such object.")})
        parts = [part.name for part in KINDS[type_].parts if part_key and has_part(of, Ref(part.name, part_key))]
        if part_key and not parts:
            raise forms.ValidationError({"part_key": gettext("This object has no such part.")})
        if sent_in(workspace).exclude(pk=self.instance.pk).count() >= MAX_RECORDS:
            sentence = gettext("At most %(count)s records can always be sent. Remove one first.")
            raise forms.ValidationError(sentence % {"count": MAX_RECORDS})
        self.instance.part_type = next(iter(parts), "")
        self.instance.header = of.pk
        if self._named_so(given).filter(pk__in=sent_in(workspace)).exists():
            raise forms.ValidationError({"object_key": gettext("It is always sent already.")})
        return given

    def _named_so(self, given: dict[str, Any]) -> QuerySet[AlwaysSend]:
        """Other choices with the name of this one."""
        named = {name: given[name] for name in ("workspace", "object_type", "object_key", "part_key")}
        return AlwaysSend.objects.filter(**named, part_type=self.instance.part_type).exclude(pk=self.instance.pk)

    def save(self, commit: bool = True) -> AlwaysSend:
        """Saves the choice, in place of one of another that had the name; the history of its object begins with it."""
        begin_history(Object.objects.get(pk=self.instance.header))
        self._named_so(self.cleaned_data).delete()
        chosen: AlwaysSend = super().save(commit)
        return chosen


@admin.register(AlwaysSend)
class AlwaysSendAdmin(PolicyAdmin):
    """Whether one is sent can be said here and by editors through the API; both count from the next question on."""

    change_list_template = None  # type: ignore[assignment]
    form = AlwaysSendForm
    list_display = ("object_key", "object_type", "part_key", "workspace", "added_by", "created_at")
    list_select_related = ("workspace", "added_by")
    list_filter = (WorkspaceFilter, KindFilter, ObjectFilter)
    search_fields = ("object_key", "part_key")
    fields = ("workspace", "object_type", "object_key", "part_key", "added_by", "created_at")
    readonly_fields = ("added_by", "created_at")
    changed_by = "added_by"
