"""What a person reads when a budget does not pay for a call."""

from datetime import datetime, timedelta
from decimal import Decimal

from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from chat.models import Budget, BudgetPeriod, BudgetScope, BudgetUnit

_NAMES = {
    BudgetScope.WORKSPACE: gettext_lazy("The budget of this workspace"),
    BudgetScope.USER: gettext_lazy("Your budget"),
    BudgetScope.SESSION: gettext_lazy("The budget of this conversation"),
    BudgetScope.AUTOMATION: gettext_lazy("The budget of this automation"),
}
_PERIODS = {
    BudgetPeriod.CALL: gettext_lazy("for each call"),
    BudgetPeriod.DAY: gettext_lazy("for today"),
    BudgetPeriod.MONTH: gettext_lazy("for this month"),
    BudgetPeriod.TOTAL: gettext_lazy("in total"),
}


class BudgetRefused(Exception):
    """A call that no budget pays for, with a text for people; `retryable` if only calls under way are in its way."""

    def __init__(
        self,
        sentence: str,
        frees_at: datetime | None = None,
        *,
        retryable: bool = False,
        too_large: bool = False,
    ) -> None:
        super().__init__(sentence)
        self.frees_at = frees_at
        self.retryable = retryable
        self.too_large = too_large

    @property
    def frees_in_s(self) -> float | None:
        return None if self.frees_at is None else max((self.frees_at - timezone.now()) / timedelta(seconds=1), 0)


def without_price(budget: Budget, model: str) -> BudgetRefused:
    return BudgetRefused(
        _(
            "%(budget)s is in dollars, and nobody knows what %(model)s costs. Choose another model, or ask an "
            "administrator to enter its price."
        )
        % {"model": model, "budget": _named(budget)}
    )


def too_large(budget: Budget, amount: Decimal) -> BudgetRefused:
    """The refusal of a call that is larger than its budget for each call."""
    return BudgetRefused(
        _(
            "%(budget)s is %(limit)s, and this one may take up to %(amount)s. Ask for less, begin a new conversation, "
            "or choose another model."
        )
        % {"budget": _named(budget), "limit": in_words(budget, budget.limit), "amount": in_words(budget, amount)},
        too_large=True,
    )


def used_up(
    budget: Budget, amount: Decimal, used: Decimal, reserved: Decimal, frees_at: datetime | None
) -> BudgetRefused:
    facts = {
        "budget": _named(budget),
        "amount": in_words(budget, amount),
        "limit": in_words(budget, budget.limit),
    }
    left = max(budget.limit - used, Decimal(0))
    if used + amount <= budget.limit:
        facts |= {"reserved": in_digits(budget, reserved), "left": in_words(budget, left)}
        sentence = _(
            "%(budget)s does not cover this at the moment: it may take up to %(amount)s, and answers under way hold "
            "%(reserved)s of the %(left)s that are left. Try again when they are done."
        )
        return BudgetRefused(sentence % facts, retryable=True)
    facts["left"] = in_digits(budget, left)
    sentence = _("%(budget)s does not cover this: it may take up to %(amount)s, and %(left)s of %(limit)s are left.")
    if frees_at is None:
        after = _("Ask an administrator to raise it.")
    else:
        day = date_format(timezone.localtime(frees_at), "DATE_FORMAT")
        after = _("It begins anew on %(day)s; an administrator can raise it.") % {"day": day}
    return BudgetRefused(f"{sentence % facts} {after}", frees_at)


def _named(budget: Budget) -> str:
    return f"{_NAMES[BudgetScope(budget.scope)]} {_PERIODS[BudgetPeriod(budget.period)]}"


def in_words(budget: Budget, amount: Decimal) -> str:
    number = in_digits(budget, amount)
    return _("%(count)s tokens") % {"count": number} if budget.unit == BudgetUnit.TOKENS else number


def in_digits(budget: Budget, amount: Decimal) -> str:
    """The amount without the word for tokens, for a sentence that says it later."""
    if budget.unit == BudgetUnit.TOKENS:
        return number_format(int(amount), force_grouping=True)
    return _("$%(amount)s") % {"amount": number_format(round(amount, 4), decimal_pos=4)}
