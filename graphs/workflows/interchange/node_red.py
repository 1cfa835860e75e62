"""Flows of Node-RED: tabs and subflows become sheets, groups and comments notes, all else nodes."""

import re
from dataclasses import dataclass
from typing import Annotated, Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Field

from graphs.models.workflows import MAX_EDGE_KEY, MAX_NAME
from graphs.site.json_values import shown
from graphs.workflows.interchange import grid
from graphs.workflows.interchange.checks import Coordinate, all_checked, check_list, check_some_nodes
from graphs.workflows.interchange.keys import UniqueTexts, slug
from graphs.workflows.interchange.node_red_drawing import handles, output_label, rectangle
from graphs.workflows.interchange.parsed_graph import Limits, ParsedEdge, ParsedGraph, ParsedNode, ParsedSheet, said
from graphs.workflows.interchange.refusals import FileWarning, Problems, Warnings, refuse

SHEET_TYPES = ("tab", "subflow")
NOTE_TYPES = ("comment", "group")
#: Where the code of a node is, by type; in other types everything is data.
CODE_FIELDS = {"function": "func", "template": "template", "ui_template": "format"}
#: Sheet of the entries whose tab is not in the file, and of configuration nodes.
REST = "main"

_GOOD_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,99}")
_OWN_COLUMNS = {"id", "type", "z", "name", "x", "y", "wires", "credentials"}


class Entry(BaseModel):
    """The fields of an entry that the reader relies on; all others are kept as they are."""

    model_config = ConfigDict(strict=True, extra="ignore")

    id: Annotated[str, Field(min_length=1)]
    type: Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
    z: str | None = None
    name: str | None = None
    x: Coordinate | None = None
    y: Coordinate | None = None
    wires: Annotated[list[Annotated[list[str], Field(fail_fast=True)]], Field(fail_fast=True)] | None = None


@dataclass(frozen=True, slots=True)
class _Step:
    """An entry that becomes a node: where it stands in the file, checked, as it is there, and its key in the graph."""

    index: int
    entry: Entry
    raw: dict[str, Any]
    key: str
    sheet: str

    @property
    def title(self) -> str:
        label = self.raw.get("label")
        return self.entry.name or (label if isinstance(label, str) else "") or self.entry.type

    @property
    def where(self) -> str:
        return f'[{self.index}] ("{shown(self.title)}")'


def parse(document: Any, limits: Limits) -> ParsedGraph:
    """The graph of a Node-RED export. What of the file it does not hold is told by its warnings."""
    raws = document.get("flows") if isinstance(document, dict) else document
    if not isinstance(raws, list):
        raise refuse("", _("A Node-RED export is a list of entries."))
    problems = Problems()
    check_some_nodes(len(raws), limits)
    entries = all_checked(Entry, raws, (), problems)
    problems.refuse_if_any()
    outputs = [targets for entry in entries for targets in entry.wires or ()]
    check_list("wires", len(outputs) + sum(map(len, outputs)), limits)
    warnings = Warnings()
    sheets = _sheets(entries, raws, problems)
    steps = _steps(entries, raws, sheets, warnings)
    check_some_nodes(len(steps), limits)
    for step in steps:
        if len(step.title) > MAX_NAME and step.entry.type not in NOTE_TYPES:
            problems.add(step.where, _("The name is longer than {most} characters.").format(most=intcomma(MAX_NAME)))
    problems.refuse_if_any()
    edges, wired = _edges(steps, warnings)
    used = {step.sheet for step in steps}
    return ParsedGraph(
        format="node-red",
        key="",
        name="",
        description="",
        metadata={"nodeRed": {"sheets": _sheet_settings(entries, raws, sheets, warnings)}},
        sheets=tuple(sheet for tab, sheet in sheets.items() if tab or sheet.key in used),
        nodes=_parsed_nodes(steps, wired, warnings),
        edges=edges,
        warnings=tuple(warnings.found),
        warning_count=warnings.count,
    )


def _sheets(entries: list[Entry], raws: list[dict[str, Any]], problems: Problems) -> dict[str, ParsedSheet]:
    """The sheets by the id of their tab, tabs first; the last one, of id "", takes what has no tab in the file."""
    unique = UniqueTexts()
    sheets: dict[str, ParsedSheet] = {}
    for sheet_type in SHEET_TYPES:
        for index, (entry, raw) in enumerate(zip(entries, raws, strict=True)):
            if entry.type == sheet_type and entry.id not in sheets:
                label = raw.get("label")
                name = said(entry.name or "") or said(label if isinstance(label, str) else "") or entry.id
                if len(name) > MAX_NAME:
                    problems.add(
                        f"[{index}]", _("The name is longer than {most} characters.").format(most=intcomma(MAX_NAME))
                    )
                sheets[entry.id] = ParsedSheet(unique.take(_key(entry.id, sheet_type)), name)
    sheets[""] = ParsedSheet(unique.take(REST), "Main")
    return sheets


