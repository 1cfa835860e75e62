"""Proposals: what the model wanted to change, what became of it, and who decided. Decisions are made elsewhere."""

import uuid
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from chat.admin import figures
from chat.admin.changes import message_address
from chat.models import Proposal, ProposalStatus
from chat.proposals import proposal_json
from graphs.admin.audit import AuditAdmin, NewestPaginator, WorkspaceFilter, column_filter
from graphs.admin.display import change_link, column, json_column, link
from graphs.admin.history_diff import of_diff
from graphs.admin.history_filters import ConversationFilter, TypedFilter
from graphs.admin.object_filters import KindFilter, ObjectFilter
from graphs.admin.objects import object_link
from graphs.objects.refs import Ref

#: Items of the difference that a page shows.
ITEMS_SHOWN = 100


StatusFilter = column_filter("status", _("status"), ProposalStatus.choices)


class SessionFilter(ConversationFilter):
    def of(self, queryset: QuerySet[Proposal], session_id: uuid.UUID) -> QuerySet[Proposal]:
        return queryset.filter(session=session_id)


class DeciderFilter(TypedFilter):
    title = _("who decided")
    inputs = (("by", _("User name"), "search"),)
    lookup = "decided_by__username__iexact"


@admin.register(Proposal)
class ProposalAdmin(AuditAdmin):
    list_display = (*("created", "what", "state", "decider", "decided", "tool", "about", "tenant", "conversation"),)
    list_display_links = ("created",)
    list_select_related = ("workspace", "session", "decided_by")
    list_filter = (
        *(WorkspaceFilter, StatusFilter, KindFilter, ObjectFilter, SessionFilter, DeciderFilter, "created_at"),
    )
    search_fields = ("reason", "tool", "object_key")
    search_help_text = _("Searches reasons, tools, keys of objects and the ids of proposals.")
    ordering = ("-created_at", "-id")
    sortable_by = ()
    paginator = NewestPaginator
    change_list_template = "admin/chat/proposal/change_list.html"
    change_form_template = "admin/chat/proposal/change_form.html"
    fieldsets = (
        (
            None,
            {
                "fields": (
                    ("state", "tool", "tenant"),
                    ("object_link", "conversation", "message_link"),
                    ("created_at", "expires_at"),
                    ("decided_by", "decided_at", "change_set_link"),
                    "reason",
                    "asked_text",
                    "feedback_text",
                )
            },
        ),
        (
            _("Details"),
            {
                "classes": ("collapse",),
                "fields": (
                    *("id", "digest", "arguments_text", "decided_arguments_text", "targets_text", "conflicts_text"),
                ),
            },
        ),
    )
    arguments_text = json_column("arguments", _("arguments"))
    decided_arguments_text = json_column("decided_arguments", _("arguments as edited"))
    targets_text = json_column("targets", _("computed from these versions"))
    conflicts_text = json_column("conflicts", _("what had changed meanwhile"))
    created = column(_("when"), lambda obj: figures.moment(obj.created_at))
    decider = column(_("decided by"), lambda obj: proposal_json.decider(obj) or figures.NOTHING)
    decided = column(_("decided"), lambda obj: figures.moment(obj.decided_at) if obj.decided_at else figures.NOTHING)
    what = column(_("reason"), lambda obj: str(obj))
    conversation = column(_("conversation"), lambda obj: change_link(obj.session))
    about = column(_("object"), lambda obj: str(obj.about))
    object_link = column(_("object"), lambda obj: object_link(obj.workspace_id, Ref(obj.object_type, obj.object_key)))
    asked_text = column(_("why a person is asked"), lambda obj: _in_words(obj.asked_by))
    feedback_text = column(_("feedback"), lambda obj: obj.feedback or figures.NOTHING)

    class Media:
        css: ClassVar = {"all": ["chat/admin.css"]}

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        proposal = self.get_object(request, object_id)
        shown = {
            "items": of_diff(proposal.diff[:ITEMS_SHOWN], whole="whole" in request.GET),
            "unshown": max(0, len(proposal.diff) - ITEMS_SHOWN),
            "whole_address": "?whole",
        }
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **shown})

    @admin.display(description=_("status"))
    def state(self, obj: Proposal) -> SafeString:
        text = gettext("not decided in time") if obj.overdue else obj.get_status_display()
        return format_html('<span class="state {}">{}</span>', obj.status, text)

    @admin.display(description=_("message"))
    def message_link(self, obj: Proposal) -> SafeString:
        return link(message_address(obj.session_id, obj.message_id), _("the message that proposed it"))

    @admin.display(description=_("what came of it"))
    def change_set_link(self, obj: Proposal) -> SafeString:
        if obj.change_set is None:
            return SafeString(figures.NOTHING)
        return link(reverse("admin:graphs_changeset_change", args=[obj.change_set]), _("the change set"))


def _in_words(asked_by: Iterable[Mapping[str, str]]) -> str:
    """The levels of a proposal's `asked_by`; one that nobody asked about was let through by an allowance."""
    sentences = [_level(each.get("level", ""), each.get("why", "")) for each in asked_by]
    return " ".join(sentences) or gettext("Nobody was asked: an allowance lets it through.")


def _level(level: str, why: str) -> str:
    match level:
        case "app":
            return gettext("A rule of the whole site asks before every change.")
        case "workspace":
            return gettext("A rule of the workspace asks before every change.")
        case "tool":
            return gettext("A rule asks before every change by %(tool)s.") % {"tool": why}
        case "session":
            return gettext("The owner of the conversation wants to be asked before every change.")
        case "request":
            return gettext("The model itself asked for a decision.")
        case "untrusted" if why.startswith("web:"):
            return gettext("The conversation has read from the web (%(what)s).") % {"what": why.removeprefix("web:")}
        case "untrusted":
            return gettext("The conversation has read what was imported and not looked through (%(what)s).") % {
                "what": why
            }
        case "default":
            return gettext("No allowance covers it (%(what)s).") % {"what": why}
        case _:
            return f"{level}: {why}"
