"""Writes a parsed file to the database. Called by the command, the API and the pages."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from django.utils.translation import gettext as _

from graphs.history import recording
from graphs.history.recording import Because
from graphs.models import BUILT_IN_TYPES, Graph, Node, NodeType, Origin, Sheet, Workspace
from graphs.models.objects import MAX_KEY
from graphs.objects.holding import hold_workspace
from graphs.objects.kinds import Field, Kind
from graphs.site.copying import copy_rows
from graphs.site.counted_keys import new_ids
from graphs.site.json_values import shown
from graphs.workflows import trust
from graphs.workflows.interchange.connections import unusual
from graphs.workflows.interchange.keys import UniqueTexts, slug
from graphs.workflows.interchange.parsed_graph import OnProgress, ParsedGraph, ParsedNodeType, no_progress
from graphs.workflows.interchange.refusals import FileWarning
from graphs.workflows.kinds import EDGE, NODE, NODE_TYPE, OWN_FIELDS
from graphs.workflows.rows import References

#: Sheets and types of one INSERT, and nodes and edges between two that `on_progress` hears.
BATCH = 1_000
#: The least number of new nodes, and the least part of all, for which PostgreSQL looks at the tables at once.
MANY = 1_000
GROWN = 0.1
#: Attempts to find a free key while others import under the same name.
ATTEMPTS = 10

Item = TypeVar("Item")

_GOOD_KEY = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{MAX_KEY - 1}}}")


class KeyTaken(Exception):
    """The workspace has a graph with this key already; nothing was imported."""

    def __init__(self, key: str) -> None:
        super().__init__(_('There is a graph with the key "{key}" already. Choose another key.').format(key=key))


class KeyInvalid(ValueError):
    """The key cannot stand in an address; nothing was imported."""

    def __init__(self, key: str) -> None:
        message = _(
            '"{key}" is no key: letters, digits, ".", "-" and "_", at most {most}, beginning with one of the first.'
        )
        super().__init__(message.format(key=shown(key), most=MAX_KEY))


@dataclass(frozen=True, slots=True)
class ImportedGraph:
    graph: Graph
    nodes: int
    edges: int
    warnings: tuple[FileWarning, ...]


def import_graph(
    workspace: Workspace,
    parsed: ParsedGraph,
    key: str | None = None,
    actor: User | None = None,
    on_progress: OnProgress = no_progress,
    *,
    trusted: bool = False,
) -> ImportedGraph:
    """Stores a graph under `key`, or under a free key made of the file's own or of its name. All or nothing.

    Graph and new node types are marked as untrusted, unless the file is the product's own.

    The histories of the graph and of new node types begin with it. `on_progress` gets how many of its nodes and edges
    are written. Raises `KeyTaken` or `KeyInvalid` for a given key.
    """
    if key is not None and not _GOOD_KEY.fullmatch(key):
        raise KeyInvalid(key)
    mark = {} if trusted else trust.mark(actor)
    with transaction.atomic():
        graph = _create_graph(workspace, parsed, key, mark)
        types, warnings = _create_node_types(workspace, parsed.node_types, mark)
        new_sheets = [
            Sheet(graph=graph, key=sheet.key, name=sheet.name, position=position)
            for position, sheet in enumerate(parsed.sheets)
        ]
        sheets = {sheet.key: sheet.pk for sheet in Sheet.objects.bulk_create(new_sheets, batch_size=BATCH)}
        rows = len(parsed.nodes) + len(parsed.edges)
        keys = [node.key for node in parsed.nodes]
        on = References(sheets, dict(zip(keys, new_ids(Node, len(keys)), strict=True)))
        _copy_parts(NODE, graph, _counted(parsed.nodes, 0, rows, on_progress), on, on.nodes.values())
        _copy_parts(EDGE, graph, _counted(parsed.edges, len(keys), rows, on_progress), on)
        recording.begin([graph, *types], Because(actor, Origin.IMPORT))
        transaction.on_commit(lambda: _analyse(len(parsed.nodes)), robust=True)
    on_progress(rows, rows)
    return ImportedGraph(graph, len(parsed.nodes), len(parsed.edges), (*parsed.warnings, *unusual(parsed), *warnings))


def _analyse(nodes: int) -> None:
    """Has PostgreSQL look at the tables where that is a large part of them.

    It would do so by itself within a minute, in which a question about 10,000 new nodes takes eighteen times as long.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE oid = 'graphs_node'::regclass")
        if nodes >= max(MANY, cursor.fetchone()[0] * GROWN):
            cursor.execute("ANALYZE graphs_node, graphs_edge")


