"""What the benchmark of questions asks: through which door, about what, in which conversation, with which tool."""

import itertools
import json
import secrets
from dataclasses import dataclass
from typing import Any, Literal

from bench.systems import System
from bench.vendor import question, using

TOKENS, RATE = 2, 500
LARGE = "large"
LARGE_NODES = 10_000
_PROPOSED = {"nodeKey": "fetch-api", "updates": {"name": "Fetch all players"}, "reason": "A clearer name."}
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Scene:
    """`about` is "graph:nba" or "" for nothing; a `new` conversation for each question or one for all of them.

    `everywhere`: also asked of systems that know no people, no objects and no conversations.
    """

    name: str
    door: Literal["socket", "REST"]
    about: str = ""
    new: bool = True
    tool: tuple[str, dict[str, Any]] | None = None
    everywhere: bool = False
    grows: bool = False
    needs_objects: bool = False

    def possible(self, system: System) -> bool:
        if not system.product:
            return self.everywhere
        return not self.needs_objects or system.name == "product"

    def next_text(self) -> str:
        """A question that nobody asked before, so that nothing of it is cached."""
        asked = question(TOKENS, RATE)
        if self.tool is not None:
            name, arguments = self.tool
            asked = f"{using(name, arguments)} {asked}"
        return f"{asked} about word{next(_numbers)}x{secrets.token_hex(3)}"


SCENES = (
    Scene("new", "socket", everywhere=True),
    Scene("new, socket, graph", "socket", "graph:nba"),
    Scene("new, REST, graph", "REST", "graph:nba"),
    Scene("known, socket, graph", "socket", "graph:nba", new=False, grows=True),
    Scene("known, REST, graph", "REST", "graph:nba", new=False),
    Scene(f"new, socket, graph of {LARGE_NODES}", "socket", f"graph:{LARGE}"),
    Scene("new, socket, an object that is no graph", "socket", "nodeType:filter", needs_objects=True),
    Scene("one read tool", "socket", "graph:nba", tool=("read_node_detail", {"nodeKey": "fetch-api"})),
    Scene("one proposal", "socket", "graph:nba", tool=("propose_update_node", _PROPOSED)),
)


def large_graph() -> bytes:
    """A file of the native format: a chain of nodes whose names share words."""
    words = [secrets.token_hex(3) for _ in range(400)]
    sheet = {"key": "main", "name": "Main"}
    nodes = [
        {"key": f"n{n}", "type": "starter", "sheet": "main", "name": " ".join(words[n * k % 400] for k in (1, 7, 13))}
        for n in range(LARGE_NODES)
    ]
    edges = [
        {"key": f"e{n}", "source": f"n{n}", "target": f"n{n + 1}", "sheet": "main"} for n in range(LARGE_NODES - 1)
    ]
    head = {"format": "countersign.graph", "formatVersion": 1, "key": LARGE, "name": "Large"}
    return json.dumps({**head, "sheets": [sheet], "nodes": nodes, "edges": edges}).encode()
