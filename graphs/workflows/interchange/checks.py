"""Checks of values against pydantic types, and of how much a file holds, with sentences that name the place."""

from typing import Annotated, Any, TypeVar

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _
from pydantic import BaseModel, Field, ValidationError

from graphs.site.field_sentences import wrong_fields
from graphs.site.json_values import shown
from graphs.workflows.interchange.parsed_graph import MAX_COORDINATE, Limits
from graphs.workflows.interchange.refusals import Problems, path, refuse

Checked = TypeVar("Checked", bound=BaseModel)
Coordinate = Annotated[float, Field(ge=-MAX_COORDINATE, le=MAX_COORDINATE, allow_inf_nan=False)]
Size = Annotated[float, Field(ge=0, le=MAX_COORDINATE, allow_inf_nan=False)]

#: One value with more mistakes than this is described by one sentence.
MAX_ERRORS_OF_ONE_VALUE = 100


def document_as(model: type[Checked], document: Any) -> Checked:
    """The document as a model. Raises `ImportRefused` for what is wrong with it."""
    problems = Problems()
    found = _checked(model, document, (), problems)
    problems.refuse_if_any()
    assert found is not None
    return found


def all_checked(
    model: type[Checked], values: list[Any], steps: tuple[str | int, ...], problems: Problems
) -> list[Checked]:
    """The values as models, without those of which `problems` is told what is wrong."""
    found = (_checked(model, value, (*steps, index), problems) for index, value in enumerate(values))
    return [value for value in found if value is not None]


def _checked(model: type[Checked], value: Any, steps: tuple[str | int, ...], problems: Problems) -> Checked | None:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        name = _name(value) if steps else ""
        if error.error_count() > MAX_ERRORS_OF_ONE_VALUE:
            message = _("{count} mistakes; the first ones would not help.").format(count=intcomma(error.error_count()))
            problems.add(path(steps) + name, message)
            return None
        for to_field, sentence in wrong_fields(error):
            # pydantic adds marks for keys of dictionaries and members of unions.
            within = (step for step in to_field if not (isinstance(step, str) and step == "[key]"))
            problems.add(path((*steps, *within)) + name, sentence)
        return None


def _name(value: Any) -> str:
    """The name that a reader of the file would look for, in brackets."""
    name = (value.get("name") or value.get("key")) if isinstance(value, dict) else None
    return f' ("{shown(name)}")' if isinstance(name, str) and name else ""


def check_some_nodes(count: int, limits: Limits) -> None:
    """Refuses a file of another tool without nodes, which is of something else, or with too many."""
    if count == 0:
        raise refuse("nodes", _("The file holds no nodes."))
    check_nodes(count, limits)


def check_nodes(count: int, limits: Limits) -> None:
    """Refuses a file with too many nodes."""
    if limits.max_nodes is not None and count > limits.max_nodes:
        message = _("The file holds {count} nodes; at most {most} are read here. Larger files need the command.")
        raise refuse("nodes", message.format(count=intcomma(count), most=intcomma(limits.max_nodes)))


def check_list(field: str, count: int, limits: Limits) -> None:
    """Refuses a list of connections, sheets or the like with more entries than belong to so many nodes."""
    if limits.max_edges is not None and count > limits.max_edges:
        message = _("There are {count} of these; at most {most} are read here. Larger files need the command.")
        raise refuse(field, message.format(count=intcomma(count), most=intcomma(limits.max_edges)))
