"""Imports run one way: chat -> rag -> graphs, and down the lines of `docs/architecture.md` inside each of them.

Nobody imports config; chat/providers knows no Django.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FORBIDDEN = {
    "graphs": ("rag", "chat", "config"),
    "rag": ("chat", "config"),
    "chat": ("config",),
    "chat/providers": ("django", "rest_framework", "chat.models"),
}
#: The tables of graphs, and all that may import them: the rooms of workflows and of their drawing, and their own doors.
TABLES = {"Graph", "Sheet", "Node", "Edge", "NodeType", "workflows"}
WITH_TABLES = (
    *("graphs/models", "graphs/migrations", "graphs/workflows", "rag/sources/graphs", "chat/subjects/graphs"),
    *("graphs/admin/workflows.py", "graphs/api/graph_json.py"),
)
#: The rooms of graphs, and those below the doors that know of no kind.
GRAPHS = ("graphs.workflows", "rag.sources.graphs", "chat.subjects.graphs")
ANY_KIND = (
    *("graphs/objects", "graphs/history", "graphs/site", "rag/embeddings", "rag/retrieval", "rag/texts"),
    *("rag/sources/*.py", "rag/sources/objects", "chat/access", "chat/actions", "chat/concurrency", "chat/engine"),
    *("chat/events", "chat/models", "chat/prompts", "chat/proposals", "chat/providers", "chat/queries"),
    *("chat/sent_requests", "chat/spending", "chat/subjects/*.py", "chat/tools", "chat/web"),
)
#: What only names others to Django.
APART = {"__init__", "apps", "checks", "migrations", "urls"}
#: What starts the product may import it all.
ENTRY_POINTS = ("management/commands/",)


def imported(path: Path) -> Iterator[str]:
    package = path.relative_to(ROOT).with_suffix("").parts
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: -node.level]) if node.level else ""
            module = ".".join(filter(None, (base, node.module)))
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


@pytest.mark.parametrize("room", FORBIDDEN)
def test_imports_run_one_way(room: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sorted((ROOT / room).rglob("*.py"))
        if not any(entry in path.as_posix() for entry in ENTRY_POINTS)
        for name in imported(path)
        if any(within(name, package) for package in FORBIDDEN[room])
    ]
    assert wrong == []


def lines_of(app: str) -> dict[str, int]:
    """The line of every room of an app, as the document has them."""
    listed = (ROOT / "docs/architecture.md").read_text().split(f"nside `{app}`:")[1].split("\n\n")[1]
    return {
        room: number
        for number, line in enumerate(listed.splitlines())
        for room in line.strip().split("  ")[0].split(" · ")
    }


def uses(app: str) -> dict[tuple[str, str], str]:
    """Which room uses which other one, with a module and what it imports as an example."""
    found: dict[tuple[str, str], str] = {}
    for path in sorted((ROOT / app).rglob("*.py")):
        own = path.relative_to(ROOT / app).with_suffix("").parts[0]
        for name in imported(path):
            package, _, rest = name.partition(".")
            other = rest.partition(".")[0]
            if package == app and other and own not in APART and other != own:
                found.setdefault((own, other), f"{path.relative_to(ROOT)} imports {name}")
    return found


@pytest.mark.parametrize("app", ["graphs", "rag", "chat"])
def test_inside_an_app_imports_run_down_and_never_both_ways(app: str) -> None:
    lines, found = lines_of(app), uses(app)
    rooms = {path.relative_to(ROOT / app).with_suffix("").parts[0] for path in (ROOT / app).rglob("*.py")} - APART
    assert lines.keys() == rooms, "docs/architecture.md lists the rooms of each app"
    up = [example for (own, other), example in found.items() if other in lines and lines[other] < lines[own]]
    both = [example for (own, other), example in found.items() if (other, own) in found]
    assert (up, both) == ([], [])


@pytest.mark.parametrize("package", ["graphs", "rag", "chat", "config"])
def test_only_the_rooms_of_graphs_know_their_tables(package: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sorted((ROOT / package).rglob("*.py"))
        if not path.relative_to(ROOT).as_posix().startswith(WITH_TABLES)
        for name in imported(path)
        if name.startswith("graphs.models.") and name.split(".")[2] in TABLES
    ]
    assert wrong == []


@pytest.mark.parametrize("package", ["graphs", "rag", "chat", "config"])
def test_tables_are_imported_by_name(package: str) -> None:
    """Nobody comes to a table of graphs by a whole module, or by its name in a text."""
    for path in sorted((ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.ImportFrom(module="graphs", names=names):
                    assert "models" not in {alias.name for alias in names}, path
                case ast.Import(names=names):
                    assert not any(within(alias.name, "graphs.models") for alias in names), path
                case ast.Attribute(attr="get_model") | ast.Name(id="get_model"):
                    assert "migrations" in path.parts, path


@pytest.mark.parametrize("room", ANY_KIND)
def test_what_holds_for_any_object_imports_nothing_of_graphs(room: str) -> None:
    paths = sorted(ROOT.glob(room if room.endswith(".py") else f"{room}/**/*.py"))
    assert paths
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in paths
        for name in imported(path)
        if any(within(name, package) for package in GRAPHS)
    ]
    assert wrong == []


#: Names of the kinds of graphs, and of their fields alone.
_OF_GRAPHS = re.compile(r"(?:.*_)?(?:graph|node|edge|sheet)s?(?:_.*)?|posX|posY|sourceHandle|targetHandle|nodeType")
_PLACEHOLDER = re.compile(r"\{(\w+)\}|%\((\w+)\)")


def spelled(path: Path) -> Iterator[str]:
    """Names of variables, texts of one word and placeholders of sentences."""
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name):
                yield name
            case ast.Constant(value=str(text)):
                yield text if text.isidentifier() else ""
                yield from ("".join(found) for found in _PLACEHOLDER.findall(text))


# The demo in `chat/providers` reads what the tools of graphs answer.
@pytest.mark.parametrize("room", [room for room in ANY_KIND if room != "chat/providers"])
def test_what_holds_for_any_object_spells_nothing_of_graphs(room: str) -> None:
    wrong = {
        f"{path.relative_to(ROOT)} spells {word}"
        for path in sorted(ROOT.glob(room if room.endswith(".py") else f"{room}/**/*.py"))
        for word in spelled(path)
        if _OF_GRAPHS.fullmatch(word)
    }
    default_of_a_column = {"chat/models/conversation.py spells graph"}
    assert wrong - default_of_a_column == set()
