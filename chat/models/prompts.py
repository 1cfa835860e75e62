"""Prompts that people manage: what each asks a model for, its versions, and which one counted from when on."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from graphs.models import Workspace

MAX_KEY = 28
MAX_NAME = 120
MAX_DESCRIPTION = 1_000
MAX_REASON = 500


class PromptType(models.TextChoices):
    """What a model is asked for."""

    COMPANY_INFO = "company_info", _("Facts about a company")
    FOLDER_NAME = "folder_name", _("Name and description of a folder")
    USE_CASE_LIST = "use_case_list", _("List of use cases")
    USE_CASE_DETAIL = "use_case_detail", _("Details of a use case")
    EXECUTIVE_SUMMARY = "executive_summary", _("Executive summary of a folder")


class VersionStatus(models.TextChoices):
    #: Written, and never in use.
    DRAFT = "draft", _("draft")
    #: What counts in its workspace, or in all that have none of their own.
    ACTIVE = "active", pgettext_lazy("of a version", "active")
    #: Counted once.
    RETIRED = "retired", _("retired")


class Prompt(models.Model):
    """A prompt of a workspace, or of the site: then `workspace` is empty, and name and description are translated.

    One that was put away (`archived_at`) is read, and not asked with.
    """

    workspace = models.ForeignKey(
        Workspace, models.CASCADE, null=True, blank=True, related_name="+", verbose_name=_("workspace"),
        help_text=_("Empty: in all workspaces."),
    )  # fmt: skip
    key = models.CharField(_("key"), max_length=MAX_KEY)
    name = models.CharField(_("name"), max_length=MAX_NAME)
    description = models.TextField(_("description"), max_length=MAX_DESCRIPTION, blank=True)
    type = models.CharField(_("type"), max_length=20, choices=PromptType.choices)
    archived_at = models.DateTimeField(_("archived"), null=True, blank=True, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("prompt")
        verbose_name_plural = _("prompts")
        ordering = ("key", "id")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["workspace", "key"], name="one_prompt_per_key", nulls_distinct=False)
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def archived(self) -> bool:
        return self.archived_at is not None

    @property
    def shown_name(self) -> str:
        return gettext(self.name) if self.workspace_id is None else self.name

    @property
    def shown_description(self) -> str:
        return gettext(self.description) if self.workspace_id is None and self.description else self.description


class PromptVersion(models.Model):
    """One wording of a prompt, of a workspace or of the site (`workspace` is empty); only its status ever changes.

    `texts` are by language. Numbers are given to site and workspaces from the same row, so that in a workspace
    `key@number` names one version.
    """

    prompt = models.ForeignKey(
        Prompt, models.CASCADE, related_name="versions", verbose_name=_("prompt"), db_index=False
    )
    workspace = models.ForeignKey(
        Workspace, models.CASCADE, null=True, blank=True, related_name="+", verbose_name=_("workspace")
    )
    number = models.PositiveIntegerField(_("number"))
    texts = models.JSONField(_("texts"))
    variables = models.JSONField(_("variables"), default=list)
    model = models.CharField(_("model"), max_length=100, blank=True)
    status = models.CharField(_("status"), max_length=8, choices=VersionStatus.choices, default=VersionStatus.DRAFT)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("author")
    )
    reason = models.CharField(_("reason"), max_length=MAX_REASON, blank=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("version of a prompt")
        verbose_name_plural = _("versions of prompts")
        ordering = ("-number", "-id")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["prompt", "number", "workspace"], name="one_version_per_number", nulls_distinct=False
            ),
            models.UniqueConstraint(
                fields=["prompt", "workspace"],
                name="one_active_version",
                condition=models.Q(status=VersionStatus.ACTIVE),
                nulls_distinct=False,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.prompt.key}@{self.number}"


class SitePromptVersion(PromptVersion):
    """A version of the site, as superusers write and activate it."""

    class Meta:
        proxy = True
        verbose_name = _("version of a prompt of the site")
        verbose_name_plural = _("versions of prompts of the site")


class PromptActivation(models.Model):
    """Who made a version count, in a workspace or (`workspace` is empty) on the site, when and why. Rows only come."""

    version = models.ForeignKey(PromptVersion, models.CASCADE, related_name="activations", verbose_name=_("version"))
    workspace = models.ForeignKey(Workspace, models.CASCADE, null=True, related_name="+", verbose_name=_("workspace"))
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("person")
    )
    reason = models.CharField(_("reason"), max_length=MAX_REASON, blank=True)
    created_at = models.DateTimeField(_("when"), auto_now_add=True)

    class Meta:
        verbose_name = _("activation of a prompt")
        verbose_name_plural = _("activations of prompts")
        ordering = ("-id",)

    def __str__(self) -> str:
        return str(self.version)
