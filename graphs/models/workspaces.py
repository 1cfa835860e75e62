"""Tenants and who belongs to them."""

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _


class Workspace(models.Model):
    """A tenant. Nothing of one workspace is ever visible in another."""

    slug = models.SlugField(_("slug"), max_length=50, unique=True)
    name = models.CharField(_("name"), max_length=200)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    #: Entries "role model": the least role that may ask each. Nothing: everybody may ask all that are configured.
    offered_models = ArrayField(
        models.CharField(max_length=300), verbose_name=_("offered models"), null=True, blank=True
    )

    class Meta:
        verbose_name = _("workspace")
        verbose_name_plural = _("workspaces")
        ordering = ("slug",)

    def __str__(self) -> str:
        return self.name


class Role(models.TextChoices):
    #: Reads and asks.
    VIEWER = "viewer", _("viewer")
    #: Also imports, changes and decides on proposals.
    EDITOR = "editor", _("editor")
    #: Also sees the audit and manages members.
    ADMIN = "admin", _("admin")

    @property
    def may_edit(self) -> bool:
        return self in {Role.EDITOR, Role.ADMIN}


class Membership(models.Model):
    """A person's role in a workspace. The oldest membership is the person's default workspace."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships", verbose_name=_("person")
    )
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="memberships", verbose_name=_("workspace"))
    role = models.CharField(_("role"), max_length=10, choices=Role.choices, default=Role.VIEWER)
    created_at = models.DateTimeField(_("since"), auto_now_add=True)

    class Meta:
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        ordering = ("created_at", "id")
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "workspace"], name="one_role_per_workspace")]

    def __str__(self) -> str:
        return f"{self.user} · {self.workspace} · {self.get_role_display()}"
