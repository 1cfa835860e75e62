"""What people entered of the prices of models."""

from decimal import Decimal
from typing import Any, ClassVar

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

#: US dollars per million tokens beyond which a price is a mistake.
MOST = 1_000_000


def _dollars(label: Any) -> models.DecimalField:
    bounds = [MinValueValidator(Decimal(0)), MaxValueValidator(Decimal(MOST))]
    return models.DecimalField(label, max_digits=14, decimal_places=6, validators=bounds)


class EnteredPrice(models.Model):
    """What a model costs from a day on, in US dollars per million tokens; never changed, a later row takes its place.

    Of the rows of a model whose day has come the one with the latest day holds, of several of a day the last.
    """

    provider = models.CharField(_("provider"), max_length=40)
    model = models.CharField(_("model"), max_length=100)
    input = _dollars(_("input"))
    cached_input = _dollars(_("cached input"))
    output = _dollars(_("output"))
    valid_from = models.DateField(_("valid from"), default=timezone.localdate)
    note = models.CharField(_("note"), max_length=200, blank=True, help_text=_("For example where it is written."))
    entered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("entered by")
    )
    entered_at = models.DateTimeField(_("entered"), db_default=Now())

    class Meta:
        verbose_name = _("price")
        verbose_name_plural = _("prices")
        ordering: ClassVar = ["-valid_from", "-id"]

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}"
