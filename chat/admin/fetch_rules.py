"""Which hosts of the web a workspace lets be asked, for its admins; the site's lists are in its environment."""

from django import forms
from django.contrib import admin
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from chat.admin.policy import PolicyAdmin
from graphs.admin.audit import WorkspaceFilter
from graphs.admin.display import column
from rag.fetching.refusals import FetchRefused
from rag.fetching.targets import host_name
from rag.models import FetchRule


class FetchRuleForm(forms.ModelForm):
    class Meta:
        model = FetchRule
        fields = ("workspace", "host", "allows")

    def clean_host(self) -> str:
        """The host as it is compared: in ASCII and lower case."""
        try:
            return host_name(self.cleaned_data["host"].strip())
        except FetchRefused:
            raise forms.ValidationError(
                gettext("Write the name of a public host without scheme, port, path and *, such as example.org.")
            ) from None


@admin.register(FetchRule)
class FetchRuleAdmin(PolicyAdmin):
    form = FetchRuleForm
    change_list_template = None  # type: ignore[assignment]
    list_display = ("host", "says", "workspace", "created_at")
    list_filter = (WorkspaceFilter,)
    search_fields = ("host",)
    fields = ("workspace", "host", "allows")
    says = column(_("may be asked"), lambda obj: _("yes, and no others but those listed so") if obj.allows else _("no"))
