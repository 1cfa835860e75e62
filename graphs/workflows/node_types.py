"""The node types every workspace has, described once. Custom types are rows of `NodeType`."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.db.models.functions import Left
from django.utils.translation import gettext_noop as _

from graphs.models import BUILT_IN_TYPES, NodeType

Handles = dict[str, list[dict[str, Any]]]

#: Types that a workspace defines at most.
MAX_OF_WORKSPACE = 2_000
#: Characters of a description where all types are listed.
BEGINNING_CHARS = 1_000


@dataclass(frozen=True, slots=True)
class TypeRecord:
    """What a node of this type does and which handles it has."""

    key: str
    display_name: str
    description: str
    category: str = ""
    icon: str = ""
    handles: Handles = field(default_factory=dict)
    process: str = ""
    built_in: bool = False
    untrusted: bool = False


def _in(accept: str = "any") -> dict[str, Any]:
    return {"id": "L-0", "type": "in", "accept": accept}


def _out() -> dict[str, Any]:
    return {"id": "R-0", "type": "out", "accept": "any"}


_BUILT_IN = (
    TypeRecord(
        "starter",
        _("Starter"),
        _("Where the workflow begins; an entry form may feed it."),
        handles={"L": [_in("entryType")], "R": [_out()]},
    ),
    TypeRecord("return", _("Return"), _("Ends the workflow and gives its result back."), handles={"L": [_in()]}),
    TypeRecord(
        "html", "HTML", _("Shows its incoming data to a person as a page."), handles={"L": [_in()], "R": [_out()]}
    ),
    TypeRecord(
        "entryType",
        _("Entry form"),
        _("The fields a person fills in before the workflow starts; data lists them."),
        handles={"R": [_out()]},
    ),
    TypeRecord("note", _("Note"), _("A remark on the drawing; it runs nothing and has no handles.")),
)
BUILT_IN: dict[str, TypeRecord] = {
    record.key: replace(record, category=_("built-in"), built_in=True) for record in _BUILT_IN
}
assert tuple(BUILT_IN) == BUILT_IN_TYPES


#: What a handle accepts that takes every edge.
ANYTHING = ("", "any")


def is_accepted(wanted: str, source_type: str, given: str, types: Collection[str]) -> bool:
    """Whether an in handle that accepts `wanted` takes an edge from an out handle that accepts `given`.

    Both may name a kind of values. `wanted` may be one of the `types` of nodes instead: only these lead there.
    """
    return wanted in (*ANYTHING, given, source_type) or (given in ANYTHING and wanted not in types)


def from_row(row: NodeType) -> TypeRecord:
    """A custom type as a record."""
    return TypeRecord(
        row.key,
        row.display_name,
        row.description,
        row.category,
        row.icon,
        row.handles,
        row.process,
        untrusted=row.untrusted_since is not None,
    )


def custom_types(workspace_id: int) -> "QuerySet[NodeType]":
    """The custom types of a workspace, without those that a built-in type hides."""
    return NodeType.objects.filter(workspace_id=workspace_id).exclude(key__in=BUILT_IN_TYPES)


def every_custom_type(workspace_id: int) -> list[TypeRecord]:
    """All of them as lists tell of them: without icon and code, with the beginning of the description.

    A conversation that begins asks, and to compose the query takes longer than to answer it.
    """
    with connection.cursor() as cursor:
        cursor.execute(every_statement(), every_values(workspace_id))
        return [*map(listed, cursor.fetchall())]


def listed(row: Sequence[Any]) -> TypeRecord:
    """The custom type of a row of `every_statement`."""
    key, name, description, category, handles, untrusted = row
    return TypeRecord(key, name, description, category, handles=json.loads(handles), untrusted=untrusted is not None)


def every_values(workspace_id: int) -> list[Any]:
    """The parameters of `every_statement`."""
    return [BEGINNING_CHARS, workspace_id, *BUILT_IN_TYPES]


@cache
def every_statement() -> str:
    """What asks for the custom types of a workspace as lists tell of them."""
    told = custom_types(0).values_list(
        "key", "display_name", Left("description", BEGINNING_CHARS), "category", "handles", "untrusted_since"
    )
    statement, values = told.query.sql_with_params()
    assert values == (BEGINNING_CHARS, 0, *BUILT_IN_TYPES)
    return str(statement)
