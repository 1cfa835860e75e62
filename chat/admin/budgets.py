"""Budgets: what workspaces, people, conversations and automations may spend, and how much of it is left."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.models import User
from django.db.models import Case, DateField, F, Model, OuterRef, QuerySet, Subquery, Value, When
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from chat.admin import charts, figures
from chat.admin.budget_forms import BudgetForm
from chat.admin.policy import PolicyAdmin
from chat.models import Budget, BudgetPeriod, BudgetScope, BudgetUse, Session
from chat.spending.refusing import in_digits, in_words
from chat.spending.uses import EVER, starts_on
from graphs.admin.audit import WorkspaceFilter
from graphs.admin.display import change_link, column

#: Periods that a budget's page shows, the newest first.
SHOWN = 30
_MEASURED = ("workspace", "scope", "person", "conversation", "unit", "period")


class BudgetList(ChangeList):
    """The list, with the names of who spent most of budgets that hold for each, asked for together."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        budgets: list[Any] = list(self.result_list)
        each = [budget for budget in budgets if _holds_for_each(budget) and budget.subject]
        names = _names((BudgetScope(budget.scope), budget.subject) for budget in each)
        for budget in each:
            budget.spender = names.get(budget.subject, figures.NOTHING)
        self.result_list = budgets


@admin.register(Budget)
class BudgetAdmin(PolicyAdmin):
    """What a budget measures is fixed with it; its limit can be changed, and it can be switched off."""

    form = BudgetForm
    change_list_template = "admin/chat/budget/change_list.html"
    list_display = ("whose", "tenant", "shown_limit", "now", "active")
    list_filter = (WorkspaceFilter, "scope", "unit", "period", "active")
    list_select_related = ("workspace", "user", "session")
    search_fields = ("user__username", "session__title")
    ordering = ("workspace", "id")
    shown_limit = column(_("limit"), lambda obj: f"{in_words(obj, obj.limit)} {obj.get_period_display()}")
    shown_period = column(_("unit and period"), lambda obj: f"{obj.get_unit_display()}, {obj.get_period_display()}")

    class Media:
        css: ClassVar = {"all": ["chat/admin.css"]}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Budget]:
        """The budgets with the fullest use of their present period."""
        today = timezone.localdate()
        begins = [
            When(period=period, then=Value(starts_on(period, today)))
            for period in (BudgetPeriod.DAY, BudgetPeriod.MONTH)
        ]
        present = Case(*begins, default=Value(EVER), output_field=DateField())
        uses = BudgetUse.objects.filter(budget=OuterRef("pk"), starts_on=OuterRef("begins"))
        fullest = uses.order_by(-(F("used") + F("reserved")))
        of_fullest = {name: Subquery(fullest.values(name)[:1]) for name in ("used", "reserved", "subject")}
        return super().get_queryset(request).annotate(begins=present).annotate(**of_fullest)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return BudgetList

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        if obj is None:
            return (*_MEASURED, "limit", "active")
        return ("tenant", "whose", "shown_period", "limit", "active", "created_at", "periods")

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        return ("tenant", "whose", "shown_period", "created_at", "periods") if obj else ()

    def get_form(self, request: HttpRequest, obj: Model | None = None, change: bool = False, **kwargs: Any) -> Any:
        if obj is None:
            return super().get_form(request, obj, change, **kwargs)
        return super(PolicyAdmin, self).get_form(request, obj, change, **kwargs)

    @admin.display(description=_("of"), ordering="scope")
    def whose(self, obj: Budget) -> str | SafeString:
        if obj.session:
            return change_link(obj.session)
        if obj.user:
            return obj.user.get_username()
        each = {
            BudgetScope.USER: _("each person"),
            BudgetScope.SESSION: _("each conversation"),
            BudgetScope.AUTOMATION: _("each automation"),
        }
        return str(each.get(BudgetScope(obj.scope), obj.get_scope_display()))

    @admin.display(description=_("spent now"))
    def now(self, obj: Any) -> str | SafeString:
        """The use of the present period: where a budget holds for each, that of who spent most."""
        if obj.period == BudgetPeriod.CALL:
            return figures.NOTHING
        return _use(obj, obj.used or Decimal(0), obj.reserved or Decimal(0), getattr(obj, "spender", ""))

    @admin.display(description=_("periods"))
    def periods(self, obj: Budget) -> str | SafeString:
        uses = list(obj.uses.order_by("-starts_on", -(F("used") + F("reserved")))[:SHOWN])
        if not uses:
            return gettext("Nothing was asked of this budget yet.")
        each = _holds_for_each(obj)
        names = _names((BudgetScope(obj.scope), use.subject) for use in uses) if each else {}
        rows = (
            (
                "" if use.starts_on == EVER else use.starts_on.isoformat(),
                _use(obj, use.used, use.reserved, names.get(use.subject, figures.NOTHING if each else "")),
            )
            for use in uses
        )
        return format_html(
            '<table class="uses">{}</table>', format_html_join("", "<tr><th>{}</th><td>{}</td></tr>", rows)
        )


def _use(budget: Budget, used: Decimal, reserved: Decimal, name: str) -> SafeString:
    """What is used of a budget, in words and as a bar."""
    words = gettext("%(used)s of %(limit)s") % {
        "used": in_digits(budget, used),
        "limit": in_words(budget, budget.limit),
    }
    if reserved:
        words += gettext(", %(reserved)s reserved") % {"reserved": in_digits(budget, reserved)}
    whole = budget.limit or Decimal(1)
    text = f"{name}: {words}" if name else words
    return format_html("{}{}", text, charts.share(float(used / whole), float(reserved / whole), words))


def _holds_for_each(budget: Budget) -> bool:
    return not (budget.user_id or budget.session_id or budget.scope == BudgetScope.WORKSPACE)


def _names(subjects: Iterable[tuple[BudgetScope, str]]) -> dict[str, str]:
    """The names of people and conversations, by their ids."""
    people: set[str] = set()
    sessions: set[str] = set()
    for scope, subject in subjects:
        (people if scope == BudgetScope.USER else sessions).add(subject)
    users = User.objects.filter(pk__in=people).values_list("pk", "username") if people else ()
    found = Session.objects.filter(pk__in=sessions) if sessions else ()
    return {str(pk): name for pk, name in users} | {str(each.pk): str(each) for each in found}
