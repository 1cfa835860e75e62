"""Imports run one way: chat -> rag -> graphs; nobody imports config but the entry of a web process."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

BASE_DIR = Path(__file__).resolve().parent.parent
FORBIDDEN = {
    "graphs": {"rag", "chat", "config"},
    "rag": {"chat", "config"},
    "chat": {"config"},
    "chat/providers": {"django", "rest_framework", "channels", "graphs", "rag", "config"},
}
ENTRIES = {"chat/server.py"}


def imported(file: Path) -> Iterator[str]:
    """The first names of all that a file imports, also inside functions."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.partition(".")[0]


@pytest.mark.parametrize("package", FORBIDDEN)
def test_it_imports_only_what_lies_below(package: str) -> None:
    files = {str(file.relative_to(BASE_DIR)): file for file in (BASE_DIR / package).rglob("*.py")}
    assert files
    wrong = {
        name: found
        for name, file in files.items()
        if name not in ENTRIES and (found := FORBIDDEN[package] & set(imported(file)))
    }
    assert wrong == {}
