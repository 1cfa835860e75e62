"""Rollbacks as the API takes and answers them."""

from datetime import datetime
from functools import partial
from typing import Annotated, Any, Self

from pydantic import Field

from graphs.history.bounded_diffs import MOST_OF_ONE, Room, beginnings, bounded
from graphs.history.diffs import DiffEntry, diff_in
from graphs.history.rollback import Plan
from graphs.history.rollback_conflicts import NamedClash, named
from graphs.history.undo import Code
from graphs.history.value_words import Told, ValueWords, with_titles, words_of
from graphs.objects.ref_body import RefBody
from graphs.objects.refs import ObjectName
from graphs.site.access import Member
from graphs.site.api.bodies import Body
from graphs.site.shapes import AsItIs, Shape

#: Entries of a diff in one answer.
MOST_ENTRIES = 1_000


# One without a name is not found, as any other that is not there.
class NamedObject(RefBody):
    type: str = Field(max_length=30)
    id: str = Field(max_length=250)


class LeaveOut(Body):
    """A field that stays as it is; without one, the whole item. `graph` is needed where several have such an item."""

    object: NamedObject
    field: str = Field("", max_length=100)
    graph: str | None = Field(None, max_length=100)


class RollbackBody(Body):
    preview: bool = False
    leave_out: list[LeaveOut] = Field([], max_length=10_000)
    reason: str = Field("", max_length=2_000)
    digest: str | None = Field(None, max_length=64)


class ScopeBody(Body):
    """Exactly one of them; `asOf` (a moment) and `version` go with `object`."""

    modification: int | None = Field(None, ge=1, le=2**63 - 1)
    turn: str | None = Field(None, max_length=100)
    session: str | None = Field(None, max_length=100)
    change_sets: list[Annotated[str, Field(max_length=100)]] | None = Field(None, min_length=1, max_length=100)
    object: NamedObject | None = None
    as_of: str | None = Field(None, max_length=40)
    version: int | None = Field(None, ge=1, le=2**31 - 1)


class ScopedRollbackBody(RollbackBody):
    scope: ScopeBody


class GraphDiffEntry(DiffEntry):
    graph: str


class ConflictShape(Shape):
    graph: str
    object: ObjectName
    field: str
    label: str
    field_label: str
    code: Code
    detail: str
    expected: Any
    found: Any
    changed_by: str | None
    changed_at: datetime | None
    change_set_id: str | None
    cut: bool | None = None
    titles: dict[str, str] | None = None
    names: dict[str, str] | None = None

    @classmethod
    def of_all(cls, plan: Plan, reader: Member, room: Room | None = None) -> list[Self]:
        """The clashes that are named, with what keys in their values lead to."""
        clashes = named(plan)
        told = [Told(each.clash.item, each.clash.field, (each.clash.expected, each.clash.found)) for each in clashes]
        words = words_of(told, reader.workspace.pk, reader)
        shared = room or Room()
        return [cls.of(clash, shared, beside) for clash, beside in zip(clashes, words, strict=True)]

    @classmethod
    def of(cls, named_clash: NamedClash, room: Room | None = None, words: ValueWords | None = None) -> Self:
        """A clash, of whose values there are beginnings where they find no room: it is `cut` then."""
        clash = named_clash.clash
        expected, found = clash.expected, clash.found
        whole = (room or Room()).takes(expected, found)
        if not whole:
            expected, found = beginnings(expected, found)
        return cls(
            graph=named_clash.of,
            object=clash.item.to_json(),
            field=clash.field,
            label=named_clash.label,
            field_label=named_clash.field_label,
            changed_at=named_clash.changed_at,
            code=clash.code,
            detail=named_clash.sentence,
            expected=expected,
            found=found,
            changed_by=named_clash.changed_by or None,
            change_set_id=named_clash.change_set_id or None,
            **({} if whole else {"cut": True}),
            **(words or {}),
        )


class LeftOutShape(Shape):
    graph: str
    object: ObjectName
    field: str


class PreviewShape(Shape):
    diff: AsItIs[list[GraphDiffEntry]]
    total: int
    conflicts: list[ConflictShape]
    conflict_count: int
    left_out: list[LeftOutShape]
    digest: str

    @classmethod
    def of(cls, plan: Plan, reader: Member) -> Self:
        """What a rollback would do: the first entries, and of one that is alone as much as is ever shown.

        Of what stands in its way the first is named, and all is counted.
        """
        total = len(plan.operations)
        room = Room(MOST_OF_ONE) if total == 1 else Room()
        diff: list[DiffEntry] = []
        graphs: list[str] = []
        for step in plan.steps:
            shown = step.undone.operations[: MOST_ENTRIES - len(diff)]
            entries = bounded(shown, room, partial(diff_in, step.object, names=step.names))
            diff += entries
            graphs += [step.object.key] * len(entries)
        titled = with_titles(diff, reader.workspace.pk, reader)
        left_out = [
            LeftOutShape(graph=step.object.key, object=left.item.to_json(), field=left.field)
            for step in plan.steps
            for left in step.undone.left
        ]
        return cls(
            diff=[{**entry, "graph": graph} for entry, graph in zip(titled, graphs, strict=True)],
            total=total,
            conflicts=ConflictShape.of_all(plan, reader, room),
            conflict_count=plan.conflict_count,
            left_out=left_out,
            digest=plan.digest,
        )


def conflicts_of(plan: Plan, reader: Member) -> dict[str, Any]:
    """What stands in the way of a rollback, as its refusal tells it."""
    told = [each.to_json() for each in ConflictShape.of_all(plan, reader)]
    return {"conflicts": told, "conflictCount": plan.conflict_count}
