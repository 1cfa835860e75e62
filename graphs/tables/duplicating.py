"""Duplicates an object of any kind, and with it, if that is asked for, the objects that it holds."""

from collections.abc import Sequence
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

from graphs.history import editing
from graphs.models import Object
from graphs.objects.actions import ChangeRefused, CreateObject
from graphs.objects.asked_values import refuse_oversized, refuse_too_much
from graphs.objects.headers import children_of, listed, parent_of, ref_of, require_may_edit_all
from graphs.objects.kinds import KINDS, Kind, store_of
from graphs.objects.marks import mark_of
from graphs.objects.model_rows import row_of
from graphs.objects.model_values import record_of
from graphs.objects.object_plan import MAX_OPERATIONS, ObjectPlan
from graphs.objects.one_by_one import refuse_many
from graphs.objects.operations import Create, Operation, Record
from graphs.objects.refs import Ref
from graphs.objects.stores import find
from graphs.site.access import Member, or_not_found
from graphs.tables.columns import PARENT, own_fields


def duplicate(member: Member, of: Object, request: editing.Request, *, children: bool = False) -> Ref:
    """The copy, of which the title says that it is one. Raises what `editing.edit` does."""
    kind = KINDS[of.type]

    def operations(editor: Member) -> Sequence[Operation]:
        now = or_not_found(Object.objects.filter(pk=of.pk).first())
        record = record_of(kind, or_not_found(row_of(now)))
        copies = _Copies(editor, kind)
        copy = copies.make(now, record | {kind.title: _copied(kind, record)}, record.get(PARENT))
        if children:
            copies.make_children(now, copy)
        refuse_too_much(copies.made)
        refuse_oversized(copies.made)
        refuse_many(copies.made)
        require_may_edit_all(editor, copies.made)
        return (*store_of(kind.name).copied_parts(now), *copies.made)

    return editing.create_object(member, kind, request, [of], operations)


class _Copies:
    """What makes the copies, each after the one that holds it. A copy of what is untrusted is so, too."""

    def __init__(self, member: Member, kind: Kind) -> None:
        self.made: list[Operation] = []
        self._member = member
        self._plan = ObjectPlan(Object(workspace=member.workspace, type=kind.name), member)

    def make(self, of: Object, record: Record, parent: str | None) -> Ref:
        if len(self.made) == MAX_OPERATIONS:
            message = _("More than {most} objects would be copied. Copy them in parts.")
            raise ChangeRefused(message.format(most=intcomma(MAX_OPERATIONS)))
        kind = KINDS[of.type]
        holder = parent_of(kind)
        given = {
            "kind": kind.name,
            "parent": str(Ref(holder.name, parent)) if holder and parent else None,
            "fields": {field.name: record[field.name] for field in own_fields(kind) if not field.fixed},
        }
        self._plan.do(CreateObject.model_validate(given))
        made = self._plan.operations[-1]
        assert isinstance(made, Create)
        self.made.append(Create(made.item, made.record | mark_of(of)))
        return made.item

    def make_children(self, of: Object, copy: Ref) -> None:
        """Copies what the object holds, as far as the person may see it, and what is held by that."""
        for kind in children_of(KINDS[of.type]):
            rows: list[Any] = list(listed(self._member, kind, parent=of)[: MAX_OPERATIONS + 1])
            headers = find(self._member.workspace.pk, [ref_of(kind, row) for row in rows])
            for row in rows:
                ref = ref_of(kind, row)
                below = headers.get(ref) or Object(workspace=self._member.workspace, type=ref.type, key=ref.key)
                made = self.make(below, record_of(kind, row), copy.key)
                if children_of(kind):
                    self.make_children(below, made)


def _copied(kind: Kind, record: Record) -> str:
    """What a copy is called, within the limit of its title: "Orders (copy)"."""
    called = _("{name} (copy)")
    limit = kind.field(kind.title).limit
    title = str(record[kind.title] or "")
    return called.format(name=title if limit is None else title[: limit - len(called.format(name=""))])