def _key(entry_id: str, entry_type: str) -> str:
    return entry_id if _GOOD_KEY.fullmatch(entry_id) else slug(entry_id, fallback=slug(entry_type, fallback="node"))


def _sheet_settings(
    entries: list[Entry], raws: list[dict[str, Any]], sheets: dict[str, ParsedSheet], warnings: Warnings
) -> dict[str, dict[str, Any]]:
    """What tabs and subflows say beside their name, by the key of the sheet."""
    settings: dict[str, dict[str, Any]] = {}
    for index, (entry, raw) in enumerate(zip(entries, raws, strict=True)):
        if entry.type not in SHEET_TYPES:
            continue
        sheet = sheets[entry.id]
        where = f'[{index}] ("{shown(sheet.name)}")'
        if "credentials" in raw:
            warnings.append(FileWarning(where, _("The credentials are left out."), "secret_left_out"))
        if sheet.key in settings:
            message = _('The id "{id}" is used twice: this sheet is one with the first, and its settings are left out.')
            warnings.append(FileWarning(where, message.format(id=shown(entry.id)), "duplicate"))
            continue
        settings[sheet.key] = {field: value for field, value in raw.items() if field not in {"id", "credentials"}}
    return settings


def _steps(
    entries: list[Entry], raws: list[dict[str, Any]], sheets: dict[str, ParsedSheet], warnings: Warnings
) -> list[_Step]:
    unique = UniqueTexts()
    seen: set[str] = set()
    steps = []
    for index, (entry, raw) in enumerate(zip(entries, raws, strict=True)):
        if entry.type in SHEET_TYPES:
            continue
        sheet = sheets.get(entry.z or "", sheets[""])
        step = _Step(index, entry, raw, unique.take(_key(entry.id, entry.type)), sheet.key)
        if entry.id in seen:
            message = _('The id "{id}" is used twice: this entry becomes "{key}", wires mean the first.')
            text = message.format(id=shown(entry.id), key=step.key)
            warnings.append(FileWarning(step.where, text, "duplicate"))
        seen.add(entry.id)
        steps.append(step)
    return steps


def _edges(steps: list[_Step], warnings: Warnings) -> tuple[tuple[ParsedEdge, ...], set[str]]:
    """The wires whose two ends exist, and the keys of the nodes that they lead to."""
    keys = {step.entry.id: step.key for step in reversed(steps)}
    unique = UniqueTexts(max_length=MAX_EDGE_KEY)
    edges = []
    for step in steps:
        for output, targets in enumerate(step.entry.wires or ()):
            for target in targets:
                if target not in keys:
                    if warnings.only_counted():
                        continue
                    message = _('The wire from output {output} to "{target}" is left out: there is no such entry.')
                    text = message.format(output=output, target=shown(target))
                    warnings.append(FileWarning(step.where, text, "dangling"))
                    continue
                edges.append(
                    ParsedEdge(
                        key=unique.take(f"{step.key}--{keys[target]}"),
                        source=step.key,
                        source_handle=f"out-{output}",
                        target=keys[target],
                        target_handle="in-0",
                        label=output_label(step.raw, output),
                        sheet=step.sheet,
                    )
                )
    return tuple(edges), {edge.target for edge in edges}


def _parsed_nodes(steps: list[_Step], wired: set[str], warnings: Warnings) -> tuple[ParsedNode, ...]:
    rectangles = [rectangle(step.entry.type, step.title, step.raw) for step in steps]
    positions = grid.fill((step.sheet, box.position) for step, box in zip(steps, rectangles, strict=True))
    parsed = []
    for step, box, (x, y) in zip(steps, rectangles, positions, strict=True):
        is_note = step.entry.type in NOTE_TYPES
        data = {field: value for field, value in step.raw.items() if field not in _OWN_COLUMNS}
        process = ""
        if is_note:
            info = data.pop("info", "")
            parts = (step.entry.name or "", info if isinstance(info, str) else "")
            data |= {"kind": step.entry.type, "content": "\n\n".join(part for part in parts if part)}
        elif isinstance(data.get(field := CODE_FIELDS.get(step.entry.type, "")), str):
            process = data.pop(field)
        if "credentials" in step.raw:
            message = _("The credentials are left out.")
            warnings.append(FileWarning(step.where, message, "secret_left_out"))
        if step.key != step.entry.id:
            data["id"] = step.entry.id
        parsed.append(
            ParsedNode(
                key=step.key,
                type="note" if is_note else step.entry.type,
                sheet=step.sheet,
                name=said(step.title[:MAX_NAME]),
                process=process,
                data=data,
                handles={} if is_note else handles(step.entry.type, step.raw, step.key in wired),
                pos_x=x,
                pos_y=y,
                width=box.width,
                height=box.height,
            )
        )
    return tuple(parsed)
