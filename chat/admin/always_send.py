"""The records that are always sent, for the admins of each workspace."""

from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db.models import Model
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from chat.admin.policy import PolicyAdmin
from chat.models import AlwaysSend
from chat.prompts.always_sent import MAX_RECORDS
from graphs.admin.audit import WorkspaceFilter
from graphs.models import Graph, Node
from graphs.workflows.kinds import NODE


class AlwaysSendForm(ModelForm):
    class Meta:
        model = AlwaysSend
        fields = ("workspace", "object_key", "part_key")
        help_texts: ClassVar[Any] = {
            "object_key": _("Its key."),
            "part_key": _("Its key. Empty: the name and description of the graph itself."),
        }

    def clean(self) -> dict[str, Any]:
        """Only what there is, and not too much of it."""
        given = super().clean() or {}
        workspace, graph_key, node_key = (given.get(name) for name in ("workspace", "object_key", "part_key"))
        if not (workspace and graph_key):
            return given
        graph = Graph.objects.filter(workspace=workspace, key=graph_key).first()
        if graph is None:
            raise forms.ValidationError({"object_key": gettext("This workspace has no such graph.")})
        if node_key and not Node.objects.filter(graph=graph, key=node_key).exists():
            raise forms.ValidationError({"part_key": gettext("This graph has no such node.")})
        if AlwaysSend.objects.filter(workspace=workspace).exclude(pk=self.instance.pk).count() >= MAX_RECORDS:
            sentence = gettext("At most %(count)s records can always be sent. Remove one first.")
            raise forms.ValidationError(sentence % {"count": MAX_RECORDS})
        self.instance.part_type = NODE.name if node_key else ""
        return given


@admin.register(AlwaysSend)
class AlwaysSendAdmin(PolicyAdmin):
    """Whether one is sent can be said here and by editors through the API; both count from the next question on."""

    change_list_template = None  # type: ignore[assignment]
    form = AlwaysSendForm
    list_display = ("object_key", "part_key", "workspace", "added_by", "created_at")
    list_select_related = ("workspace", "added_by")
    list_filter = (WorkspaceFilter,)
    search_fields = ("object_key", "part_key")
    fields = ("workspace", "object_key", "part_key", "added_by", "created_at")
    readonly_fields = ("added_by", "created_at")

    def save_model(self, request: HttpRequest, obj: AlwaysSend, form: ModelForm, change: bool) -> None:
        obj.added_by = request.user  # type: ignore[assignment]
        super().save_model(request, obj, form, change)

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        return self.fields if obj else self.fields[:-2]
