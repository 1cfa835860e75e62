"""Where a person has signed in: browsers, and programs that renew their tokens."""

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class SignIn(models.Model):
    """One that counts; what is ended is deleted.

    A browser has `session`, a digest of its session's key. A program has `token`, which names the refresh token that
    counts, and for a moment the one before it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="sign_ins", verbose_name=_("person")
    )
    session = models.CharField(max_length=64, blank=True)
    token = models.CharField(max_length=32, blank=True)
    previous_token = models.CharField(max_length=32, blank=True)
    device = models.CharField(_("device"), max_length=200, blank=True)
    created_at = models.DateTimeField(_("since"), default=timezone.now)
    renewed_at = models.DateTimeField(_("last used"), default=timezone.now)

    class Meta:
        verbose_name = _("sign-in")
        verbose_name_plural = _("sign-ins")
        ordering = ("-renewed_at", "id")

    def __str__(self) -> str:
        return self.device or str(self.id)
