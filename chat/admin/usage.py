"""Calls to models: what each took and cost, without a word of what was said, and the page of what is spent."""

from datetime import timedelta
from typing import ClassVar

from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from chat.admin import figures, outcomes, price_sources, spend_page
from chat.models import ModelCall, Purpose
from graphs.admin.audit import AuditAdmin, OfferedFilter, WorkspaceFilter, column_filter
from graphs.admin.display import change_link, column
from rag.embeddings.embedding_models import LOCAL


class ProviderFilter(OfferedFilter):
    title = _("provider")
    parameter_name = "provider"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        return [(name, name) for name in (*settings.CHAT_PROVIDERS, LOCAL)]


PurposeFilter = column_filter("purpose", _("purpose"), Purpose.choices)
OutcomeFilter = column_filter("outcome", _("outcome"), outcomes.OUTCOMES.items())


@admin.register(ModelCall)
class ModelCallAdmin(AuditAdmin):
    change_list_template = "admin/chat/modelcall/change_list.html"
    list_pages = (("spend/", spend_page.page, "chat_spend"), ("spend.csv", spend_page.csv_file, "chat_spend_csv"))
    list_display = (
        *("created", "purpose", "shown_session", "person", "model", "tokens", "dollars", "latency", "ended"),
        "tenant",
    )
    list_select_related = ("workspace", "user", "session")
    list_filter = (WorkspaceFilter, ProviderFilter, PurposeFilter, OutcomeFilter, "created_at")
    search_fields = ("model", "session__title", "user__username", "object")
    ordering = ("-id",)
    fields = (
        *("created", "purpose", "shown_session", "person", "tenant", "object", "provider", "model"),
        *("prompt_tokens", "cached_tokens", "cache_write_tokens", "completion_tokens", "reasoning_tokens"),
        *("estimated", "dollars", "price", "latency", "first_token", "retries", "ended"),
    )
    created = column(_("created"), lambda obj: figures.moment(obj.created_at), "created_at")
    shown_session = column(_("session"), lambda obj: change_link(obj.session) if obj.session else figures.NOTHING)
    person = column(_("person"), lambda obj: obj.user.get_username() if obj.user else figures.NOTHING, "user__username")
    latency = column(_("duration"), lambda obj: figures.duration(timedelta(milliseconds=obj.latency_ms)), "latency_ms")
    ended = column(_("outcome"), lambda obj: outcomes.shown(obj.outcome), "outcome")

    class Media:
        css: ClassVar = {"all": ["chat/admin.css"]}

    @admin.display(description=_("tokens"), ordering="prompt_tokens")
    def tokens(self, obj: ModelCall) -> str:
        """Tokens read and written."""
        return f"{figures.number(obj.prompt_tokens)} + {figures.number(obj.completion_tokens)}"

    @admin.display(description=_("cost"), ordering="cost")
    def dollars(self, obj: ModelCall) -> str:
        about = "~" if obj.estimated and obj.cost else ""
        return about + figures.money(obj.cost)

    @admin.display(description=_("price"))
    def price(self, obj: ModelCall) -> str:
        """Where the price is written by which it was billed."""
        if obj.cost is None:
            return figures.NOTHING
        return price_sources.in_words([obj.price_source])[obj.price_source]

    @admin.display(description=_("time to first token"))
    def first_token(self, obj: ModelCall) -> str:
        known = obj.first_token_ms is not None
        return figures.duration(timedelta(milliseconds=obj.first_token_ms or 0) if known else None)
