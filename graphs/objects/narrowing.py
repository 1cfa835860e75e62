"""Kinds that narrow with `may_see`: a row that a member may not see is to them as if it were absent.

Of what is gone nobody can be asked: nobody sees it but who may look into the admin.
"""

from collections.abc import Iterable

from graphs.objects.headers import parent_of, ref_of, rows_with
from graphs.objects.kinds import KINDS, Kind
from graphs.objects.operations import Record
from graphs.objects.refs import Ref
from graphs.site.access import Forbidden, Member, NotFound


def narrowed() -> list[str]:
    """The names of the kinds of which not everybody sees all."""
    return [kind.name for kind in KINDS.values() if kind.may_see is not None]


def unseen(member: Member, refs: Iterable[Ref]) -> dict[Ref, bool]:
    """The objects that the member may not see, each with whether it is gone."""
    wanted, found = set(refs), {}
    for name in narrowed():
        kind = KINDS[name]
        some = {ref for ref in wanted if ref.type == name}
        rows = rows_with(kind, member.workspace.pk, {ref.key for ref in some})
        there = {ref_of(kind, row): row for row in rows}
        for ref in some:
            if ref not in there:
                found[ref] = True
            elif kind.may_see is not None and not kind.may_see(member, there[ref]):
                found[ref] = False
    return found


def holder_of(member: Member, kind: Kind, record: Record) -> Ref | None:
    """The object that holds one of this kind with this record, if the member may see it."""
    holder, key = parent_of(kind), record.get("parent")
    ref = Ref(holder.name, str(key)) if holder and key is not None else None
    return None if ref is None or unseen(member, [ref]) else ref


def require_seen(member: Member, refs: Iterable[Ref]) -> None:
    """Raises `NotFound` for an object that the member may not see."""
    if unseen(member, refs):
        raise NotFound


def require_editable(member: Member, refs: Iterable[Ref]) -> None:
    """Raises `NotFound` for an object that the member may not see, and `Forbidden` for one that they may not change."""
    some = list(refs)
    require_seen(member, some)
    for ref in some:
        may_edit, rows = KINDS[ref.type].may_edit, rows_with(KINDS[ref.type], member.workspace.pk, [ref.key])
        if may_edit is not None and not all(may_edit(member, row) for row in rows):
            raise Forbidden
