"""Sessions: the list, and one with everything that was said and done in it."""

import uuid
from typing import Any

from django.contrib import admin
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from chat.admin import figures, replay, seen, timeline
from chat.admin.conversation import conversation_page, page_of
from chat.admin.session_filters import AboutFilter, AboutKindFilter, HiddenFilter, ModelFilter, PhaseFilter
from chat.models import Message, Run, Session
from graphs.admin.audit import AuditAdmin, WorkspaceFilter
from graphs.admin.display import json_code
from graphs.admin.objects import object_link
from graphs.objects.refs import Ref

#: Begins a search in what was said; without it titles, owners and ids are searched.
IN_MESSAGES = "text:"


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
    fieldsets = (
        (
            None,
            {
                "fields": (
                    ("owner_name", "tenant", "object_link"),
                    ("type", "used_model", "language"),
                    ("phase", "end_reason", "hidden_at"),
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

    class Media:
        css = {"all": ["chat/admin.css"]}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        said = Message.objects.filter(session=OuterRef("pk")).exclude(role=Message.Role.SYSTEM).order_by()
        runs = Run.objects.filter(session=OuterRef("pk")).exclude(model="").order_by("-created_at", "-id")
        return (
            super()
            .get_queryset(request)
            .annotate(
                said=Coalesce(Subquery(said.values("session").annotate(count=Count("pk")).values("count")), 0),
                last_model=Subquery(runs.values("model")[:1]),
            )
        )

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        text = search_term.strip()
        if text.startswith(IN_MESSAGES):
            return queryset.filter(pk__in=_sessions_saying(text.removeprefix(IN_MESSAGES).strip())), False
        try:
            return queryset.filter(pk=uuid.UUID(text)), False
        except ValueError:
            return super().get_search_results(request, queryset, search_term)

    def get_urls(self) -> list[URLPattern]:
        own = (
            ("events/", self.timeline_view, "chat_session_events"),
            ("replay/", self.replay_view, "chat_session_replay"),
            ("replay/events/", self.replay_events_view, "chat_session_replay_events"),
            ("seen/", self.seen_view, "chat_session_seen"),
            ("seen/request/", self.seen_request_view, "chat_session_seen_request"),
        )
        views = [
            path(f"<uuid:object_id>/{end}", self.admin_site.admin_view(view), name=name) for end, view, name in own
        ]
        return [*views, *super().get_urls()]

    def timeline_view(self, request: HttpRequest, object_id: uuid.UUID) -> HttpResponse:
        """The event log of a session."""
        session = self.get_object(request, str(object_id))
        return timeline.page(request, session, self.admin_site.each_context(request))

    def replay_view(self, request: HttpRequest, object_id: uuid.UUID) -> HttpResponse:
        """The session played again, from its log."""
        session = self.get_object(request, str(object_id))
        return replay.page(request, session, self.admin_site.each_context(request))

    def replay_events_view(self, request: HttpRequest, object_id: uuid.UUID) -> HttpResponse:
        """What the replay plays."""
        return replay.events(request, self.get_object(request, str(object_id)))

    def seen_view(self, request: HttpRequest, object_id: uuid.UUID) -> HttpResponse:
        """What the model saw for an answer of the session."""
        session = self.get_object(request, str(object_id))
        return seen.page(request, session, self.admin_site.each_context(request))

    def seen_request_view(self, request: HttpRequest, object_id: uuid.UUID) -> HttpResponse:
        """One call of it as JSON."""
        return seen.as_json(request, self.get_object(request, str(object_id)))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        session = self.get_object(request, object_id)
        named = request.GET.get("message", "")
        conversation = conversation_page(session, page_of(session, named) if named else request.GET.get("page", ""))
        return super().change_view(
            request, object_id, form_url, {**(extra_context or {}), "conversation": conversation}
        )

    @admin.display(description=_("title"), ordering="title")
    def shown_title(self, obj: Session) -> str:
        return obj.title or gettext("(no title)")

    @admin.display(description=_("last activity"), ordering="updated_at")
    def last_activity(self, obj: Session) -> str:
        return figures.moment(obj.updated_at)

    @admin.display(description=_("owner"), ordering="owner__username")
    def owner_name(self, obj: Session) -> str:
        return obj.owner.get_username()

    @admin.display(description=_("workspace"), ordering="workspace__name")
    def tenant(self, obj: Session) -> str:
        return str(obj.workspace)

    @admin.display(description=_("object"), ordering="context_id")
    def about(self, obj: Session) -> str:
        return f"{obj.context_type}:{obj.context_id}" if obj.context_type else figures.NOTHING

    @admin.display(description=_("object"))
    def object_link(self, obj: Session) -> str | SafeString:
        if not obj.context_type:
            return figures.NOTHING
        return object_link(obj.workspace_id, Ref(obj.context_type, obj.context_id))

    @admin.display(description=_("model"))
    def used_model(self, obj: Any) -> str:
        return obj.last_model or obj.model or figures.NOTHING

    @admin.display(description=_("messages"))
    def message_count(self, obj: Any) -> str:
        return figures.number(obj.said)

    @admin.display(description=_("tokens"))
    def tokens(self, obj: Session) -> str:
        return figures.number(obj.usage.get("promptTokens", 0) + obj.usage.get("completionTokens", 0))

    @admin.display(description=_("cost"), ordering="usage__cost")
    def cost(self, obj: Session) -> str:
        return figures.money(obj.usage.get("cost"))

    @admin.display(description=_("prompt tokens"))
    def prompt_tokens(self, obj: Session) -> str:
        return figures.number(obj.usage.get("promptTokens", 0))

    @admin.display(description=_("completion tokens"))
    def completion_tokens(self, obj: Session) -> str:
        return figures.number(obj.usage.get("completionTokens", 0))

    @admin.display(description=_("cached tokens"))
    def cached_tokens(self, obj: Session) -> str:
        return figures.number(obj.usage.get("cachedTokens", 0))

    @admin.display(description=_("state of the engine"))
    def engine_state(self, obj: Session) -> SafeString:
        return json_code(obj.state)


def _sessions_saying(text: str) -> QuerySet[Message, Any]:
    """The sessions with a message of a person or a model that has all these words."""
    found = Message.objects.exclude(role=Message.Role.SYSTEM)
    for word in text.split():
        found = found.filter(content__icontains=word)
    return found.order_by().values("session")
