"""How pages show a field, and let people edit it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.db import models

from graphs.objects.kinds import Field, Kind

#: One line, Markdown, one of some words, a list of texts, ratings of axes, axes, two limits, a number, yes or no, JSON.
LookName = Literal["line", "text", "choice", "texts", "scores", "axes", "thresholds", "number", "boolean", "json"]
#: Looks of what stands side by side.
SHORT = frozenset[LookName](("line", "choice", "number", "boolean"))
#: A text with a limit up to this is one of one line.
LINE_CHARS = 250


@dataclass(frozen=True, slots=True)
class Look:
    """`axes` gives those that a row is rated on, as `{id, name, levels}`, for "scores"."""

    name: LookName
    axes: Callable[[Any], Sequence[Mapping[str, Any]]] | None = None


_LOOKS: dict[tuple[str, str], Look] = {}


def register_look(kind: str, field: str, look: Look) -> None:
    """Says how a field of a kind is shown whose form does not tell. `AppConfig.ready` calls it."""
    _LOOKS[kind, field] = look


def look_of(kind: Kind, field: Field) -> Look:
    """The registered look of a field, else the one of its form."""
    return _LOOKS.get((kind.name, field.name)) or Look(_by_form(kind, field))


def choices_of(kind: Kind, field: Field) -> list[tuple[str, str]]:
    """Values of a field that has only some, with what they are called."""
    if field.inside:
        return []
    column: Any = kind.model._meta.get_field(field.column)
    return [(str(value), str(label)) for value, label in column.flatchoices or ()]


def _by_form(kind: Kind, field: Field) -> LookName:
    match field.form:
        case "number" | "boolean" | "json":
            return field.form
        case "text" if choices_of(kind, field):
            return "choice"
        case "text":
            column = kind.model._meta.get_field(field.column)
            is_short = field.limit is not None and field.limit <= LINE_CHARS
            return "line" if is_short or not isinstance(column, models.TextField | models.JSONField) else "text"
    return "line"