def _counted(items: Iterable[Item], before: int, total: int, on_progress: OnProgress) -> Iterator[Item]:
    """The items; tells of rows while they are written, of which there were some `before`."""
    for written, item in enumerate(items, start=before + 1):
        yield item
        if written % BATCH == 0:
            on_progress(written, total)


def _create_graph(workspace: Workspace, parsed: ParsedGraph, key: str | None, mark: trust.Mark) -> Graph:
    for _attempt in range(ATTEMPTS):
        candidate = key or _free_key(workspace, parsed)
        try:
            with transaction.atomic():
                return Graph.objects.create(workspace=workspace, key=candidate, **_fields(parsed, OWN_FIELDS), **mark)
        except IntegrityError:
            if key is not None:
                raise KeyTaken(key) from None
    raise KeyTaken(candidate)


def _free_key(workspace: Workspace, parsed: ParsedGraph) -> str:
    wanted = parsed.key if _GOOD_KEY.fullmatch(parsed.key) else slug(parsed.name, fallback="graph")
    begins_so = Graph.objects.filter(workspace=workspace, key__startswith=wanted[: MAX_KEY - 10])
    return UniqueTexts(begins_so.values_list("key", flat=True)).take(wanted)


def _create_node_types(
    workspace: Workspace, parsed: tuple[ParsedNodeType, ...], mark: trust.Mark
) -> tuple[list[NodeType], list[FileWarning]]:
    """Creates the types that the workspace lacks. Those it has stay as they are; a warning where the file's differs."""
    if parsed:
        hold_workspace(workspace.pk)
    own = NodeType.objects.filter(workspace=workspace, key__in=[item.key for item in parsed])
    present = {row.key: row for row in own}
    new = {item.key: item for item in parsed if item.key not in present and item.key not in BUILT_IN_TYPES}
    created = [
        NodeType.objects.create(workspace=workspace, key=key, **_fields(item, NODE_TYPE.fields), **mark)
        for key, item in new.items()
    ]
    message = _('The workspace has a node type "{key}" of its own, which stays as it is.')
    warnings = [
        FileWarning(f"nodeTypes[{index}]", message.format(key=item.key), "type_differs")
        for index, item in enumerate(parsed)
        if item.key not in new
        and (item.key not in present or _fields(present[item.key], NODE_TYPE.fields) != _fields(item, NODE_TYPE.fields))
    ]
    return created, warnings


def _fields(of: ParsedGraph | ParsedNodeType | NodeType, fields: Iterable[Field]) -> dict[str, Any]:
    """The values of fields by their columns."""
    return {field.column: getattr(of, field.column) for field in fields}


def _copy_parts(
    kind: Kind, graph: Graph, items: Iterable[Any], on: References, ids: Collection[int] | None = None
) -> None:
    """Stores parts of a kind, with the ids of these where others name them."""
    columns: tuple[str, ...] = (kind.owner, "version", "key", *(field.attribute for field in kind.fields))
    values = _reader(kind, on)
    rows: Iterable[Sequence[Any]] = ((graph.pk, 1, *values(item)) for item in items)
    if ids is not None:
        columns, rows = ("id", *columns), ((id_, *row) for id_, row in zip(ids, rows, strict=True))
    copy_rows(kind.model, columns, rows)


def _reader(kind: Kind, on: References) -> Callable[[Any], list[Any]]:
    """What gives key and fields of a parsed part, as COPY takes them."""
    read = attrgetter("key", *(field.column for field in kind.fields))
    converters = [
        (place, _json if field.form == "json" else partial(on.value, field))
        for place, field in enumerate(kind.fields, start=1)
        if field.form in ("json", "key")
    ]

    def values(item: Any) -> list[Any]:
        found = list(read(item))
        for place, convert in converters:
            found[place] = convert(found[place])
        return found

    return values


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value) if value else "{}"
