"""A graph while a plan is made: what was loaded, with the changes so far, so that later actions see earlier ones."""

from collections.abc import Collection, Iterator

from django.utils.translation import gettext as _

from graphs.models.workflows import MAX_EDGE_KEY
from graphs.objects.actions import ChangeRefused, some
from graphs.objects.kinds import Kind
from graphs.objects.object_plan import ObjectPlan
from graphs.objects.operations import Create, Delete, Operation, Record, Target, Update
from graphs.objects.refs import Ref
from graphs.site.json_values import same, shown
from graphs.workflows.interchange.keys import UniqueTexts
from graphs.workflows.kinds import EDGE, NODE, NODE_TYPE, SHEET
from graphs.workflows.node_types import BUILT_IN, Handles
from graphs.workflows.planning.boxes import GAP_ACROSS, Box, box_of
from graphs.workflows.planning.drawn_sheet import DrawnSheet
from graphs.workflows.planning.state import PlanState

#: Sheets that are named where one does not exist.
NAMED_SHEETS = 20
#: Boxes and edges that one change looks at for places: a batch may ask for a thousand on a sheet of thousands.
MAX_LOOKED_AT = 600_000


class GraphPlan:
    """Starts as the state; every change becomes an operation. Raises `ChangeRefused` for what is not there."""

    def __init__(self, state: PlanState, objects: ObjectPlan) -> None:
        self.state = state
        self.objects = objects
        objects.read(NODE_TYPE, state.types)
        loaded = {**state.drawn, **state.nodes}
        kept = (*state.sheets.values(), *state.edges.values(), *loaded.values())
        self._stored = {stored.item: stored for stored in kept}
        self.sheets = {key: stored.record for key, stored in state.sheets.items()}
        self.nodes = {key: stored.record for key, stored in loaded.items()}
        self._edges = {key: stored.record for key, stored in state.edges.items()}
        self._edges_of: dict[str, dict[str, None]] = {}
        self._edges_by_ends: dict[tuple[str, ...], dict[str, None]] = {}
        for key, edge in self._edges.items():
            self._index(key, edge)
        #: What is on which sheet, by kind.
        self._on: dict[tuple[str, str], dict[str, None]] = {}
        for kind in (NODE, EDGE):
            for key, record in self._records(kind).items():
                self._on.setdefault((kind.name, record["sheet"]), {})[key] = None
        #: All sheets in their order once one was put to a place: they are numbered at the end.
        self._order: list[str] = []
        self._next_position = max((sheet["position"] for sheet in self.sheets.values()), default=-1) + 1
        #: Source and target of the edges between drawn nodes, and their keys by the source.
        self._links = dict(state.links)
        self._links_from: dict[str, dict[str, None]] = {}
        for key, (source, _target) in self._links.items():
            self._links_from.setdefault(source, {})[key] = None
        self._drawn: dict[str, DrawnSheet] = {}
        self._looked_at = 0
        for key in state.drawn:
            self._set_box(key)
        #: How many nodes were arranged so far, each as often as it was.
        self.arranged = 0
        #: They hand out keys that are free.
        self.free_nodes = UniqueTexts(state.taken)
        self.free_sheets = UniqueTexts(state.sheets)
        self.free_types = UniqueTexts(state.taken_types)
        self.free_edges = UniqueTexts(state.edges, MAX_EDGE_KEY)

    # What there is.

    def node(self, key: str) -> Record:
        if key in self.nodes:
            return self.nodes[key]
        names = {"key": shown(key), "graph": self.state.graph_key}
        if meant := self.state.meant.get(key):
            message = _('There is no node with the key "{key}" in the graph "{graph}". Perhaps you mean: {meant}.')
            raise ChangeRefused(message.format(**names, meant=", ".join(meant)))
        raise ChangeRefused(_('There is no node with the key "{key}" in the graph "{graph}".').format(**names))

    def edge(self, key: str) -> Record:
        record = self._edges.get(key)
        if record is None:
            raise ChangeRefused(_('There is no edge with the key "{key}".').format(key=shown(key)))
        return record

    def edges_of(self, node_key: str) -> dict[str, Record]:
        """The edges that begin or end at a node, by key."""
        return {key: self._edges[key] for key in self._edges_of.get(node_key, ())}

    def edge_with(self, ends: Record) -> str | None:
        """The key of an edge that leads from the same handle to the same one, or None."""
        return next(iter(self._edges_by_ends.get(_ends(ends), ())), None)

    def node_type(self, key: str) -> Record | None:
        """A type of the workspace, or None."""
        return self.objects.find(Ref(NODE_TYPE.name, key))

    def handles_of_type(self, key: str) -> Handles:
        """The handles that a new node of this type gets."""
        if key in BUILT_IN:
            return BUILT_IN[key].handles
        if record := self.node_type(key):
            self.objects.depend(Ref(NODE_TYPE.name, key))
            return record["handles"]
        if key in self.state.seen_types:
            return self.state.seen_types[key]
        message = _('There is no node type "{key}". Types: {known}.')
        raise ChangeRefused(message.format(key=shown(key), known=", ".join(self.state.known_types)))

    def uses(self, type_key: str) -> list[str]:
        """Keys of the graphs whose nodes are of this type."""
        here = any(node["type"] == type_key for node in self.nodes.values())
        return sorted({*self.state.uses.get(type_key, ()), *([self.state.graph_key] if here else ())})

    def sheet(self, key: str) -> str:
        """Returns the key if there is a sheet of that name. Raises `ChangeRefused`."""
        if key not in self.sheets:
            message = _('There is no sheet "{key}". Sheets: {known}.')
            raise ChangeRefused(message.format(key=shown(key), known=some(self.sheets, NAMED_SHEETS)))
        return key

    def on_sheet(self, kind: Kind, sheet: str) -> list[str]:
        """The keys of the nodes, or of the edges, that stand on a sheet that would go."""
        return list(self._on.get((kind.name, sheet), ()))

    def next_position(self) -> int:
        """The position of a new sheet, behind all others."""
        self._next_position += 1
        return self._next_position - 1

    def boxes(self, sheet: str) -> dict[str, Box]:
        """Where the nodes of a drawn sheet are, by key."""
        return drawn.boxes if (drawn := self._drawn.get(sheet)) else {}

    def boxes_around(self, sheet: str, box: Box) -> dict[str, Box]:
        """The boxes that are in the way of one where it is, or above and below it."""
        drawn = self._drawn.get(sheet)
        found = drawn.between(box.x - GAP_ACROSS, box.right + GAP_ACROSS) if drawn else {}
        self.look_at(len(found))
        return found

    def links_between(self, keys: Collection[str]) -> Iterator[tuple[str, str]]:
        """Source and target of each edge between two of these drawn nodes."""
        for source in keys:
            links = self._links_from.get(source, {})
            self.look_at(len(links))
            yield from (link for key in links if (link := self._links[key])[1] in keys)

    def look_at(self, count: int) -> None:
        """Notes that so much is looked at for places. Raises `ChangeRefused` once it was too much."""
        if self._looked_at > MAX_LOOKED_AT:
            raise ChangeRefused(_("These are too many places to find on so large a sheet. Do it in parts."))
        self._looked_at += count

    # What changes.

    def read(self, item: Ref) -> None:
        """Notes that the plan depends on an item of the graph, if it was there."""
        if stored := self._stored.get(item):
            self.objects.targets[item] = Target(item.type, item.key, stored.version)

    def add(self, kind: Kind, key: str, record: Record) -> None:
        self._do(Create(Ref(kind.name, key), record))
        self._records(kind)[key] = record
        if kind is SHEET and self._order:
            self._order.append(key)
        self._follow(kind, key)

    def change(self, kind: Kind, key: str, new: Record) -> None:
        """Changes those of the fields that differ."""
        record = self._records(kind)[key]
        changed = {name: value for name, value in new.items() if not same(record[name], value)}
        if not changed:
            return
        self._do(Update(Ref(kind.name, key), {name: record[name] for name in changed}, changed))
        self._leave(kind, key)
        self._records(kind)[key] = record | changed
        self._follow(kind, key)

    def remove(self, kind: Kind, key: str) -> None:
        self._leave(kind, key)
        if kind is SHEET and self._order:
            self._order.remove(key)
        self._do(Delete(Ref(kind.name, key), self._records(kind).pop(key)))

    def put_sheet(self, key: str, position: int) -> None:
        """Puts a sheet to a place among the others."""
        if not self._order:
            self._order = sorted(self.sheets, key=lambda each: self.sheets[each]["position"])
            self.objects.at_end.append(self._number_sheets)
        self._order.remove(key)
        self._order.insert(position, key)

    def _number_sheets(self) -> None:
        """Numbers the sheets anew where they have to be: once, as a graph may have thousands."""
        for number, key in enumerate(self._order):
            self.change(SHEET, key, {"position": number})

    def _do(self, operation: Operation) -> None:
        self.objects.operations.append(operation)
        self.read(operation.item)

    def _records(self, kind: Kind) -> dict[str, Record]:
        return {SHEET.name: self.sheets, NODE.name: self.nodes, EDGE.name: self._edges}[kind.name]

    def _follow(self, kind: Kind, key: str) -> None:
        if kind is SHEET:
            return
        self._on.setdefault((kind.name, self._records(kind)[key]["sheet"]), {})[key] = None
        if kind is NODE:
            self._set_box(key)
        else:
            edge = self._edges[key]
            self._index(key, edge)
            self._links[key] = (edge["source"], edge["target"])
            self._links_from.setdefault(edge["source"], {})[key] = None

    def _leave(self, kind: Kind, key: str) -> None:
        if kind is SHEET:
            return
        record = self._records(kind)[key]
        self._on[kind.name, record["sheet"]].pop(key)
        if kind is NODE:
            if drawn := self._drawn.get(record["sheet"]):
                drawn.take(key)
        else:
            self._links.pop(key, None)
            self._links_from.get(record["source"], {}).pop(key, None)
            for end in (record["source"], record["target"]):
                self._edges_of[end].pop(key, None)
            self._edges_by_ends[_ends(record)].pop(key)

    def _index(self, key: str, edge: Record) -> None:
        for end in (edge["source"], edge["target"]):
            self._edges_of.setdefault(end, {})[key] = None
        self._edges_by_ends.setdefault(_ends(edge), {})[key] = None

    def _set_box(self, key: str) -> None:
        node = self.nodes[key]
        self._drawn.setdefault(node["sheet"], DrawnSheet()).put(key, box_of(node))


def _ends(edge: Record) -> tuple[str, ...]:
    return edge["source"], edge["sourceHandle"], edge["target"], edge["targetHandle"]
