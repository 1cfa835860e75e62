"""With whom a conversation is shared: members of its workspace, and whoever has a link to it."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from chat.models.conversation import Session


class Share(models.Model):
    """A member who may read a conversation of somebody else, or write along. Taking it back deletes the row."""

    class Access(models.TextChoices):
        READ = "read", _("read")
        WRITE = "write", _("read and write along")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    session = models.ForeignKey(
        Session, models.CASCADE, related_name="shares", verbose_name=_("session"), db_index=False
    )
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", verbose_name=_("person"))
    access = models.CharField(_("may"), max_length=10, choices=Access.choices, default=Access.READ)
    created_at = models.DateTimeField(_("since"), db_default=Now())

    class Meta:
        verbose_name = _("share")
        verbose_name_plural = _("shares")
        ordering = ("created_at", "id")
        constraints: ClassVar = [models.UniqueConstraint(fields=["session", "user"], name="one_share_per_person")]

    def __str__(self) -> str:
        return f"{self.user}: {self.get_access_display()}"


class SharedLink(models.Model):
    """An address at which anybody reads a conversation until `expires_at`. Taking it back deletes the row.

    Only the digest of its token is stored. What the model thought, and what its tools gave, is shown where the owner
    said so.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    session = models.ForeignKey(Session, models.CASCADE, related_name="links", verbose_name=_("session"))
    digest = models.CharField(max_length=64, editable=False)
    reasoning = models.BooleanField(_("with reasoning"), default=False)
    tool_results = models.BooleanField(_("with what its tools gave"), default=False)
    expires_at = models.DateTimeField(_("until"))
    created_at = models.DateTimeField(_("since"), db_default=Now())

    class Meta:
        verbose_name = _("link to a conversation")
        verbose_name_plural = _("links to conversations")
        ordering = ("created_at", "id")
        constraints: ClassVar = [models.UniqueConstraint(fields=["digest"], name="one_link_per_digest")]

    def __str__(self) -> str:
        return str(self.id)
