"""An object as its page shows it. What is asked of the database is told beside each part."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Count, Model, QuerySet, Value

from graphs.history.recent import Conversations, FieldChange, changed_by_conversations, conversations_about
from graphs.models import Object
from graphs.object_pages.looks import SHORT, Look, choices_of, look_of
from graphs.objects.headers import children_of, holder_of, listed, may_edit, parent_of, ref_of, url_of
from graphs.objects.kinds import KINDS, Field, Kind
from graphs.objects.model_rows import record_of
from graphs.objects.operations import Record
from graphs.objects.refs import Ref
from graphs.site.access import Member

#: Objects that a page lists of each kind that its object holds.
LISTED = 50


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

    @property
    def json(self) -> str:
        """The value for scripts."""
        return json.dumps(self.value, ensure_ascii=False)

    @property
    def axes_json(self) -> str:
        """The axes for scripts."""
        return json.dumps(list(self.axes), ensure_ascii=False)

    @property
    def choices_json(self) -> str:
        """The choices for scripts."""
        return json.dumps(list(self.choices), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class HeldKind:
    """Objects of one kind that the object holds; `rows` are the first of them, with their addresses."""

    kind: Kind
    count: int
    rows: Sequence[tuple[Any, str]]

    @property
    def is_cut(self) -> bool:
        return self.count > len(self.rows)


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
    def holder(self) -> tuple[Any, str] | None:
        """The row that holds the object, and its address."""
        above = parent_of(self.kind)
        if above is None or holder_of(self.member, self.kind, self.record) is None:
            return None
        row = getattr(self.row, self.kind.parent)
        return row, url_of(above, row)

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
        return [self._shown(field) for field in view.fields if field.name != "parent"]

    @cached_property
    def changes(self) -> Mapping[str, FieldChange]:
        """The fields that a conversation changed lately: one statement."""
        return changed_by_conversations(self.of)

    @cached_property
    def conversations(self) -> Conversations:
        """Those that changed the object: two statements, one where there are none."""
        return conversations_about(self.member, self.of)

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """How much goes with the object, by the names of kinds: one statement."""
        return counts_below(self.kind, self.row)

    @cached_property
    def held(self) -> list[HeldKind]:
        """What the object holds: one statement for each kind."""
        return [self._held(child) for child in children_of(self.kind)]

    @property
    def counts_json(self) -> str:
        """What goes with the object as scripts say it: [what they are called, how many]."""
        named = [(str(KINDS[name].plural), count) for name, count in self.counts.items() if count]
        return json.dumps(named, ensure_ascii=False)

    @property
    def labels_json(self) -> str:
        """What fields are called, for the history."""
        return json.dumps({field.name: str(field.label) for field in self.kind.fields}, ensure_ascii=False)

    def _held(self, child: Kind) -> HeldKind:
        rows = list(listed(self.member, child, parent=self.of)[:LISTED])
        count = max(self.counts.get(child.name, 0), len(rows)) if child.may_see is None else len(rows)
        return HeldKind(child, count, [(row, url_of(child, row)) for row in rows])

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
            self.changes.get(field.name),
        )


def page_of(member: Member, of: Object, row: Model) -> ObjectPage:
    """What the page of an object shows to a member who may see it."""
    return ObjectPage(member, KINDS[of.type], of, row)


def counts_below(kind: Kind, row: Model) -> dict[str, int]:
    """How many objects of each kind go with a row, however deep: those that everybody in the workspace may see."""
    counted = [_counted(child, path, row) for child, path in _below(kind, "") if child.may_see is None]
    if not counted:
        return {}
    return dict(counted[0].union(*counted[1:], all=True))


def _below(kind: Kind, path: str) -> list[tuple[Kind, str]]:
    """The kinds that hang on this one, each with the path of foreign keys that leads up to it."""
    found = []
    for child in children_of(kind):
        if child.model is kind.model:
            continue
        upwards = f"{child.parent}__{path}" if path else child.parent
        found += [(child, upwards), *_below(child, upwards)]
    return found


def _counted(child: Kind, path: str, row: Model) -> QuerySet[Any, Any]:
    rows = child.model._default_manager.filter(**{path: row.pk}).order_by()
    return rows.annotate(of=Value(child.name)).values("of").annotate(count=Count("pk")).values_list("of", "count")


def _as_shown(look: Look, value: Any, choices: Sequence[tuple[str, str]], axes: Sequence[Mapping[str, Any]]) -> Any:
    """The value as the template shows it; None where there is nothing."""
    match look.name:
        case "choice":
            return dict(choices).get(value, value)
        case "texts":
            return [value] if isinstance(value, str) and value else [str(text) for text in value or ()]
        case "scores":
            return _rated(value, axes)
        case "json":
            return None if value is None else json.dumps(value, ensure_ascii=False, indent=2)
    return value


def _rated(value: Any, axes: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each axis with its rating, and ratings of axes that are not there any more behind them."""
    scores = {str(score.get("axisId")): score for score in value or () if isinstance(score, dict)}
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
