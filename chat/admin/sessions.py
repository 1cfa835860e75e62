"""Sessions: the list, and one with everything that was said and done in it."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from chat.admin import figures, replay, sent_request_page, timeline
from chat.admin.conversation import conversation_page, page_of
from chat.engine.states import Phase
from chat.models import Message, Run, Session
from graphs.admin.audit import AuditAdmin, OfferedFilter, WorkspaceFilter, auditable, column_filter
from graphs.admin.display import column, json_column
from graphs.admin.object_filters import KindFilter, ObjectFilter
from graphs.admin.objects import object_link
from graphs.objects.refs import Ref

#: Begins a search in what was said; without it titles, owners and ids are searched.
IN_MESSAGES = "text:"


class AboutKindFilter(KindFilter):
    column = "context_type"


class AboutFilter(ObjectFilter):
    columns = ("context_type", "context_id")


PhaseFilter = column_filter("phase", _("phase"), [(phase.value, phase.value) for phase in Phase])


class ModelFilter(OfferedFilter):
    """Sessions in which a model answered. Offers what was used in the person's workspaces."""

    title = _("model")
    parameter_name = "model"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        runs = Run.objects.exclude(model="").order_by("model")
        if not getattr(request.user, "is_superuser", False):
            runs = runs.filter(session__workspace__in=auditable(request))
        return [(model, model) for model in runs.values_list("model", flat=True).distinct()]

    def chosen(self, queryset: QuerySet[Any], value: str) -> QuerySet[Any]:
        return queryset.filter(pk__in=Run.objects.filter(model=value).values("session"))


class HiddenFilter(OfferedFilter):
    """Whether the owner deleted the session, which hides it from them."""

    title = _("deletion")
    parameter_name = "hidden"
    offered = (("no", _("not deleted")), ("yes", _("deleted by its owner")))

    def chosen(self, queryset: QuerySet[Session], value: str) -> QuerySet[Session]:
        return queryset.filter(hidden_at__isnull=value == "no")


@admin.register(Session)
class SessionAdmin(AuditAdmin):
    list_display = (
        *("shown_title", "last_activity", "owner_name", "tenant", "about", "used_model", "phase"),
        *("message_count", "tokens", "cost"),
    )
    list_select_related = ("owner", "workspace")
    list_filter = (
        *(WorkspaceFilter, AboutKindFilter, AboutFilter, PhaseFilter, "type", ModelFilter, "updated_at", HiddenFilter),
    )
    search_fields = ("title", "owner__username")
    search_help_text = _(
        "Searches titles, owners and ids. Begin with “text:” to search in what was said, which takes longer."
    )
    change_form_template = "admin/chat/session/change_form.html"
    row_pages = (
        ("events/", timeline.page, "chat_session_events"),
        ("replay/", replay.page, "chat_session_replay"),
        ("replay/events/", replay.events, "chat_session_replay_events"),
        ("seen/", sent_request_page.page, "chat_session_seen"),
        ("seen/request/", sent_request_page.as_json, "chat_session_seen_request"),
    )
    fieldsets = (
        (
            None,
            {
                "fields": (
                    ("owner_name", "tenant", "object_link"),
                    ("type", "used_model", "language"),
                    ("phase", "end_reason", "archived_at", "hidden_at"),
                    ("message_count", "tokens", "cost"),
                    ("created_at", "updated_at"),
                )
            },
        ),
        (
            _("Details"),
            {
                "classes": ("collapse",),
                "fields": (
                    ("id", "on_disconnect", "require_validation"),
                    ("prompt_tokens", "completion_tokens", "cached_tokens"),
                    "engine_state",
                ),
            },
        ),
    )

    prompt_tokens = column(_("prompt tokens"), lambda obj: figures.number(obj.usage.get("promptTokens", 0)))
    completion_tokens = column(_("completion tokens"), lambda obj: figures.number(obj.usage.get("completionTokens", 0)))
    cached_tokens = column(_("cached tokens"), lambda obj: figures.number(obj.usage.get("cachedTokens", 0)))
    engine_state = json_column("state", _("state of the engine"))
    shown_title = column(_("title"), lambda obj: obj.title or gettext("(no title)"), "title")
    last_activity = column(_("last activity"), lambda obj: figures.moment(obj.updated_at), "updated_at")
    owner_name = column(_("owner"), lambda obj: obj.owner.get_username(), "owner__username")
    used_model = column(_("model"), lambda obj: obj.last_model or obj.model or figures.NOTHING)
    message_count = column(_("messages"), lambda obj: figures.number(obj.said))
    cost = column(_("cost"), lambda obj: figures.money(obj.usage.get("cost")), "usage__cost")

    class Media:
        css = {"all": ["chat/admin.css"]}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        said = Message.objects.filter(session=OuterRef("pk")).exclude(role=Message.Role.SYSTEM).order_by()
        runs = Run.objects.filter(session=OuterRef("pk")).exclude(model="").order_by("-created_at", "-id")
        count = Coalesce(Subquery(said.values("session").annotate(count=Count("pk")).values("count")), 0)
        return super().get_queryset(request).annotate(said=count, last_model=Subquery(runs.values("model")[:1]))

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        text = search_term.strip()
        if text.startswith(IN_MESSAGES):
            said = Message.objects.exclude(role=Message.Role.SYSTEM).order_by()
            for word in text.removeprefix(IN_MESSAGES).split():
                said = said.filter(content__icontains=word)
            return queryset.filter(pk__in=said.values("session")), False
        return super().get_search_results(request, queryset, search_term)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        session = self.get_object(request, object_id)
        named = request.GET.get("message", "")
        conversation = conversation_page(session, page_of(session, named) if named else request.GET.get("page", ""))
        return super().change_view(
            request, object_id, form_url, {**(extra_context or {}), "conversation": conversation}
        )

    @admin.display(description=_("object"), ordering="context_id")
    def about(self, obj: Session) -> str:
        return f"{obj.context_type}:{obj.context_id}" if obj.context_type else figures.NOTHING

    @admin.display(description=_("object"))
    def object_link(self, obj: Session) -> str | SafeString:
        if not obj.context_type:
            return figures.NOTHING
        return object_link(obj.workspace_id, Ref(obj.context_type, obj.context_id))

    @admin.display(description=_("tokens"))
    def tokens(self, obj: Session) -> str:
        return figures.number(obj.usage.get("promptTokens", 0) + obj.usage.get("completionTokens", 0))
