"""Changes as the admin shows them: item by item, field by field, old beside new."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.utils.functional import Promise

from graphs.admin.display import pretty
from graphs.admin.side_by_side import Row, beginning, side_by_side
from graphs.history.bounded_diffs import Room, bounded
from graphs.history.diffs import DiffEntry, DiffField, diff_of, labelled
from graphs.history.scopes import operation_of
from graphs.models import Modification
from graphs.objects.kinds import KINDS
from graphs.objects.operations import net
from graphs.objects.refs import Ref


@dataclass(frozen=True, slots=True)
class ShownField:
    """`modification` is the row of the history that is this field's alone."""

    label: str
    form: str
    rows: tuple[Row, ...]
    modification: int | None = None

    @property
    def short(self) -> bool:
        """Whether it fits into a line."""
        return len(self.rows) == 1 and self.form not in {"code", "json"}

    @property
    def folded(self) -> bool:
        return any(row.folded for row in self.rows)


@dataclass(frozen=True, slots=True)
class ShownItem:
    """What became of one item; `kind` and `action_label` are words for people."""

    kind: str | Promise
    key: str
    label: str
    action: str
    action_label: str | Promise
    fields: tuple[ShownField, ...]
    modification: int | None = None


def of_modifications(rows: Sequence[Modification], labels: Mapping[Ref, str], whole: bool = False) -> list[ShownItem]:
    """Rows of one change set, which can be taken back one by one. `labels` are what items are called."""
    ids = {(row.kind, row.key, row.field): row.pk for row in rows}
    operations = net(map(operation_of, rows))
    diff = diff_of(operations, labels) if whole else bounded(operations, Room(), partial(diff_of, names=labels))
    return [_item(entry, ids, whole) for entry in diff]


def of_diff(entries: Iterable[DiffEntry], whole: bool = False) -> list[ShownItem]:
    """Entries of `graphs.history.diffs.diff_of`, also those that were stored."""
    return [_item(entry, {}, whole) for entry in labelled(entries)]


def _item(entry: DiffEntry, ids: Mapping[tuple[str, str, str], int], whole: bool) -> ShownItem:
    kind, key, action = entry["object"]["type"], entry["object"]["id"], Modification.Action(entry["action"])
    return ShownItem(
        kind=KINDS[kind].label if kind in KINDS else kind,
        key=key,
        label=entry["label"],
        action=action.value,
        action_label=action.label,
        fields=tuple(_field(field, ids.get((kind, key, field["field"])), whole) for field in entry["fields"]),
        modification=ids.get((kind, key, "")),
    )


def _field(field: DiffField, modification: int | None, whole: bool) -> ShownField:
    form, lines, cut = field["form"], field.get("lines"), field.get("cut")
    if cut and lines:
        rows = beginning(lines, (field.get("added") or 0) + (field.get("removed") or 0))
    else:
        told = "text" if cut else form
        old, new = _text(told, field["old"], field.get("oldTitle")), _text(told, field["new"], field.get("newTitle"))
        rows = side_by_side(old, new, whole)
    return ShownField(field["label"], form, tuple(rows), modification)


def _text(form: str, value: Any, title: str | None = None) -> str:
    if value is None:
        return ""
    if title:
        return f"{title} ({value})"
    return pretty(value) if form == "json" else str(value)
