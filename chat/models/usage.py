"""What calls to models cost."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from chat.models.requests import SentRequest
from chat.models.runs import Run


class ModelCall(models.Model):
    """One call to a model: tokens as the vendor counted them (or `estimated`), cost in US dollars, latency in ms.

    `cost` is empty where the registry has no price.
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="model_calls", verbose_name=_("run"))
    request = models.ForeignKey(SentRequest, models.SET_NULL, null=True, editable=False, related_name="model_calls")
    provider = models.CharField(_("provider"), max_length=40)
    model = models.CharField(_("model"), max_length=100)
    prompt_tokens = models.PositiveIntegerField(_("prompt tokens"), default=0)
    completion_tokens = models.PositiveIntegerField(_("completion tokens"), default=0)
    cached_tokens = models.PositiveIntegerField(_("cached tokens"), default=0)
    estimated = models.BooleanField(_("estimated"), default=False)
    cost = models.DecimalField(_("cost"), max_digits=12, decimal_places=6, null=True)
    latency_ms = models.PositiveIntegerField(_("latency"), default=0)
    outcome = models.CharField(_("outcome"), max_length=20)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("model call")
        verbose_name_plural = _("model calls")
        ordering = ("id",)

    def __str__(self) -> str:
        return f"{self.provider} {self.model}"
