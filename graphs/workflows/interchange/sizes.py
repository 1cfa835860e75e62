"""How large the parts of a file may be, whatever its format: no larger than by hand."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

from graphs.models.workflows import MAX_DESCRIPTION
from graphs.objects.strict import MAX_TEXT
from graphs.site.json_values import MAX_JSON_CHARS, is_too_long
from graphs.workflows.interchange.parsed_graph import ParsedGraph
from graphs.workflows.interchange.refusals import Problems, path, refuse

MAX_SHEETS = 5_000
MAX_NODE_TYPES = 2_000
#: Handles on one side of a node.
MAX_HANDLES = 100
#: JSON takes at most so many times the room that it took in the file: 1e15 becomes 1000000000000000.0.
GROWS = 6


def check(parsed: ParsedGraph, file_chars: int) -> None:
    """Raises `ImportRefused` where something is larger than anyone could make it here."""
    for field, count, most in (
        ("sheets", len(parsed.sheets), MAX_SHEETS),
        ("nodeTypes", len(parsed.node_types), MAX_NODE_TYPES),
    ):
        if count > most:
            message = _("There are {count} of these; a graph may have {most}.")
            raise refuse(field, message.format(count=intcomma(count), most=intcomma(most)))
    problems = Problems()
    for where, text, most in _texts(parsed):
        if len(text) > most:
            problems.add(where, _("This is longer than {max_length} characters.").format(max_length=intcomma(most)))
    if file_chars * GROWS > MAX_JSON_CHARS:
        for where, value in _values(parsed):
            if is_too_long(value):
                problems.add(
                    where, _("This is longer than {max_length} characters.").format(max_length=intcomma(MAX_JSON_CHARS))
                )
    for where, handles in _handles(parsed):
        for side, points in handles.items():
            if len(points) > MAX_HANDLES:
                problems.add(f"{where}.{side}", _("This list is too long."))
        if _has_doubles(handles):
            problems.add(where, _("Two handles of the same direction have the same id."))
    problems.refuse_if_any()


def _has_doubles(handles: Mapping[str, Sequence[Mapping[str, Any]]]) -> bool:
    """Whether two handles of a node have the same direction and id: no edge could tell them apart."""
    ids = [(point["type"], point["id"]) for points in handles.values() for point in points]
    return len(set(ids)) < len(ids)


def _handles(parsed: ParsedGraph) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from ((path(("nodes", number, "handles")), node.handles) for number, node in enumerate(parsed.nodes))
    for number, each in enumerate(parsed.node_types):
        yield path(("nodeTypes", number, "handles")), each.handles


def _texts(parsed: ParsedGraph) -> Iterator[tuple[str, str, int]]:
    yield "description", parsed.description, MAX_DESCRIPTION
    for number, node in enumerate(parsed.nodes):
        yield path(("nodes", number, "process")), node.process, MAX_TEXT
    for number, each in enumerate(parsed.node_types):
        yield path(("nodeTypes", number, "description")), each.description, MAX_DESCRIPTION
        yield path(("nodeTypes", number, "process")), each.process, MAX_TEXT


def _values(parsed: ParsedGraph) -> Iterator[tuple[str, Any]]:
    yield "metadata", parsed.metadata
    for number, node in enumerate(parsed.nodes):
        yield path(("nodes", number, "data")), node.data
        yield path(("nodes", number, "handles")), node.handles
    for number, each in enumerate(parsed.node_types):
        yield path(("nodeTypes", number, "handles")), each.handles
