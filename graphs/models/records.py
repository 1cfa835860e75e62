"""Business records: companies hold folders, folders hold use cases. Their versions are in their header rows."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce, Left
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from graphs.models.workspaces import Workspace

#: Characters of names, and of texts of several lines.
MAX_RECORD_NAME = 200
MAX_RECORD_TEXT = 10_000


class Status(models.TextChoices):
    """How far a record is. `GENERATING` is shown beside it while a model writes it, and is not stored."""

    DRAFT = "draft", _("draft")
    GENERATING = "generating", _("generating")
    READY = "ready", _("ready")
    ARCHIVED = "archived", _("archived")


@dataclass(slots=True)
class Shapes:
    """`problems` gives what is wrong with the values of a record, in sentences that begin with their path."""

    problems: "Callable[[Record], Sequence[str]]"


#: Set when the program starts by the room of records, which is above the tables.
shapes = Shapes(lambda _record: ())


class Record(models.Model):
    """What all records have. A deleted one comes back with its time of creation."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(
        Workspace, models.CASCADE, related_name="+", verbose_name=_("workspace"), db_index=False
    )
    status = models.CharField(_("status"), max_length=20, choices=Status.choices, default=Status.DRAFT)
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)
    updated_at = models.DateTimeField(_("changed"), auto_now=True)

    class Meta:
        abstract = True

    def clean(self) -> None:
        """Raises `ValidationError` for values that have not the shape of their paths, and for a foreign holder."""
        super().clean()
        problems = [*shapes.problems(self)]
        holder = self.holder
        if holder is not None and holder.workspace_id != self.workspace_id:
            problems.append(gettext("It would be held by something of another workspace."))
        if problems:
            raise ValidationError(problems)

    @property
    def holder(self) -> "Record | None":
        """What holds the record."""
        return None


def _in_workspace(table: str) -> list[models.Index]:
    """Lists of a workspace are by name."""
    return [models.Index(fields=["workspace", "name", "id"], name=f"{table}_by_name")]


class Company(Record):
    name = models.CharField(_("name"), max_length=MAX_RECORD_NAME)
    industry = models.CharField(_("industry"), max_length=MAX_RECORD_NAME, blank=True)
    size = models.CharField(_("size"), max_length=MAX_RECORD_NAME, blank=True)
    products = models.TextField(_("products"), max_length=MAX_RECORD_TEXT, blank=True)
    processes = models.TextField(_("processes"), max_length=MAX_RECORD_TEXT, blank=True)
    challenges = models.TextField(_("challenges"), max_length=MAX_RECORD_TEXT, blank=True)
    objectives = models.TextField(_("objectives"), max_length=MAX_RECORD_TEXT, blank=True)
    technologies = models.TextField(_("technologies"), max_length=MAX_RECORD_TEXT, blank=True)

    class Meta:
        verbose_name = _("company")
        verbose_name_plural = _("companies")
        ordering = ("name", "id")
        indexes: ClassVar = _in_workspace("company")

    def __str__(self) -> str:
        return self.name


class Folder(Record):
    """`matrix_config` says by which axes its use cases are weighed, `executive_summary` what they amount to."""

    company = models.ForeignKey(
        Company, models.CASCADE, related_name="folders", verbose_name=_("company"), null=True, blank=True
    )
    name = models.CharField(_("name"), max_length=MAX_RECORD_NAME)
    description = models.TextField(_("description"), max_length=MAX_RECORD_TEXT, blank=True)
    matrix_config = models.JSONField(_("matrix"), default=dict, blank=True)
    executive_summary = models.JSONField(_("executive summary"), default=dict, blank=True)

    class Meta:
        verbose_name = _("folder")
        verbose_name_plural = _("folders")
        ordering = ("name", "id")
        indexes: ClassVar = _in_workspace("folder")

    def __str__(self) -> str:
        return self.name

    @property
    def holder(self) -> Company | None:
        return self.company


class UseCase(Record):
    """`model` is the one that wrote it. The database keeps `name`, that in `data`, true, for lists."""

    folder = models.ForeignKey(
        Folder, models.CASCADE, related_name="use_cases", verbose_name=_("folder"), null=True, blank=True
    )
    model = models.CharField(_("model"), max_length=100, blank=True, editable=False)
    data = models.JSONField(_("data"), default=dict)
    name = models.GeneratedField(
        expression=Left(Coalesce(KT("data__name"), models.Value("")), MAX_RECORD_NAME),
        output_field=models.CharField(_("name"), max_length=MAX_RECORD_NAME),
        db_persist=True,
    )

    class Meta:
        verbose_name = _("use case")
        verbose_name_plural = _("use cases")
        ordering = ("name", "id")
        indexes: ClassVar = _in_workspace("usecase")

    def __str__(self) -> str:
        return str(self.data.get("name", "")) if isinstance(self.data, dict) else ""

    @property
    def holder(self) -> Folder | None:
        return self.folder

    @property
    def company(self) -> Company | None:
        """That of its folder, always."""
        return self.folder.company if self.folder else None
