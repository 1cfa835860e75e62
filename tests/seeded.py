"""The demo's graphs for tests of what a model sees: Alice's workspace, and Charlie's with a graph of the same key."""

from dataclasses import dataclass

from django.contrib.auth.models import User

from config.demo.nba import NBA
from config.demo.order_to_cash import ORDER_TO_CASH
from config.demo.spec import GraphSpec, NodeSpec, SheetSpec, create_graph, create_types
from config.demo.types import DEMO_TYPES
from graphs.models import Graph, Membership, NodeType, Role, Workspace
from graphs.site.access import Member

#: A text that must never be seen outside the workspace `other`.
CANARY = "canaryotherworkspace"


@dataclass(frozen=True)
class World:
    alice: Member
    charlie: Member
    nba: Graph
    orders: Graph
    #: Charlie's graph with the key `nba` and nodes with the same keys.
    foreign_nba: Graph


def member(name: str, workspace: Workspace, role: Role) -> Member:
    user = User.objects.create(username=name)
    Membership.objects.create(user=user, workspace=workspace, role=role)
    return Member(user, workspace, role)


def world() -> World:
    demo = Workspace.objects.create(slug="demo", name="Demo")
    other = Workspace.objects.create(slug="other", name="Other")
    create_types(demo, DEMO_TYPES)
    NodeType.objects.create(workspace=other, key="api-call", display_name=CANARY, description=CANARY)
    return World(
        member("alice", demo, Role.EDITOR),
        member("charlie", other, Role.EDITOR),
        create_graph(demo, NBA, DEMO_TYPES),
        create_graph(demo, ORDER_TO_CASH, DEMO_TYPES),
        create_graph(other, _foreign(), DEMO_TYPES),
    )


def _foreign() -> GraphSpec:
    nodes = (
        NodeSpec("root", "starter", CANARY, at=(0, 0)),
        NodeSpec("fetch-api", "api-call", f"Fetch {CANARY}", at=(1, 0), process=f"fetch({CANARY})"),
        NodeSpec("secret-node", "api-call", f"Fetch players {CANARY}", at=(2, 0), data={"password": CANARY}),
    )
    edges = ("root -> fetch-api", f"fetch-api:0 -> secret-node: {CANARY}")
    return GraphSpec("nba", CANARY, CANARY, sheets=(SheetSpec("main", CANARY, nodes, edges),))
