"""Writes a parsed file to the database. Called by the command, the API and the pages."""

import json
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any, Literal, TypeVar

from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from django.utils.translation import gettext as _

from graphs.history import recording
from graphs.history.recording import Because
from graphs.models import Graph, Node, Object, Origin, Sheet, Workspace
from graphs.objects.holding import hold_workspace
from graphs.objects.kinds import Kind
from graphs.site.copying import copy_rows
from graphs.site.counted_keys import new_ids
from graphs.workflows import trust
from graphs.workflows.imported_types import columns_of, create_node_types
from graphs.workflows.interchange.connections import unusual
from graphs.workflows.interchange.parsed_graph import OnProgress, ParsedGraph, no_progress
from graphs.workflows.interchange.refusals import FileWarning
from graphs.workflows.keys import KeyTaken, check_key, free_key, wanted_key
from graphs.workflows.kinds import EDGE, NODE, OWN_FIELDS
from graphs.workflows.replacing import replace_graph
from graphs.workflows.rows import References

#: Sheets and types of one INSERT, and nodes and edges between two that `on_progress` hears.
BATCH = 1_000
#: The least number of new nodes, and the least part of all, for which PostgreSQL looks at the tables at once.
MANY = 1_000
GROWN = 0.1
ANALYSED = ("graphs_node", "graphs_edge")
#: Attempts to find a free key while others import under the same name.
ATTEMPTS = 10

#: What happens where the key is taken: the new graph gets a number, the present one is replaced, or neither.
IfExists = Literal["copy", "replace", "refuse"]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class ImportedGraph:
    """`replaced` is whether it was there before; `change_set` is what that changed, None if nothing had to.

    `unsaid` warnings are more than those that are told.
    """

    graph: Graph
    nodes: int
    edges: int
    warnings: tuple[FileWarning, ...]
    replaced: bool = False
    change_set: uuid.UUID | None = None
    unsaid: int = 0

    @property
    def warning_count(self) -> int:
        return len(self.warnings) + self.unsaid

    @property
    def taken_key(self) -> bool:
        """Whether it got another key than it would have had, because there is a graph with that one."""
        return any(warning.code == "key_taken" for warning in self.warnings)


def import_graph(
    workspace: Workspace,
    parsed: ParsedGraph,
    key: str | None = None,
    actor: User | None = None,
    on_progress: OnProgress = no_progress,
    if_exists: IfExists | None = None,
    *,
    trusted: bool = False,
) -> ImportedGraph:
    """Stores a graph under `key`, or under a free key made of the file's own or of its name. All or nothing.

    Graph and new node types are marked as untrusted, unless the file is the product's own.

    The histories of the graph and of new node types begin with it. `on_progress` gets how many of its nodes and edges
    are written. Where its key is taken, `if_exists` decides; without it a given key is refused, and another one is told
    with a warning. Raises `KeyTaken`, or `KeyInvalid` for a given key.
    """
    if key is not None:
        check_key(key)
    wanted = key or wanted_key(parsed.key, parsed.name)
    mark = trust.Mark() if trusted else trust.mark(actor)
    rows = len(parsed.nodes) + len(parsed.edges)
    with transaction.atomic():
        if if_exists in ("replace", "refuse"):
            # Headers alone: who changes the graph holds its header first, and its row after it.
            named = Object.objects.filter(workspace=workspace, type=Graph.TYPE, key=wanted)
            marked = list(trust.with_its_types(named, workspace))
            present = next((each for each in marked if each.type == Graph.TYPE), None)
            if present is not None and if_exists == "refuse":
                raise KeyTaken(wanted)
            if present is not None:
                return _replaced(present, marked, parsed, actor, mark, on_progress)
            key = wanted
        elif if_exists == "copy":
            key = None
        if parsed.node_types:
            hold_workspace(workspace.pk)  # Before the key is taken: who makes a graph by hand does it so, too.
        graph = _create_graph(workspace, parsed, key, wanted, mark)
        types, warnings = create_node_types(workspace, parsed.node_types, mark)
        if graph.key != wanted:
            warnings.append(_named_otherwise(wanted, graph.key))
        _write_parts(graph, parsed, on_progress)
        on_progress(max(0, rows - 1), rows)  # What is left takes long, too, and all of it can still be taken back.
        recording.begin([graph, *types], Because(actor, Origin.IMPORT))
        transaction.on_commit(lambda: _analyse(len(parsed.nodes)), robust=True)
    on_progress(rows, rows)
    told = (*parsed.warnings, *unusual(parsed), *warnings)
    return ImportedGraph(graph, len(parsed.nodes), len(parsed.edges), told, unsaid=_unsaid(parsed))


def _unsaid(parsed: ParsedGraph) -> int:
    return max(0, parsed.warning_count - len(parsed.warnings))


def _analyse(nodes: int) -> None:
    """Has PostgreSQL look at the tables where that is a large part of them.

    It would do so by itself within a minute, in which a question about 10,000 new nodes takes eighteen times as long.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE oid = 'graphs_node'::regclass")
        if nodes >= max(MANY, cursor.fetchone()[0] * GROWN):
            cursor.execute(f"ANALYZE {', '.join(ANALYSED)}")


def _counted(items: Iterable[Item], before: int, total: int, on_progress: OnProgress) -> Iterator[Item]:
    """The items; tells of rows while they are written, of which there were some `before`."""
    for written, item in enumerate(items, start=before + 1):
        yield item
        if written % BATCH == 0:
            on_progress(written, total)


def _replaced(
    present: Object,
    marked: Sequence[Object],
    parsed: ParsedGraph,
    actor: User | None,
    mark: trust.Mark,
    on_progress: OnProgress,
) -> ImportedGraph:
    """The graph with what is in the file instead of what was in it. The caller holds all that is `marked` with it."""
    rows = len(parsed.nodes) + len(parsed.edges)
    on_progress(0, rows)
    done, warnings = replace_graph(Graph.objects.get(pk=present.pk), marked, parsed, actor, mark)
    transaction.on_commit(lambda: _analyse(len(parsed.nodes)), robust=True)
    on_progress(max(0, rows - 1), rows)
    graph = Graph.objects.get(pk=present.pk)
    warnings = (*parsed.warnings, *unusual(parsed), *warnings)
    counts = len(parsed.nodes), len(parsed.edges)
    return ImportedGraph(graph, *counts, warnings, replaced=True, change_set=done, unsaid=_unsaid(parsed))


def _named_otherwise(wanted: str, key: str) -> FileWarning:
    message = _('There is a graph with the key "{wanted}" already. This one has the key "{key}".')
    return FileWarning("key", message.format(wanted=wanted, key=key), "key_taken")


def _create_graph(workspace: Workspace, parsed: ParsedGraph, key: str | None, wanted: str, mark: trust.Mark) -> Graph:
    columns = {**columns_of(parsed, OWN_FIELDS), **mark}
    for _attempt in range(ATTEMPTS):
        candidate = key or free_key(workspace.pk, wanted)
        try:
            with transaction.atomic():
                return Graph.objects.create(workspace=workspace, key=candidate, **columns)
        except IntegrityError:
            if key is not None:
                raise KeyTaken(key) from None
    raise KeyTaken(candidate)


def _write_parts(graph: Graph, parsed: ParsedGraph, on_progress: OnProgress) -> None:
    """Stores the sheets, nodes and edges of a new graph."""
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
