"""What calls to models cost, those that make vectors too."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from chat.models.conversation import Session
from chat.models.requests import SentRequest
from chat.models.runs import Run
from graphs.models import Workspace


class Purpose(models.TextChoices):
    #: A round of an answer.
    CHAT = "chat", _("answer")
    #: The beginning of a long conversation in brief.
    SUMMARY = "summary", _("summary")
    #: Vectors of texts that are kept, and of a question that looks for them.
    EMBEDDING = "embedding", _("embedding")
    QUESTION = "question", _("embedding of a question")


class ModelCall(models.Model):
    """One attempt to call a model: tokens as the vendor counted them (or `estimated`), cost in US dollars, times in ms.

    `cost` is empty without a price, `first_token_ms` if nothing came; `retries` counts the attempts before this one. It
    stays when its person is gone. `object` is `type:id`. `attempt` keeps it from being recorded twice; `price_source`
    is `Price.source`; old rows have neither.
    """

    workspace = models.ForeignKey(
        Workspace, models.CASCADE, related_name="model_calls", verbose_name=_("workspace"), db_index=False
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, related_name="+", null=True, verbose_name=_("person")
    )
    session = models.ForeignKey(
        Session, models.SET_NULL, related_name="model_calls", null=True, verbose_name=_("session")
    )
    run = models.ForeignKey(Run, models.SET_NULL, related_name="model_calls", null=True, verbose_name=_("run"))
    request = models.ForeignKey(SentRequest, models.SET_NULL, null=True, editable=False, related_name="model_calls")
    attempt = models.UUIDField(unique=True, null=True, editable=False)
    object = models.CharField(_("object"), max_length=140, blank=True)
    purpose = models.CharField(_("purpose"), max_length=12, choices=Purpose.choices, default=Purpose.CHAT)
    provider = models.CharField(_("provider"), max_length=40)
    model = models.CharField(_("model"), max_length=120)
    prompt_tokens = models.PositiveIntegerField(_("prompt tokens"), default=0)
    completion_tokens = models.PositiveIntegerField(_("completion tokens"), default=0)
    cached_tokens = models.PositiveIntegerField(_("cached tokens"), default=0)
    cache_write_tokens = models.PositiveIntegerField(_("tokens kept in the cache"), default=0)
    reasoning_tokens = models.PositiveIntegerField(_("reasoning tokens"), default=0)
    estimated = models.BooleanField(_("estimated"), default=False)
    cost = models.DecimalField(_("cost"), max_digits=14, decimal_places=8, null=True)
    price_source = models.CharField(_("price"), max_length=60, blank=True, default="", db_default="")
    latency_ms = models.PositiveIntegerField(_("duration"), default=0)
    first_token_ms = models.PositiveIntegerField(_("time to first token"), null=True)
    retries = models.PositiveSmallIntegerField(_("retries"), default=0)
    outcome = models.CharField(_("outcome"), max_length=20)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("model call")
        verbose_name_plural = _("model calls")
        ordering = ("id",)
        indexes: ClassVar = [models.Index(fields=["workspace", "created_at"], name="spend_of_workspace")]

    def __str__(self) -> str:
        return f"{self.provider} {self.model}"
