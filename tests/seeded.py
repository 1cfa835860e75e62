"""The demo's graphs for tests of what a model sees: Alice's workspace, and Charlie's with a graph of the same key."""

from dataclasses import dataclass

from django.contrib.auth.models import User

from config.demo import import_demo
from config.demo.records import Language, import_demo_records
from graphs.models import Company, Graph, Membership, NodeType, Role, Workspace
from graphs.site.access import Member
from graphs.workflows.imports import import_graph
from graphs.workflows.interchange.parsed_graph import ParsedEdge, ParsedGraph, ParsedNode, ParsedSheet
from tests.kept_rows import made_once

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
    return made_once("seeded", _make)


def northwind(here: World, language: Language = "en") -> Company:
    """The demo's company in Alice's workspace, with its folders and use cases."""
    return made_once(f"northwind.{language}", lambda: import_demo_records(here.alice.workspace, language))


def _make() -> World:
    demo = Workspace.objects.create(slug="demo", name="Demo")
    other = Workspace.objects.create(slug="other", name="Other")
    NodeType.objects.create(workspace=other, key="api-call", display_name=CANARY, description=CANARY)
    return World(
        member("alice", demo, Role.EDITOR),
        member("charlie", other, Role.EDITOR),
        import_demo(demo, "nba"),
        import_demo(demo, "order-to-cash"),
        import_graph(other, _foreign(), trusted=True).graph,
    )


def _foreign() -> ParsedGraph:
    handles = {
        "L": [{"id": "L-0", "type": "in", "accept": "any"}],
        "R": [{"id": "R-0", "type": "out", "accept": "any"}],
    }
    nodes = (
        ParsedNode("root", "starter", "main", CANARY, "", {}, handles, 0, 0),
        ParsedNode("fetch-api", "api-call", "main", f"Fetch {CANARY}", f"fetch({CANARY})", {}, handles, 260, 0),
        ParsedNode(
            "secret-node", "api-call", "main", f"Fetch players {CANARY}", "", {"password": CANARY}, handles, 520, 0
        ),
    )
    edges = (
        ParsedEdge("root:R-0--fetch-api:L-0", "root", "R-0", "fetch-api", "L-0", "", "main"),
        ParsedEdge("fetch-api:R-0--secret-node:L-0", "fetch-api", "R-0", "secret-node", "L-0", CANARY, "main"),
    )
    return ParsedGraph("native", "nba", CANARY, CANARY, {}, (ParsedSheet("main", CANARY),), nodes, edges)
