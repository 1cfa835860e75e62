"""Prices of models: superusers enter them; nobody changes or deletes one, a later one takes its place."""

from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.contrib import admin
from django.db import transaction
from django.db.models import Model
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from chat.admin import figures, price_sources
from chat.models import EnteredPrice
from chat.providers.variables import is_model_name
from chat.spending import entered_prices
from graphs.admin.audit import ReadOnlyAdmin
from graphs.admin.display import column


class PriceForm(forms.ModelForm):
    provider = forms.ChoiceField(
        label=gettext_lazy("Provider"), choices=lambda: [(name, name) for name in settings.CHAT_PROVIDERS]
    )

    class Meta:
        model = EnteredPrice
        fields: ClassVar = ("provider", "model", "input", "cached_input", "output", "valid_from", "note")

    def clean_model(self) -> str:
        model: str = self.cleaned_data["model"]
        if not is_model_name(model):
            raise forms.ValidationError(_("This can be no name of a model."))
        return model


@admin.register(EnteredPrice)
class EnteredPriceAdmin(ReadOnlyAdmin):
    form = PriceForm
    change_list_template = None
    list_display = ("provider", "model", "dollars", "valid_from", "holds", "entered_by", "entered_at", "note")
    list_select_related = ("entered_by",)
    list_filter = ("provider",)
    search_fields = ("model", "note")
    dollars = column(
        gettext_lazy("input · cached input · output"),
        price_sources.amounts,
    )

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.has_view_permission(request)

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        return PriceForm.Meta.fields if obj is None else (*PriceForm.Meta.fields, "entered_by", "entered_at")

    def get_fieldsets(self, request: HttpRequest, obj: Model | None = None) -> Any:
        unit = gettext_lazy(
            "Input and output in US dollars per million tokens. Calls are billed by it from its day on, after half a "
            "minute at the latest in every process; what was called before keeps its cost."
        )
        return [(None, {"fields": self.get_fields(request, obj), "description": unit})]

    @admin.display(description=gettext_lazy("holds"))
    def holds(self, obj: EnteredPrice) -> str:
        """Whether calls are billed by it now."""
        of_model = EnteredPrice.objects.filter(provider=obj.provider, model=obj.model)
        first = of_model.filter(valid_from__lte=timezone.localdate()).first()
        return _("yes") if first == obj else figures.NOTHING

    def save_model(self, request: HttpRequest, obj: Any, form: forms.ModelForm, change: bool) -> None:
        obj.entered_by = request.user
        super().save_model(request, obj, form, change)
        transaction.on_commit(entered_prices.read)
