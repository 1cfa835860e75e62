"""The kinds of records, registered as an application registers its models: paths of fields, labels, limits."""

from dataclasses import replace

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from graphs import objects
from graphs.models import Company, Folder, UseCase
from graphs.models.records import Status, shapes
from graphs.objects import Field
from graphs.objects.kinds import EntryTitles, Form
from graphs.records import limits
from graphs.records.matrix import titles_of_axes
from graphs.records.shapes import problems_of


def _within(column: str, key: str, label: str | Promise, form: Form = "json", limit: int | None = None) -> Field:
    """The field of a value within a JSON column."""
    return Field(f"{column}.{key}", column, label, form, inside=(key,), limit=limit)


def _scores(side: str, label: str | Promise) -> Field:
    """Ratings of the axes that the folder has on a side."""
    keys = (("rating", _("rating")), ("description", _("description")))
    titles = EntryTitles("matrix_config", lambda config: titles_of_axes(config, f"{side}Axes"))
    return replace(_within("data", f"{side}Scores", label), keys=keys, entries=titles)


def _axes(side: str, label: str | Promise) -> Field:
    names = (("name", _("name")), ("weight", _("weight")), ("levels", _("levels")))
    of_levels = (("rating", _("rating")), ("label", _("label")), ("points", _("points")))
    return replace(_within("matrix_config", f"{side}Axes", label), keys=(*names, *of_levels))


def _line(name: str, label: str | Promise, ordering: str = "") -> Field:
    """A text of one line, in a column or within one."""
    column, *inside = name.split(".")
    return Field(name, column, label, inside=tuple(inside), limit=limits.NAME_CHARS, ordering=ordering, line=True)


def _text(key: str, label: str | Promise) -> Field:
    return _within("data", key, label, "text", limits.TEXT_CHARS)


def _texts(key: str, label: str | Promise) -> Field:
    return Field(f"data.{key}", "data", label, "json", inside=(key,), texts=True)


def _section(key: str, label: str | Promise) -> Field:
    return _within("executive_summary", key, label, "text", limits.SECTION_CHARS)


shapes.problems = problems_of
#: That it is being generated is shown, of what runs, and not stored.
_STATUS = Field("status", "status", _("status"), limit=20, reserved=(Status.GENERATING.value,))

COMPANY = objects.register(
    Company,
    name="company",
    title="name",
    fields=(
        *(_line("name", _("name")), _STATUS, _line("industry", _("industry")), _line("size", _("size"))),
        *("products", "processes", "challenges", "objectives", "technologies"),
    ),
    workspace="workspace",
    url="company",
    cascade=True,
)
FOLDER = objects.register(
    Folder,
    name="folder",
    title="name",
    fields=(
        *(_line("name", _("name")), _STATUS, "description"),
        _axes("value", _("value axes")),
        _axes("complexity", _("complexity axes")),
        replace(
            _within("matrix_config", "thresholds", _("thresholds")),
            keys=(("value", _("value")), ("complexity", _("complexity"))),
        ),
        _section("introduction", _("introduction")),
        _section("analysis", _("analysis")),
        _section("recommendation", _("recommendation")),
        _section("references", _("references")),
    ),
    workspace="workspace",
    parent="company",
    url="folder",
    cascade=True,
)
EXECUTIVE_SUMMARY = objects.register_view(
    FOLDER,
    name="executive_summary",
    label=_("executive summary"),
    plural=_("executive summaries"),
    fields=[field.name for field in FOLDER.fields if field.column == "executive_summary"],
    url="folder",
)
USE_CASE = objects.register(
    UseCase,
    name="usecase",
    title="data.name",
    fields=(
        _line("data.name", _("name"), ordering="name"),
        _STATUS,
        _text("description", _("description")),
        _text("problem", _("problem")),
        _text("solution", _("solution")),
        _texts("benefits", _("benefits")),
        _texts("metrics", _("metrics")),
        _texts("risks", _("risks")),
        _texts("constraints", _("constraints")),
        _texts("nextSteps", _("next steps")),
        _texts("dataSources", _("data sources")),
        _texts("dataObjects", _("data objects")),
        _line("data.domain", _("domain")),
        _texts("technologies", _("technologies")),
        _line("data.contact", _("contact")),
        _line("data.deadline", _("deadline")),
        _texts("references", _("references")),
        _scores("value", _("value scores")),
        _scores("complexity", _("complexity scores")),
        Field("data.*", "data", _("other data"), "json", inside=("*",), minor=True),
        Field("model", "model", _("model"), limit=100, minor=True, fixed=True, writer=True),
    ),
    workspace="workspace",
    parent="folder",
    url="use-case",
    cascade=True,
)
