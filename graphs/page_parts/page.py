"""An object as its page shows it. What is asked of the database is told beside each part."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db.models import Count, Model, Subquery, Value, Window
from django.db.models.functions import Coalesce

from graphs.history.diffs import names_of
from graphs.history.recent import Conversations, FieldChange, RecentChanges, recent_changes
from graphs.models import Object
from graphs.objects.headers import (
    children_of,
    held_by,
    holder_of,
    listed,
    may_edit,
    parent_of,
    ref_of,
    title_of,
    url_of,
)
from graphs.objects.kinds import KINDS, Field, Kind
from graphs.objects.model_values import record_of
from graphs.objects.operations import Record
from graphs.objects.refs import Ref
from graphs.page_parts.looks import SHORT, Look, choices_of, look_of
from graphs.site.access import Member
from graphs.site.readable_json import beginning

#: Objects that a page lists of each kind that its object holds.
LISTED = 50
#: Characters of JSON that a page shows; its editor has it whole.
JSON_SHOWN = 20_000


@dataclass(frozen=True, slots=True)
class ShownField:
    """`shown` is the value as the template shows it, by the name of the look."""

    path: str
    label: str
    look: Look
    value: Any
    shown: Any
    limit: int | None
    is_fixed: bool
    choices: Sequence[tuple[str, str]] = ()
    axes: Sequence[Mapping[str, Any]] = ()
    change: FieldChange | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def json(self) -> str:
        """The value for scripts."""
        return json.dumps(self.value, ensure_ascii=False)

    @property
    def axes_json(self) -> str:
        """The axes for scripts."""
        return json.dumps(list(self.axes), ensure_ascii=False)

    @property
    def names_json(self) -> str:
        """What keys within the value are called, for scripts."""
        return json.dumps(self.names, ensure_ascii=False)

    @property
    def choices_json(self) -> str:
        """The choices for scripts."""
        return json.dumps(list(self.choices), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class HeldKind:
    """Objects of one kind that the object holds; `rows` are the first of them, with their addresses.

    `below` is how much of other kinds these hold.
    """

    kind: Kind
    count: int
    rows: Sequence[tuple[Any, str]]
    below: Sequence[tuple[Kind, int]] = ()


@dataclass(frozen=True)
class ObjectPage:
    """What a page shows of an object. `of` is its header, which has the version."""

    member: Member
    kind: Kind
    of: Object
    row: Any

    @property
    def ref(self) -> Ref:
        return ref_of(self.kind, self.row)

    @cached_property
    def record(self) -> Record:
        return record_of(self.kind, self.row)

    @cached_property
    def title(self) -> str:
        return self.kind.name_of(self.record) or self.ref.key

    @cached_property
    def may_edit(self) -> bool:
        return may_edit(self.member, self.of)

    @cached_property
    def holders(self) -> list[tuple[Any, str]]:
        """The rows that hold the object, the outermost first, with their addresses. One statement each but for one."""
        found: list[tuple[Any, str]] = []
        kind, row, record = self.kind, self.row, self.record
        while (above := parent_of(kind)) and holder_of(self.member, kind, record) is not None:
            row = getattr(row, kind.parent)
            kind, record = above, record_of(above, row)
            found.insert(0, (row, url_of(kind, row)))
        return found

    @property
    def holder(self) -> tuple[Any, str] | None:
        """The row that holds the object, and its address."""
        return self.holders[-1] if self.holders else None

    @property
    def place_of_holder(self) -> str:
        """The title of what holds the object's holder: "" for nothing."""
        above = parent_of(self.holder_kind) if self.holder_kind else None
        return title_of(above, self.holders[-2][0]) if above and len(self.holders) > 1 else ""

    @property
    def holds_json(self) -> str:
        """What is called as the holder's children are, for scripts: {name of the kind: several of it}."""
        children = children_of(self.holder_kind) if self.holder_kind else []
        return json.dumps({child.name: str(child.plural) for child in children}, ensure_ascii=False)

    @property
    def holder_kind(self) -> Kind | None:
        """The kind of what may hold the object."""
        return parent_of(self.kind)

    @cached_property
    def views(self) -> list[Kind]:
        """The kinds that are some fields of this one."""
        return [each for each in KINDS.values() if each.view_of == self.kind.name]

    @cached_property
    def fields(self) -> list[ShownField]:
        """Those that are not its title, and not of a view: the short ones first."""
        elsewhere = {field.name for view in self.views for field in view.fields} | {"parent", self.kind.title}
        shown = [self._shown(field) for field in self.kind.fields if field.name not in elsewhere]
        return sorted(shown, key=lambda field: field.look.name not in SHORT)

    @cached_property
    def title_field(self) -> ShownField:
        return self._shown(self.kind.field(self.kind.title))

    def fields_of(self, view: Kind) -> list[ShownField]:
        """Those of a view, without what stands above them."""
        return [self._shown(field) for field in view.fields if field.name not in ("parent", self.kind.title)]

    @cached_property
    def recent(self) -> RecentChanges:
        """What conversations did to the object: one statement."""
        return recent_changes(self.of)

    @cached_property
    def conversations(self) -> Conversations:
        """Those that changed the object: one statement if there are some."""
        return self.recent.conversations(self.member)

    @cached_property
    def held(self) -> list[HeldKind]:
        """What the object holds: one statement for each kind."""
        return [held_in(self.member, self.of, child) for child in children_of(self.kind)]

    @property
    def counts_json(self) -> str:
        """What goes with the object as scripts say it: [what they are called, how many]."""
        counts = [count for held in self.held for count in ((held.kind, held.count), *held.below)]
        named = [(str(kind.plural), count) for kind, count in counts if count]
        return json.dumps(named, ensure_ascii=False)

    @property
    def labels_json(self) -> str:
        """What fields are called, for the history."""
        return json.dumps({field.name: str(field.label) for field in self.kind.fields}, ensure_ascii=False)

    def _shown(self, field: Field) -> ShownField:
        look, value = look_of(self.kind, field), self.record[field.name]
        choices = choices_of(self.kind, field) if look.name == "choice" else []
        axes = look.axes(self.row) if look.axes else []
        return ShownField(
            field.name,
            str(field.label),
            look,
            value,
            _as_shown(look, value, choices, axes),
            field.limit,
            field.fixed,
            choices,
            axes,
            self.recent.fields.get(field.name),
            names_of(field),
        )


