"""Versions of prompts: an audit of who wrote and activated what, why, and what came of it; and those of the site."""

from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.db.models import Avg, Count, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.utils.formats import localize
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from chat.actions.managing_prompts import activate_for_the_site, require_room_for_version, write_site_version
from chat.actions.refusals import Refused
from chat.admin import figures
from chat.engine import available_models
from chat.managed_prompts import repository
from chat.managed_prompts.diffs import TEXTS
from chat.managed_prompts.template import MAX_TEXT_CHARS, WrongText, checked
from chat.models import Feedback, ModelCall, Prompt, PromptVersion, Proposal, ProposalStatus, Run, SitePromptVersion
from chat.queries.prompts import ASKED
from graphs.admin.audit import AuditAdmin, ReadOnlyAdmin, WorkspaceFilter
from graphs.admin.display import column

_RUNS = Run.objects.filter(prompt_version=OuterRef("pk")).order_by().values("prompt_version")
_CALLS = ModelCall.objects.filter(run__prompt_version=OuterRef("pk")).order_by().values("run__prompt_version")
_OF = "message__run__prompt_version"
_DECIDED = Proposal.objects.filter(ASKED, **{_OF: OuterRef("pk")}).order_by().values(_OF)

_VOTES = Feedback.objects.filter(**{_OF: OuterRef("pk")}).order_by().values(_OF)


def _decided(status: str) -> Any:
    count = _DECIDED.annotate(count=Count("pk", filter=Q(status=status))).values("count")
    return Coalesce(Subquery(count), 0)


def _votes(vote: int) -> Any:
    count = _VOTES.annotate(count=Count("pk", filter=Q(vote=vote))).values("count")
    return Coalesce(Subquery(count), 0)


class Outcomes:
    """Columns that say what came of a version: runs, changes that people took or refused, votes, cost, duration."""

    columns: ClassVar = ("runs_of", "accepted_of", "rejected_of", "votes_of", "cost_of", "duration_of")
    runs_of = column(gettext_lazy("runs"), lambda obj: localize(obj.run_count))
    accepted_of = column(gettext_lazy("changes accepted"), lambda obj: localize(obj.accepted))
    rejected_of = column(gettext_lazy("changes rejected"), lambda obj: localize(obj.rejected))
    votes_of = column(gettext_lazy("voted good / not good"), lambda obj: f"{localize(obj.up)} / {localize(obj.down)}")
    cost_of = column(gettext_lazy("cost"), lambda obj: figures.money(obj.cost))
    duration_of = column(gettext_lazy("duration"), lambda obj: figures.duration(obj.took))

    @admin.display(description=gettext_lazy("text"))
    def wording(self, obj: PromptVersion) -> SafeString:
        """The texts, one under the other."""
        named = ((TEXTS.get(code, code), text) for code, text in obj.texts.items())
        return format_html_join("", '<h3>{}</h3><pre class="code">{}</pre>', named)

    @admin.display(description=gettext_lazy("activated"))
    def activated(self, obj: PromptVersion) -> SafeString | str:
        """By whom, when and why, the latest first."""
        rows = (
            (each.person or "?", localize(each.created_at), each.reason)
            for each in obj.activations.select_related("person")
        )
        return format_html_join("", "<p>{} · {} · {}</p>", rows) or figures.NOTHING


def _with_outcomes(rows: QuerySet[Any]) -> QuerySet[Any]:
    return rows.select_related("prompt", "author").annotate(
        run_count=Coalesce(Subquery(_RUNS.annotate(count=Count("pk")).values("count")), 0),
        took=Subquery(_RUNS.annotate(took=Avg(F("ended_at") - F("started_at"))).values("took")),
        cost=Subquery(_CALLS.annotate(cost=Sum("cost")).values("cost")),
        accepted=_decided(ProposalStatus.APPLIED),
        rejected=_decided(ProposalStatus.REJECTED),
        up=_votes(Feedback.Vote.UP),
        down=_votes(Feedback.Vote.DOWN),
    )


@admin.register(PromptVersion)
class PromptVersionAdmin(Outcomes, AuditAdmin):
    list_display = ("__str__", "tenant", "status", "author", "reason", "created_at", *Outcomes.columns)
    list_filter = ("status", WorkspaceFilter, "prompt__type")
    search_fields = ("prompt__key", "reason")
    fields = (
        *("prompt", "number", "workspace", "status", "model", "author", "reason", "created_at"),
        *("wording", "activated", *Outcomes.columns),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return _with_outcomes(super().get_queryset(request)).select_related("workspace")


class SiteVersionForm(forms.ModelForm):
    """A new version of the site: its prompt, the text in each language, why."""

    text_en = forms.CharField(
        label=TEXTS["en"], widget=forms.Textarea, max_length=MAX_TEXT_CHARS, required=False, strip=False
    )
    text_fr = forms.CharField(
        label=TEXTS["fr"], widget=forms.Textarea, max_length=MAX_TEXT_CHARS, required=False, strip=False
    )

    class Meta:
        model = SitePromptVersion
        fields: ClassVar = ("prompt", "model", "reason")

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        if "reason" in self.fields:
            self.fields["reason"].required = True

    def clean(self) -> dict[str, Any]:
        found = super().clean() or {}
        texts = {code: found.get(f"text_{code}") or "" for code, _name in settings.LANGUAGES}
        self.texts = {code: text.replace("\r\n", "\n") for code, text in texts.items() if text.strip()}
        if prompt := found.get("prompt"):
            try:
                checked(prompt.type, self.texts, None)
            except WrongText as wrong:
                field = wrong.field.replace(".", "_")
                self.add_error(field if field in self.fields else None, wrong.sentence)
            try:
                require_room_for_version(prompt, None)
            except Refused as full:
                self.add_error("prompt", str(full.detail))
        model = found.get("model")
        if model and model not in {choice.id for choice in available_models.configured().choices()}:
            self.add_error("model", _("There is no such model here."))
        return found


@admin.register(SitePromptVersion)
class SitePromptVersionAdmin(Outcomes, ReadOnlyAdmin):
    """Versions that count in all workspaces without an active one of their own. Superusers add and activate them."""

    form = SiteVersionForm
    actions = ("activate",)  # type: ignore[assignment]
    list_display = ("__str__", "status", "author", "reason", "created_at", *Outcomes.columns)
    list_filter = ("status", "prompt")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        repository.store()
        return _with_outcomes(super().get_queryset(request).filter(workspace=None))

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_view_permission(request)

    def has_activate_permission(self, request: HttpRequest) -> bool:
        """What Django asks for actions with the permission "activate"."""
        return self.has_view_permission(request)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None:
            return ("prompt", "text_en", "text_fr", "model", "reason")
        told = ("prompt", "number", "status", "model", "author", "reason", "created_at")
        return (*told, "wording", "activated", *Outcomes.columns)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "prompt":
            kwargs["queryset"] = Prompt.objects.filter(workspace=None)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        obj.texts, obj.author = form.texts, request.user
        write_site_version(obj.prompt, obj)

    @admin.action(description=gettext_lazy("Activate"), permissions=["activate"])
    def activate(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Makes the chosen versions count, one for each prompt."""
        versions = list(queryset)
        if len({version.prompt_id for version in versions}) < len(versions):
            self.message_user(request, _("Choose one version of a prompt."), messages.ERROR)
            return
        for version in versions:
            activate_for_the_site(request.user, version)  # type: ignore[arg-type]
        self.message_user(request, _("They are active now."))
