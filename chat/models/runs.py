"""Runs of the engine and the processes that drive them."""

import uuid
from typing import ClassVar, Literal

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from chat.models.conversation import Message, Session
from chat.models.prompts import PromptVersion
from graphs.site.vendor_errors import ErrorCode

#: Why a run failed: what went wrong with its vendor, or as doors say it what is not there or not allowed any more.
RunErrorCode = Literal[ErrorCode, "model_unavailable", "not_found", "forbidden"]

#: What may be done otherwise where the same again would fail: summarise what is earlier, ask for less, another model.
Correction = Literal["summarise", "shorter", "model"]


class Process(models.Model):
    """A process that drives runs. It renews `seen_at` (database time) every few seconds; silence means death."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    label = models.CharField(_("label"), max_length=100)
    started_at = models.DateTimeField(_("started"), db_default=Now())
    seen_at = models.DateTimeField(_("last seen"), db_default=Now())

    class Meta:
        verbose_name = _("process")
        verbose_name_plural = _("processes")

    def __str__(self) -> str:
        return self.label


class RunStatus(models.TextChoices):
    #: Waits for a process, or for the session's run before it.
    QUEUED = "queued", _("queued")
    #: A process drives it.
    RUNNING = "running", _("running")
    #: Came to rest: finished, or waits for a person.
    SUCCEEDED = "succeeded", _("succeeded")
    #: Ended with an error that the person was told.
    FAILED = "failed", _("failed")
    #: Stopped by a person, or because nobody read it any more.
    CANCELLED = "cancelled", _("cancelled")


#: Of what waits or is at work.
LIVE = (RunStatus.QUEUED, RunStatus.RUNNING)


class Run(models.Model):
    """One drive of the engine, from a trigger until it rests.

    `asked_model` is the model that was asked for this answer only. `gave_up`: its model came to one of its limits, so
    that a stronger one may do better. `trigger` is an event of the engine as JSON, `epoch` the stream's when it was
    claimed. `first_sequence` is the number of its `status: started`, `last_sequence` of its `done` or `error`; its
    deltas are folded up to `folded_to`. `prompt_version` is the managed prompt that its question was made of;
    a run that `reads_only` changes nothing whatever its author may.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    session = models.ForeignKey(Session, models.CASCADE, related_name="runs", verbose_name=_("session"))
    message = models.OneToOneField(Message, models.CASCADE, related_name="run")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", verbose_name=_("author"))
    trigger = models.JSONField()
    status = models.CharField(_("status"), max_length=10, choices=RunStatus.choices, default=RunStatus.QUEUED)
    process = models.UUIDField(null=True, blank=True)
    epoch = models.BigIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    first_sequence = models.BigIntegerField(null=True, blank=True)
    last_sequence = models.BigIntegerField(null=True, blank=True)
    folded_to = models.BigIntegerField(default=0, db_default=0, editable=False)
    stop_requested_at = models.DateTimeField(null=True, blank=True)
    asked_model = models.CharField(
        _("model for this answer only"), max_length=100, blank=True, default="", db_default=""
    )
    prompt_version = models.ForeignKey(
        PromptVersion, models.SET_NULL, null=True, blank=True, related_name="runs", verbose_name=_("prompt"),
        db_index=False,
    )  # fmt: skip
    reads_only = models.BooleanField(_("only reads"), default=False, db_default=False)
    gave_up = models.BooleanField(_("the model came to a limit"), default=False, db_default=False)
    provider = models.CharField(_("provider"), max_length=40, blank=True)
    model = models.CharField(_("model"), max_length=100, blank=True)
    outcome = models.CharField(_("outcome"), max_length=20, blank=True)
    error = models.JSONField(_("error"), null=True, blank=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    started_at = models.DateTimeField(_("started"), null=True, blank=True)
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)

    class Meta:
        verbose_name = _("run")
        verbose_name_plural = _("runs")
        ordering = ("created_at", "id")
        indexes: ClassVar = [
            models.Index(
                fields=["created_at"],
                name="live_runs",
                condition=models.Q(status__in=[*LIVE]),
            ),
            models.Index(
                fields=["ended_at"],
                name="runs_to_fold",
                condition=models.Q(last_sequence__gt=models.F("folded_to")),
            ),
            models.Index(
                fields=["prompt_version"],
                name="runs_of_prompt",
                condition=models.Q(prompt_version__isnull=False),
            ),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["session"], name="one_running_run_per_session", condition=models.Q(status=RunStatus.RUNNING)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session} · {self.get_status_display()}"
