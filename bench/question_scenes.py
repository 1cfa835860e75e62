"""What the benchmark of questions asks: through which door, about what, in which conversation, with which tool."""

import itertools
import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

from bench.systems import System
from bench.vendor import question, using

TOKENS, RATE = 2, 500
#: An answer as long as one of 60 words, for what a conversation holds before it is measured.
ANSWERED_TOKENS = 10
Door = Literal["socket", "REST"]
DOORS: tuple[Door, ...] = get_args(Door)
LARGE = "large"
LARGE_NODES = 10_000
_PROPOSED = {"nodeKey": "fetch-api", "updates": {"name": "Fetch all players"}, "reason": "A clearer name."}
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Scene:
    """`about` is "graph:nba" or "" for nothing; a `new` conversation for each question or one for all of them.

    `others` are the systems that are asked, too, though they know no people and no objects.
    """

    name: str
    door: Door
    about: str = ""
    new: bool = True
    tool: tuple[str, dict[str, Any]] | None = None
    others: tuple[str, ...] = ()
    grows: bool = False
    needs_objects: bool = False

    def possible(self, system: System) -> bool:
        if not system.product:
            return system.name in self.others
        return not self.needs_objects or system.name == "product"

    def next_text(self, tokens: int = TOKENS) -> str:
        """A question that nobody asked before, so that nothing of it is cached."""
        asked = question(tokens, RATE)
        if self.tool is not None:
            name, arguments = self.tool
            asked = f"{using(name, arguments)} {asked}"
        return f"{asked} about word{next(_numbers)}x{secrets.token_hex(3)}"


def _scenes() -> Iterator[Scene]:
    """What is asked about nothing, about each kind of object, and with a tool, through both doors."""
    yield Scene("new", "socket", others=("reference", "view", "chainlit"))
    yield Scene("new, REST", "REST")
    yield Scene("known", "socket", new=False, others=("chainlit",))
    for door in DOORS:
        yield Scene(f"new, {door}, graph", door, "graph:nba")
        yield Scene(f"known, {door}, graph", door, "graph:nba", new=False, grows=door == "socket")
        yield Scene(f"new, {door}, graph of {LARGE_NODES}", door, f"graph:{LARGE}")
        yield Scene(f"new, {door}, an object that is no graph", door, "nodeType:filter", needs_objects=True)
        yield Scene(f"{door}, one read tool", door, "graph:nba", tool=("read_node_detail", {"nodeKey": "fetch-api"}))
        yield Scene(f"{door}, one proposal", door, "graph:nba", tool=("propose_update_node", _PROPOSED))


SCENES = tuple(_scenes())


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
