"""Which models may be asked in a workspace, and by whom: chosen by its admins."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from chat.engine import available_models, offered_models
from chat.models import WorkspaceModels
from graphs.admin.audit import AuditAdmin, may_audit
from graphs.models import Role

_NOBODY = "nobody"
_WHO = [
    (Role.VIEWER.value, _("everybody")),
    (Role.EDITOR.value, _("editors and admins")),
    (Role.ADMIN.value, _("admins")),
    (_NOBODY, _("nobody")),
]


class OfferedModelsForm(forms.ModelForm):
    """A choice for each model that is configured now; what was said of others is kept."""

    models: tuple[str, ...] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen = offered_models.chosen(self.instance)
        for number, model in enumerate(self.models):
            role = Role.VIEWER if chosen is None else chosen.get(model)
            self.initial[_field(number)] = role.value if role else _NOBODY

    def choose(self) -> None:
        """Puts what was chosen into the workspace; nothing where everybody may ask all that is configured."""
        before = offered_models.chosen(self.instance) or {}
        new = [(model, self.cleaned_data[_field(number)]) for number, model in enumerate(self.models)]
        kept = [(model, role) for model, role in before.items() if model not in self.models]
        if not kept and all(role == Role.VIEWER.value for _model, role in new):
            self.instance.offered_models = None
        else:
            offered = [(model, Role(role)) for model, role in new if role != _NOBODY]
            self.instance.offered_models = offered_models.stored([*offered, *kept])

    class Meta:
        model = WorkspaceModels
        fields = ()


@admin.register(WorkspaceModels)
class WorkspaceModelsAdmin(AuditAdmin):
    change_form_template = None  # type: ignore[assignment]
    workspace_path = "pk"
    list_display = ("name", "shown")
    ordering = ("name",)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return may_audit(request)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        choices = available_models.configured().choices()
        fields: dict[str, Any] = {
            _field(number): forms.ChoiceField(
                choices=_WHO, label=choice.label, help_text=choice.id, initial=Role.VIEWER.value
            )
            for number, choice in enumerate(choices)
        }
        return type("Form", (OfferedModelsForm,), {**fields, "models": tuple(choice.id for choice in choices)})

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = list(self.get_form(request, obj).base_fields)
        explained = _(
            "Who may ask which model in this workspace. Where everybody may ask all of them, that holds for models "
            "configured later, too; otherwise nobody asks those until they are chosen here."
        )
        return [(None, {"fields": fields, "description": explained})]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        form.choose()
        obj.save(update_fields=["offered_models"])

    @admin.display(description=_("models"))
    def shown(self, obj: WorkspaceModels) -> Any:
        offered = offered_models.chosen(obj)
        if offered is None:
            return _("all, by everybody")
        who = dict(_WHO)
        return ", ".join(f"{model} ({who[role.value]})" for model, role in offered.items()) or _("none")


def _field(number: int) -> str:
    return f"model_{number}"