def page_of(member: Member, of: Object, row: Model) -> ObjectPage:
    """What the page of an object shows to a member who may see it."""
    return ObjectPage(member, KINDS[of.type], of, row)


def held_in(member: Member, of: Object, kind: Kind) -> HeldKind:
    """What an object holds of a kind, and how much of others is below that: one statement."""
    below = _below(kind, kind.parent)
    counts: dict[str, Any] = {f"count_{child.name}": _count(child, path, of) for child, path in below}
    rows = list(listed(member, kind, parent=of).annotate(count_here=Window(Count("pk")), **counts)[:LISTED])
    count = rows[0].count_here if rows else 0
    found = [(child, getattr(rows[0], f"count_{child.name}") if rows else 0) for child, _path in below]
    return HeldKind(kind, count, [(row, url_of(kind, row)) for row in rows], found)


def _below(kind: Kind, path: str) -> list[tuple[Kind, str]]:
    """The kinds that everybody may see and that hang on this one, each with the path that leads up to the object."""
    found = []
    for child in children_of(kind):
        if child.model is not kind.model and child.may_see is None:
            upwards = f"{child.parent}__{path}"
            found += [(child, upwards), *_below(child, upwards)]
    return found


def _count(child: Kind, path: str, of: Object) -> Coalesce:
    rows = child.model._default_manager.filter(held_by(of, path)).order_by()
    counted = rows.annotate(all=Value(1)).values("all").annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counted), 0)


def _as_shown(look: Look, value: Any, choices: Sequence[tuple[str, str]], axes: Sequence[Mapping[str, Any]]) -> Any:
    """The value as the template shows it; None where there is nothing."""
    match look.name:
        case "choice":
            return dict(choices).get(value, value)
        case "texts":
            return _texts(value)
        case "scores":
            return _rated(value, axes)
        case "json":
            return None if value is None else beginning(value, JSON_SHOWN)
    return value


def _texts(value: Any) -> list[str]:
    """A text in the place of a list is the only one of it."""
    given = value if isinstance(value, list) else [value] if value not in (None, "") else []
    return [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in given]


def _rated(value: Any, axes: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each axis with its rating, and ratings of axes that are not there any more behind them."""
    given = value if isinstance(value, list) else []
    scores = {str(score.get("axisId")): score for score in given if isinstance(score, dict)}
    rows = [_row_of_score(str(axis.get("id")), axis, scores.pop(str(axis.get("id")), {})) for axis in axes]
    return [*rows, *(_row_of_score(id_, None, score) for id_, score in scores.items())]


def _row_of_score(id_: str, axis: Mapping[str, Any] | None, score: Mapping[str, Any]) -> dict[str, Any]:
    levels = {level.get("rating"): level.get("label", "") for level in (axis or {}).get("levels") or ()}
    rating = score.get("rating")
    return {
        "id": id_,
        "name": (axis or {}).get("name", id_),
        "is_gone": axis is None,
        "rating": rating,
        "level": levels.get(rating, ""),
        "description": score.get("description") or "",
    }
