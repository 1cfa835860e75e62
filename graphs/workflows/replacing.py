"""A graph gets what a file holds instead of what it has: one change set with the differences, which can be undone.

What has the same key is the same item and keeps its history.
"""

import uuid
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from django.contrib.auth.models import User

from graphs.history import changes, live_edits, recording
from graphs.history.recording import Because
from graphs.models import Graph, Object, Origin
from graphs.models.visible_text import is_blank
from graphs.objects.kinds import Kind
from graphs.objects.operations import Operation, Record, difference
from graphs.objects.preconditions import Stored
from graphs.objects.refs import Ref
from graphs.workflows import rows, trust
from graphs.workflows.imported_types import create_node_types
from graphs.workflows.interchange.parsed_graph import ParsedGraph
from graphs.workflows.interchange.refusals import FileWarning
from graphs.workflows.kinds import EDGE, NODE, OWN_FIELDS, SHEET


def replace_graph(
    graph: Graph, marked: Collection[Object], parsed: ParsedGraph, actor: User | None, mark: trust.Mark
) -> tuple[uuid.UUID | None, Sequence[FileWarning]]:
    """The change set, None where all is like this already, and what is to be said of the file's node types.

    The caller holds the graph and all that is `marked` with it, which gets the mark. Live edits stand in the history
    before.
    """
    live_edits.save_edits(graph.pk)
    because = Because(actor, Origin.IMPORT)
    types, warnings = create_node_types(graph.workspace, parsed.node_types, mark)
    if types:
        recording.begin(types, because)
    operations = tuple(_differences(graph, parsed))
    done = changes.apply(graph, operations, because).change_set_id if operations else None
    if operations or types:
        Object.objects.filter(pk__in=[each.pk for each in marked]).update(**mark)
    return done, warnings


def _differences(graph: Graph, parsed: ParsedGraph) -> Iterator[Operation]:
    sheets = {each.key: {"name": each.name, "position": number} for number, each in enumerate(parsed.sheets)}
    yield from _of_kind(SHEET, rows.sheets(graph), sheets)
    yield from _of_kind(NODE, rows.nodes(graph), dict(_records(NODE, parsed.nodes)))
    yield from _of_kind(EDGE, rows.all_edges(graph), dict(_records(EDGE, parsed.edges)))
    (own,) = rows.own(graph)
    wanted = {field.name: getattr(parsed, field.column) for field in OWN_FIELDS}
    if is_blank(parsed.name):
        del wanted["name"]
    if (change := difference(own.item, own.record, wanted)) is not None:
        yield change


def _records(kind: Kind, items: Iterable[Any]) -> Iterator[tuple[str, Record]]:
    """The parts of a file by key, as records."""
    columns = [(field.name, field.column) for field in kind.fields]
    for item in items:
        yield item.key, {name: getattr(item, column) for name, column in columns}


def _of_kind(kind: Kind, there: dict[str, Stored], wanted: dict[str, Record]) -> Iterator[Operation]:
    for key in {**there, **wanted}:
        old = there[key].record if key in there else None
        if (change := difference(Ref(kind.name, key), old, wanted.get(key))) is not None:
            yield change
