"""What people think of answers, one vote each, and how many of them each model and prompt version got."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from chat.admin import figures
from chat.models import Feedback
from graphs.admin.audit import AuditAdmin, OfferedFilter, WorkspaceFilter, auditable, column_filter
from graphs.admin.display import column, link

#: Lines of the table above the list.
MOST = 50
VoteFilter = column_filter("vote", _("vote"), [(str(value), label) for value, label in Feedback.Vote.choices])


class OfAnswerFilter(OfferedFilter):
    """Offers what the rated answers of the person's workspaces have in `column`."""

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        votes = Feedback.objects.exclude(**{self.column: ""}).order_by(self.column)
        if not getattr(request.user, "is_superuser", False):
            votes = votes.filter(message__session__workspace__in=auditable(request))
        return [(value, value) for value in votes.values_list(self.column, flat=True).distinct()]


class ModelFilter(OfAnswerFilter):
    title = _("model")
    parameter_name = "model"
    column = "message__model"


class PromptVersionFilter(OfAnswerFilter):
    title = _("prompt version")
    parameter_name = "prompt_version"
    column = "message__prompt_version"


@admin.register(Feedback)
class FeedbackAdmin(AuditAdmin):
    change_list_template = "admin/chat/feedback/change_list.html"
    workspace_path = "message__session__workspace"
    list_display = ("given", "vote", "comment", "answer", "used_model", "prompt_version", "giver", "tenant")
    list_select_related = ("message__session__workspace", "person")
    list_filter = (WorkspaceFilter, VoteFilter, ModelFilter, PromptVersionFilter, "updated_at")
    search_fields = ("comment", "person__username", "message__session__title")
    fields = ("given", "vote", "comment", "answer", "used_model", "prompt_version", "giver", "tenant")
    given = column(_("given"), lambda obj: figures.moment(obj.updated_at), "updated_at")
    used_model = column(_("model"), lambda obj: obj.message.model or figures.NOTHING, "message__model")
    prompt_version = column(
        _("prompt version"), lambda obj: obj.message.prompt_version or figures.NOTHING, "message__prompt_version"
    )
    giver = column(_("person"), lambda obj: obj.person.get_username(), "person__username")
    tenant = column(_("workspace"), lambda obj: str(obj.message.session.workspace), "message__session__workspace__name")

    class Media:
        css: ClassVar = {"all": ["chat/admin.css"]}

    @admin.display(description=_("answer"))
    def answer(self, obj: Feedback) -> SafeString:
        """A link to the answer in its conversation."""
        session = obj.message.session
        address = reverse("admin:chat_session_change", args=[session.pk], query={"message": obj.message_id})
        return link(f"{address}#message-{obj.message_id}", str(session))

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The list with what its votes amount to, as far as filters let them through."""
        response = super().changelist_view(request, extra_context)
        context = getattr(response, "context_data", None)
        if context and "cl" in context:
            context["totals"] = _totals(context["cl"].queryset)
        return response


def _totals(votes: QuerySet[Feedback]) -> list[dict[str, Any]]:
    """Votes by model and prompt version, those with the most first."""
    groups = votes.order_by().values("message__model", "message__prompt_version")
    counted = groups.annotate(
        up=Count("pk", filter=Q(vote=Feedback.Vote.UP)),
        down=Count("pk", filter=Q(vote=Feedback.Vote.DOWN)),
        count=Count("pk"),
    ).order_by("-count", "message__model", "message__prompt_version")
    return [
        {
            "model": row["message__model"] or figures.NOTHING,
            "prompt_version": row["message__prompt_version"] or figures.NOTHING,
            "up": figures.number(row["up"]),
            "down": figures.number(row["down"]),
            "share": f"{100 * row['up'] // row['count']} %",
        }
        for row in counted[:MOST]
    ]
