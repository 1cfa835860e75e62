"""The connections of an n8n workflow: `{source name: {type: [[{node, type, index}]]}}`. Called by `n8n`."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from graphs.site.json_values import shown
from graphs.workflows.interchange.refusals import FileWarning, Problems, Warnings, path

#: Types and indexes become ids of handles, of which the database keeps 100 characters.
MAX_TYPE = 60
MAX_INDEX = 10_000


@dataclass(frozen=True, slots=True)
class Connection:
    """One arrow, from an output of one node to an input of another; nodes by their names in the file."""

    source: str
    type: str
    output: int
    target: str
    target_type: str
    input: int

    @property
    def source_handle(self) -> str:
        return f"{self.type}-{self.output}"

    @property
    def target_handle(self) -> str:
        return f"{self.target_type}-{self.input}"


def connections_of(document: dict[str, Any], problems: Problems) -> Iterator[Connection]:
    """The connections in the order of the file; null is no connection."""
    for source, by_type in _items(document.get("connections"), ("connections",), problems):
        for type_, outputs in _items(by_type, ("connections", source), problems):
            for output, targets in _entries(outputs, ("connections", source, type_), problems):
                steps = ("connections", source, type_, output)
                for position, target in _entries(targets, steps, problems):
                    connection = _connection(source, type_, output, target)
                    if connection is None:
                        message = _("A connection is an object like {example}.")
                        example = '{"node": "name", "type": "main", "index": 0}'
                        problems.add(path((*steps, position)), message.format(example=example))
                    else:
                        yield connection


def _items(value: Any, steps: tuple[str | int, ...], problems: Problems) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return list(value.items())
    if value is not None:
        problems.add(path(steps), _("This must be an object."))
    return []


def _entries(value: Any, steps: tuple[str | int, ...], problems: Problems) -> Iterator[tuple[int, Any]]:
    if value is not None and not isinstance(value, list):
        problems.add(path(steps), _("This must be a list."))
        return iter(())
    return enumerate(value or ())


def _connection(source: str, type_: str, output: int, target: Any) -> Connection | None:
    if not isinstance(target, dict):
        return None
    name, target_type, index = target.get("node"), target.get("type", "main"), target.get("index", 0)
    if not isinstance(name, str) or not isinstance(target_type, str) or type(index) is not int:
        return None
    if max(len(type_), len(target_type)) > MAX_TYPE or output >= MAX_INDEX or not 0 <= index < MAX_INDEX:
        return None
    return Connection(source, type_, output, name, target_type, index)


def resolved(connections: list[Connection], names: set[str], warnings: Warnings) -> list[Connection]:
    """The connections whose two nodes exist; a warning for each of the others."""
    found = []
    for connection in connections:
        absent = next((name for name in (connection.source, connection.target) if name not in names), None)
        if absent is None:
            found.append(connection)
        elif not warnings.only_counted():
            message = _('The connection from "{source}" to "{target}" is left out: there is no node "{name}".')
            where = path(("connections", connection.source, connection.type, connection.output))
            ends = {"source": shown(connection.source), "target": shown(connection.target), "name": shown(absent)}
            warnings.append(FileWarning(where, message.format(**ends), "dangling"))
    return found
