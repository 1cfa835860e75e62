"""Limits of what may be spent, what was spent of them, and what calls under way may still spend."""

import uuid
from decimal import Decimal
from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from chat.models.conversation import Session
from chat.models.runs import Run
from chat.models.usage import Purpose
from graphs.models import Workspace


class BudgetScope(models.TextChoices):
    WORKSPACE = "workspace", _("the whole workspace")
    USER = "user", _("a person")
    SESSION = "session", _("a conversation")
    AUTOMATION = "automation", _("an automation")


class BudgetUnit(models.TextChoices):
    TOKENS = "tokens", _("tokens")
    USD = "usd", _("US dollars")


class BudgetPeriod(models.TextChoices):
    CALL = "call", _("each call")
    DAY = "day", _("each day")
    MONTH = "month", _("each month")
    TOTAL = "total", _("in total")


class Budget(models.Model):
    """What calls of a workspace may take in a period, in the time zone of the site.

    Without `user` or `session` a budget of a person, conversation or automation holds for each of them apart.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="budgets", verbose_name=_("workspace"))
    scope = models.CharField(_("scope"), max_length=10, choices=BudgetScope.choices, default=BudgetScope.WORKSPACE)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", null=True, blank=True, verbose_name=_("person")
    )
    session = models.ForeignKey(
        Session, models.CASCADE, related_name="budgets", null=True, blank=True, verbose_name=_("conversation")
    )
    unit = models.CharField(_("unit"), max_length=6, choices=BudgetUnit.choices, default=BudgetUnit.USD)
    period = models.CharField(_("period"), max_length=5, choices=BudgetPeriod.choices, default=BudgetPeriod.MONTH)
    limit = models.DecimalField(_("limit"), max_digits=18, decimal_places=6, validators=[MinValueValidator(Decimal(0))])
    active = models.BooleanField(_("active"), default=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("budget")
        verbose_name_plural = _("budgets")
        ordering = ("workspace", "scope", "id")
        indexes: ClassVar = [models.Index(fields=["workspace"], name="active_budgets", condition=models.Q(active=True))]

    def __str__(self) -> str:
        return f"{self.get_scope_display()}, {self.get_period_display()}"

    def amount(self, tokens: int, cost: Decimal | None) -> Decimal | None:
        """The one of the two that it limits; None if that is a cost that nobody knows."""
        return Decimal(tokens) if self.unit == BudgetUnit.TOKENS else cost


class BudgetUse(models.Model):
    """One period of a budget from `starts_on`, of one person or session (`subject`): what was spent and is reserved."""

    budget = models.ForeignKey(Budget, models.CASCADE, related_name="uses", verbose_name=_("budget"), db_index=False)
    subject = models.CharField(max_length=40, blank=True)
    starts_on = models.DateField(_("from"))
    used = models.DecimalField(_("spent"), max_digits=22, decimal_places=8, default=0)
    reserved = models.DecimalField(_("reserved"), max_digits=22, decimal_places=8, default=0)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["budget", "subject", "starts_on"], name="one_use_per_period")
        ]

    def __str__(self) -> str:
        return f"{self.budget} {self.starts_on}"


class Reservation(models.Model):
    """A call under way that a budget pays for: the most it can take, until it is settled with what it took.

    `uses` are ids of periods, `epoch` is of the run's owner. A call whose process died is settled by the estimated
    `prompt_tokens` and the prices (US dollars per million tokens).
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, related_name="+", null=True)
    session = models.ForeignKey(Session, models.SET_NULL, related_name="+", null=True)
    run = models.ForeignKey(Run, models.SET_NULL, related_name="reservations", null=True)
    epoch = models.BigIntegerField(default=0)
    object = models.CharField(max_length=140, blank=True)
    purpose = models.CharField(max_length=12, choices=Purpose.choices)
    provider = models.CharField(max_length=40)
    model = models.CharField(max_length=120)
    prompt_tokens = models.PositiveIntegerField()
    tokens = models.BigIntegerField()
    cost = models.DecimalField(max_digits=22, decimal_places=8, null=True)
    input_price = models.FloatField(null=True)
    output_price = models.FloatField(null=True)
    price_source = models.CharField(max_length=60, blank=True, default="", db_default="")
    uses = ArrayField(models.BigIntegerField())
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes: ClassVar = [models.Index(fields=["created_at"], name="calls_under_way")]

    def __str__(self) -> str:
        return f"{self.provider} {self.model}"
