"""Imports run one way: chat -> rag -> graphs, and down the lines of `docs/architecture.md` inside each of them.

Nobody imports config; chat/providers knows no Django.
"""

import ast
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
#: What only names others to Django.
APART = {"__init__", "apps", "checks", "explaining", "migrations", "urls"}
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


def lines_of(room: str) -> dict[str, int]:
    """The line of every module of a room, as the document has them."""
    listed = (ROOT / "docs/architecture.md").read_text().split(f"nside `{room}`")[1].split("\n\n")[1]
    return {
        module: number for number, line in enumerate(listed.splitlines()) for module in line.split("  ")[2].split(" · ")
    }


@pytest.mark.parametrize("room", ["graphs", "rag", "chat"])
def test_inside_a_room_imports_run_down(room: str) -> None:
    lines, wrong = lines_of(room), []
    there = set()
    for path in sorted((ROOT / room).rglob("*.py")):
        own = path.relative_to(ROOT / room).with_suffix("").parts[0]
        if own in APART:
            continue
        there.add(own)
        assert own in lines, f"{path.relative_to(ROOT)} has no line in docs/architecture.md"
        for name in imported(path):
            package, _, rest = name.partition(".")
            module = rest.partition(".")[0]
            if package == room and lines.get(module, lines[own]) < lines[own]:
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert wrong == []
    assert lines.keys() == there
