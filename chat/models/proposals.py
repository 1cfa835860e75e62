"""Changes that wait for a person's decision, and the rules that say when one has to be asked."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from chat.models.conversation import Message, Session, SessionType
from graphs.models import Object, Workspace
from graphs.models.objects import MAX_KEY
from graphs.objects.refs import Ref

#: The type of what a proposal is about that wants to read a page: its key is the host. It changes nothing.
FETCH = "fetch"


class ProposalStatus(models.TextChoices):
    #: Waits for a decision.
    PENDING = "pending", _("pending")
    #: Approved, and what it proposed was done in the same transaction.
    APPLIED = "applied", _("applied")
    #: Somebody said no; the model was told why.
    REJECTED = "rejected", _("rejected")
    #: What it would change moved on since.
    STALE = "stale", _("stale")
    #: Nobody decided in time.
    EXPIRED = "expired", _("expired")
    #: Its conversation was stopped or deleted before anybody decided.
    CANCELLED = "cancelled", _("cancelled")
    #: Approved, but it could not be applied; nothing was changed.
    FAILED = "failed", _("failed")


class Proposal(models.Model):
    """A change as it was computed, shown and decided; what is applied is exactly this.

    `arguments` are the model's, `decided_arguments` those a person edited. `operations` (`graphs.objects.operations`)
    were computed from the objects in `targets` (`[{type, id, version}]`); `digest` is over tool, arguments, operations
    and targets, and `diff` (`graphs.history.diffs`) is what people see of it. `asked_by` are the levels of the policy
    that asked for a decision, `[{level, why}]`. `object`, with its type and key, is the one it is about; `change_set`
    is what came of it, `conflicts` is what had changed meanwhile where it is stale. `brief` is what lists and events
    say of the large parts (`chat.proposals.shortening`); who reads many proposals leaves `LARGE` in the database.
    `object` is null if the proposal creates it. `problem` says why one that failed could not be applied,
    or that what a stale one is about is gone.
    `asked_again` is the answer to the person who had it proposed again. One of type `FETCH` wants to read a page.
    """

    LARGE: ClassVar = ("operations", "diff", "arguments", "decided_arguments", "targets", "conflicts")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(
        Workspace, models.CASCADE, related_name="+", verbose_name=_("workspace"), db_index=False
    )
    session = models.ForeignKey(
        Session, models.CASCADE, related_name="proposals", verbose_name=_("session"), db_index=False
    )
    message = models.ForeignKey(
        Message, models.CASCADE, related_name="proposals", verbose_name=_("message"), db_index=False
    )
    tool_call_id = models.CharField(max_length=200)
    tool = models.CharField(_("tool"), max_length=60)
    object = models.ForeignKey(
        Object, models.DO_NOTHING, null=True, related_name="+", db_constraint=False, db_index=False
    )
    object_type = models.CharField(_("kind of object"), max_length=30)
    object_key = models.CharField(_("object"), max_length=MAX_KEY)
    arguments = models.JSONField(_("arguments"))
    decided_arguments = models.JSONField(_("arguments as edited"), null=True)
    reason = models.TextField(_("reason"), blank=True)
    operations = models.JSONField()
    targets = models.JSONField()
    diff = models.JSONField()
    digest = models.CharField(_("digest"), max_length=64)
    asked_by = models.JSONField(_("asked by"), default=list)
    status = models.CharField(
        _("status"), max_length=10, choices=ProposalStatus.choices, default=ProposalStatus.PENDING
    )
    feedback = models.TextField(_("feedback"), blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("decided by")
    )
    decided_at = models.DateTimeField(_("decided"), null=True)
    change_set = models.UUIDField(_("change set"), null=True)
    problem = models.TextField(_("problem"), blank=True)
    conflicts = models.JSONField(_("conflicts"), default=list)
    brief = models.JSONField(default=dict)
    asked_again = models.JSONField(null=True)
    created_at = models.DateTimeField(_("created"), db_default=Now())
    expires_at = models.DateTimeField(_("expires"))

    class Meta:
        verbose_name = _("proposal")
        verbose_name_plural = _("proposals")
        ordering = ("created_at", "id")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["message", "tool_call_id"], name="one_proposal_per_call")
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["workspace", "created_at", "id"],
                name="pending_proposals",
                condition=models.Q(status=ProposalStatus.PENDING),
            ),
            models.Index(fields=["session", "created_at"], name="proposals_of_session"),
            models.Index(fields=["workspace", "created_at", "id"], name="proposals_by_age"),
        ]

    def __str__(self) -> str:
        return self.reason[:80] or self.tool

    @property
    def generated(self) -> bool:
        """Whether it came of a structured generation and no conversation; `session_type` is what lists have read."""
        return (getattr(self, "session_type", None) or self.session.type) == SessionType.GENERATION

    @property
    def ref(self) -> Ref:
        return Ref(self.object_type, self.object_key)

    @property
    def about(self) -> Object:
        """The object it is about, by its name only: it may have been deleted since."""
        return Object(pk=self.object_id, workspace_id=self.workspace_id, type=self.object_type, key=self.object_key)

    @property
    def overdue(self) -> bool:
        """Whether nobody decided in time; it counts as expired from then on, noticed or not."""
        return self.status == ProposalStatus.PENDING and self.expires_at <= timezone.now()


class ValidationRule(models.Model):
    """One level of the policy that says "ask before every change": of the site, a workspace, or one tool there."""

    workspace = models.ForeignKey(
        Workspace, models.CASCADE, null=True, blank=True, related_name="+", verbose_name=_("workspace"),
        help_text=_("Empty: in all workspaces."),
    )  # fmt: skip
    tool = models.CharField(_("tool"), max_length=60, blank=True, help_text=_("Empty: for all tools."))

    class Meta:
        verbose_name = _("validation rule")
        verbose_name_plural = _("validation rules")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["workspace", "tool"], name="one_rule_per_level", nulls_distinct=False)
        ]

    def __str__(self) -> str:
        return f"{self.workspace or _('all workspaces')}: {self.tool or _('all tools')}"


class Allowance(models.Model):
    """Lets a change through at once where no level asks: of this tool, kind and field, and of one item if named."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+", verbose_name=_("workspace"))
    tool = models.CharField(_("tool"), max_length=60)
    kind = models.CharField(_("kind"), max_length=30)
    field = models.CharField(
        _("field"), max_length=100, blank=True, help_text=_("Empty: every field, and coming and going.")
    )
    object_key = models.CharField(_("object"), max_length=MAX_KEY, blank=True, help_text=_("Empty: every object."))
    item_key = models.CharField(_("item"), max_length=250, blank=True, help_text=_("Empty: every item."))
    given_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("given by")
    )
    created_at = models.DateTimeField(_("since"), db_default=Now())

    class Meta:
        verbose_name = _("allowance")
        verbose_name_plural = _("allowances")
        ordering = ("workspace", "tool", "kind", "field")

    def __str__(self) -> str:
        return " · ".join(part for part in (self.tool, self.kind, self.field, self.object_key, self.item_key) if part)
