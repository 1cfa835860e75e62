"""Imports run one way: chat -> rag -> graphs; nobody imports config; chat/providers knows no Django."""

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
