"""What a story is about where it does not matter what that is: a node of a graph, a node type, a row of an application.

Each begins as the node `fetch-api` of the cast: called "Fetch API", with the text "return fetch(url)". Loaded as a
plugin, so every test can name `thing`, and is run for all of them.
"""

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import QuerySet

from chat.models import Proposal
from graphs.history import changes
from graphs.history.outside import catch_up
from graphs.history.recording import Applied, Because
from graphs.models import ChangeSet, Edge, Graph, NodeType, Object, Origin, Workspace
from graphs.objects import stores
from graphs.objects.headers import header_of
from graphs.objects.kinds import KINDS
from graphs.objects.operations import Create, Delete, Operation, Record, Update
from graphs.objects.refs import Ref
from tests.cast import draw_nba
from tests.proposed import Call, waiting
from tests.registered import product, shops
from tests.shop.models import Product, Shop

#: A part of an object; an object with a table of its own; a row of an application, with a header beside it.
THINGS = ("node", "nodeType", "product")

#: Of dear stories: that of a node is that of parts, and that of a product that of objects.
a_part_and_a_row = pytest.mark.parametrize("kind_of_thing", ["node", "product"], indirect=True)


@dataclass(frozen=True)
class Thing:
    """`around` is the object whose history has the `item`; `name` and `text` are fields of the item."""

    around: Object
    item: Ref
    name: str
    text: str

    @property
    def workspace(self) -> Workspace:
        return self.around.workspace

    @property
    def stream(self) -> str:
        return f"{self.around.type}_{self.around.pk}"

    def find(self) -> Record | None:
        """Its fields as they are stored; None if it is gone."""
        found = stores.stored(self.around, [self.item]).get(self.item)
        return found.record if found else None

    @property
    def record(self) -> Record:
        found = self.find()
        assert found is not None, f"{self.item} is gone"
        return found

    @property
    def called(self) -> str:
        return str(self.record[self.name])

    @property
    def version(self) -> int:
        return stores.stored(self.around, [self.item])[self.item].version

    def to(self, new: Any, old: Any = None, field: str = "") -> Update:
        """The operation that gives it another name, or another value of a field."""
        field = field or self.name
        return Update(self.item, {field: self.record[field] if old is None else old}, {field: new})

    def gone(self) -> list[Operation]:
        """The operations that delete it, with the edges of a node."""
        edges = Edge.objects.filter(graph=self.around.pk) if self.item.type == "node" else ()
        hanging = [Ref("edge", edge.key) for edge in edges if self.item.key in (edge.source.key, edge.target.key)]
        found = stores.stored(self.around, [*hanging, self.item])
        return [Delete(ref, found[ref].record) for ref in (*hanging, self.item)]

    def another(self, key: str, **values: Any) -> Create:
        """The operation that makes another one like it."""
        return Create(Ref(self.item.type, key), self.record | values)

    def apply(self, operations: Sequence[Operation], because: Because) -> Applied:
        return changes.apply(self.around, operations, because)

    def change(self, who: User | None, new: Any, field: str = "") -> Applied:
        """A person changes it by hand."""
        return self.apply([self.to(new, field=field)], Because(who, Origin.MANUAL))

    def vanish(self) -> None:
        """Its object is deleted past the history."""
        row: Any = Product.objects.get(pk=self.item.key) if self.item.type == "product" else copy(self.around)
        row.delete()

    def update_call(self, **updates: Any) -> Call:
        """What a model calls to change it."""
        if self.item.type == "node":
            return "update_node", {"nodeKey": self.item.key, "updates": updates}
        return "update_object", {"object": str(self.item), "updates": updates}

    def rename_call(self, new: str = "Fetch") -> Call:
        return self.update_call(**{self.name: new})

    def delete_call(self) -> Call:
        if self.item.type == "node":
            return "delete_node", {"nodeKey": self.item.key}
        return "delete_object", {"object": str(self.item)}

    def proposed(self, owner: User, *calls: Call, **values: Any) -> list[Proposal]:
        """One turn of a conversation about it that proposed these; without any, another name."""
        return waiting(owner, self.around, *(calls or (self.rename_call(),)), **values)


def node_of(graph: Graph, key: str = "fetch-api") -> Thing:
    return Thing(graph, Ref("node", key), "name", "process")


def type_of(workspace: Workspace, key: str = "fetch", name: str = "Fetch API") -> Thing:
    made = NodeType.objects.create(workspace=workspace, key=key, display_name=name, process="return fetch(url)")
    return Thing(made, Ref("nodeType", key), "displayName", "process")


def product_of(workspace: Workspace, name: str = "Fetch API") -> Thing:
    """A product of the only shop of the workspace. Its kind has to be registered."""
    shop, _new = Shop.objects.get_or_create(workspace=workspace, defaults={"name": "Corner"})
    row = product(shop, name)
    header = header_of(KINDS["product"], workspace.pk, row)
    catch_up([header])
    return Thing(header, Ref("product", str(row.pk)), "name", "notes")


def new_thing(kind: str, workspace: Workspace, number: int = 0) -> Thing:
    """Another one at each number, in an object of its own."""
    match kind:
        case "node":
            Graph.objects.filter(workspace=workspace, key="nba").update(key=f"nba-{number}")
            return node_of(draw_nba(workspace))
        case "nodeType":
            return type_of(workspace, f"fetch-{number}")
        case _:
            return product_of(workspace)


def beside(thing: Thing) -> Thing:
    """Another one, called "Return"."""
    match thing.item.type:
        case "node":
            return Thing(thing.around, Ref("node", "return"), thing.name, thing.text)
        case "nodeType":
            return type_of(thing.workspace, "end", "Return")
        case _:
            return product_of(thing.workspace, "Return")


def change_sets() -> QuerySet[ChangeSet]:
    """Those that changed something: the history of a row begins with one that did not."""
    return ChangeSet.objects.exclude(origin=Origin.IMPORT)


@pytest.fixture(params=THINGS)
def kind_of_thing(request: pytest.FixtureRequest) -> Iterator[str]:
    kind: str = request.param
    with shops() if kind == "product" else nullcontext():
        yield kind


@pytest.fixture
def thing(kind_of_thing: str, demo_workspace: Workspace) -> Thing:
    return new_thing(kind_of_thing, demo_workspace)
