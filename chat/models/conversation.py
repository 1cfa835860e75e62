"""Sessions, their messages, what stands for these in a prompt, and answers kept for repeated requests."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from chat.models.rounds import Round, RoundsField
from chat.models.streams import Stream
from graphs.models import Workspace
from graphs.models.objects import MAX_KEY
from graphs.objects.refs import Ref


class SessionType(models.TextChoices):
    CHAT = "CHAT", _("chat")
    SEED = "SEED", _("template of an automation")
    AUTOMATION = "AUTOMATION", _("automation")
    #: What a managed prompt is asked once: nobody's list of conversations has it.
    GENERATION = "GENERATION", _("structured generation")


class Session(models.Model):
    """One conversation of one person about one object, which may be gone: `context` names it.

    `state` is the engine's (`chat/engine/states.py`), versioned JSON; `phase` repeats its phase for filters.
    `untrusted_since` is the moment in which it was first given something from outside the workspace that nobody had
    looked through, by name `untrusted_source`: an object, or `web:` with a host; that stays, whatever becomes of it.
    Only generations share a `stream`: that of their object.
    """

    class OnDisconnect(models.TextChoices):
        CONTINUE = "continue", _("let the answer finish")
        CANCEL = "cancel", _("stop the answer")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="sessions", verbose_name=_("workspace"))
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="chat_sessions", verbose_name=_("owner")
    )
    stream = models.ForeignKey(Stream, models.PROTECT, related_name="sessions", related_query_name="session")
    type = models.CharField(_("type"), max_length=10, choices=SessionType.choices, default=SessionType.CHAT)
    title = models.CharField(_("title"), max_length=200, blank=True)
    context_type = models.CharField(_("kind of object"), max_length=30, blank=True)
    context_id = models.CharField(_("object"), max_length=100, blank=True)
    model = models.CharField(_("model"), max_length=100, blank=True)
    language = models.CharField(_("language"), max_length=10, default="en")
    on_disconnect = models.CharField(
        _("when everybody left"), max_length=10, choices=OnDisconnect.choices, default=OnDisconnect.CANCEL
    )
    require_validation = models.BooleanField(_("ask before every change"), default=False)
    phase = models.CharField(_("phase"), max_length=40, default="IDLE")
    state = models.JSONField(default=dict)
    end_reason = models.CharField(_("end reason"), max_length=20, blank=True)
    usage = models.JSONField(_("usage"), default=dict)
    untrusted_since = models.DateTimeField(_("untrusted since"), null=True, editable=False)
    untrusted_source = models.CharField(
        _("untrusted source"), max_length=260, blank=True, default="", db_default="", editable=False
    )
    hidden_at = models.DateTimeField(_("deleted by its owner"), null=True, blank=True)
    archived_at = models.DateTimeField(_("archived"), null=True, blank=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    updated_at = models.DateTimeField(_("last activity"), auto_now=True)

    class Meta:
        verbose_name = _("session")
        verbose_name_plural = _("sessions")
        ordering = ("-updated_at", "-id")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["stream"],
                name="one_conversation_per_stream",
                condition=~models.Q(type=SessionType.GENERATION),
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["-updated_at", "-id"], name="session_latest"),
            models.Index(
                fields=["owner", "workspace", "context_type", "context_id", "-updated_at"],
                name="session_of_object",
                condition=models.Q(hidden_at=None),
            ),
            models.Index(
                fields=["workspace", "context_type", "context_id"],
                name="generation_of_object",
                condition=models.Q(type=SessionType.GENERATION),
            ),
        ]

    def __str__(self) -> str:
        return self.title or str(self.id)

    @property
    def archived(self) -> bool:
        """Whether its owner has put it away: it is read, and not written in before it is brought back."""
        return self.archived_at is not None

    @property
    def context(self) -> Ref | None:
        """The name of the object that it is about, None if there is none."""
        return Ref(self.context_type, self.context_id) if self.context_type else None


class Message(models.Model):
    """What a person wrote, or one answer of the model with everything it did for it.

    An answer is one row however many rounds it took; `content` and `reasoning` gather what its `rounds` say for
    readers. `retrieved` is the context that was looked up for a question. `status` is "complete", "streaming",
    "stopped" or "failed". A `kind` of "note" tells the model of something that happened; people do not see it.
    `author` wrote it, if that was not the conversation's owner. `changes` counts what was recorded in the turn that
    this answer ends, empty if it goes on or the model could change nothing. `deepens` is the answer that a stronger
    model was asked to go deeper than. `in_prompt`: the person wants it kept whatever is summarised, or left out.
    `records` are always-sent records that had changed since they were sent last; those of the beginning are with the
    system prompt. `prompt_version` is the digest of the wording of a conversation or, where it was asked with a managed
    prompt, `key@number`.
    """

    TEXT, NOTE, SYSTEM_PROMPT = "text", "note", "system_prompt"

    class Role(models.TextChoices):
        USER = "user", _("person")
        ASSISTANT = "assistant", _("model")
        SYSTEM = "system", _("system")

    class Status(models.TextChoices):
        COMPLETE = "complete", _("complete")
        QUEUED = "queued", _("waiting for its turn")
        STREAMING = "streaming", _("being written")
        STOPPED = "stopped", _("stopped")
        FAILED = "failed", _("failed")

    UNFINISHED = (Status.QUEUED, Status.STREAMING)

    class InPrompt(models.TextChoices):
        AUTO = "auto", _("until it is summarised")
        PINNED = "pinned", _("always kept")
        LEFT_OUT = "left_out", _("left out")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    #: The index of its unique positions serves it, as those of other constraints serve foreign keys without one.
    session = models.ForeignKey(
        Session, models.CASCADE, related_name="messages", verbose_name=_("session"), db_index=False
    )
    sequence = models.PositiveIntegerField(_("position"))
    role = models.CharField(_("role"), max_length=10, choices=Role.choices)
    kind = models.CharField(_("kind"), max_length=30, default=TEXT)
    status = models.CharField(_("status"), max_length=10, choices=Status.choices, default=Status.COMPLETE)
    content = models.TextField(_("content"), blank=True)
    reasoning = models.TextField(_("reasoning"), blank=True)
    rounds: "models.Field[list[Round], list[Round]]" = RoundsField(_("rounds"), default=list, blank=True)
    retrieved = models.TextField(_("retrieved context"), blank=True)
    records = models.TextField(_("records always sent"), blank=True, default="", db_default="")
    model = models.CharField(_("model"), max_length=100, blank=True)
    prompt_version = models.CharField(_("prompt version"), max_length=40, blank=True)
    changes = models.PositiveIntegerField(_("changes recorded"), null=True)
    deepens = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="deeper", verbose_name=_("goes deeper than")
    )
    in_prompt = models.CharField(
        _("for the model"), max_length=10, choices=InPrompt.choices, default=InPrompt.AUTO, db_default=InPrompt.AUTO
    )
    exclude_from_prompt = models.BooleanField(_("not shown to the model"), default=False)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", verbose_name=_("author"), db_index=False
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("message")
        verbose_name_plural = _("messages")
        ordering = ("sequence",)
        constraints: ClassVar = [models.UniqueConstraint(fields=["session", "sequence"], name="message_sequence")]

    def __str__(self) -> str:
        return f"{self.get_role_display()}: {self.content[:60]}"


class Summary(models.Model):
    """What stands in the prompt for the earlier part of a conversation; the latest one counts.

    It stands for the messages before position `sequence` except those at `kept`, and for the first `rounds` rounds of
    the answer there. `model` is empty if no model could write it. Tokens are those of the prompt before and after,
    counted here.
    """

    session = models.ForeignKey(
        Session, models.CASCADE, related_name="summaries", verbose_name=_("session"), db_index=False
    )
    sequence = models.PositiveIntegerField(_("position"))
    rounds = models.PositiveSmallIntegerField(_("rounds"), default=0)
    kept = models.JSONField(default=list)
    content = models.TextField(_("content"))
    model = models.CharField(_("model"), max_length=100, blank=True)
    tokens_before = models.PositiveIntegerField(_("tokens before"))
    tokens_after = models.PositiveIntegerField(_("tokens after"))
    created_at = models.DateTimeField(_("created"), db_default=Now())

    class Meta:
        verbose_name = _("summary")
        verbose_name_plural = _("summaries")
        ordering = ("session", "sequence", "rounds")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["session", "sequence", "rounds"], name="one_summary_per_place")
        ]

    def __str__(self) -> str:
        return self.content[:80]


class AlwaysSend(models.Model):
    """An object, or a part of one, that every conversation of the workspace is shown from its beginning.

    `header` is the number of the object that was chosen, which one that a rollback brings back has again, and another
    one of the same name has not. Without one whatever has the name is meant.
    """

    workspace = models.ForeignKey(
        Workspace, models.CASCADE, related_name="+", verbose_name=_("workspace"), db_index=False
    )
    object_type = models.CharField(_("kind of object"), max_length=30)
    object_key = models.CharField(_("object"), max_length=MAX_KEY)
    part_type = models.CharField(_("kind of part"), max_length=30, blank=True)
    part_key = models.CharField(_("part"), max_length=250, blank=True)
    header = models.BigIntegerField(null=True, editable=False)
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("added by")
    )
    created_at = models.DateTimeField(_("since"), db_default=Now())

    class Meta:
        verbose_name = _("record that is always sent")
        verbose_name_plural = _("records that are always sent")
        ordering = ("workspace", "id")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["workspace", "object_type", "object_key", "part_type", "part_key"], name="always_sent_once"
            )
        ]

    def __str__(self) -> str:
        return " · ".join(part for part in (self.object_key, self.part_key) if part)


class IdempotencyKey(models.Model):
    """The answer to a request that named itself: the same key and body get it again, another body is refused."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", db_index=False)
    key = models.CharField(max_length=200)
    body_digest = models.CharField(max_length=64)
    answer = models.JSONField(null=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "key"], name="one_answer_per_key")]
        indexes: ClassVar = [models.Index(fields=["created_at"], name="idempotency_age")]
