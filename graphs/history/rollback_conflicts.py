"""What stands in the way of a rollback, by name: which field of what, and who edited it since, when, to what."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext as _

from graphs.history.rollback import ObjectRollback, Plan
from graphs.history.undo import Clash
from graphs.models import ChangeSet, Modification, Object, Revision
from graphs.objects.kinds import KINDS, is_object
from graphs.objects.refs import Ref
from graphs.objects.stores import find

#: Of more nobody reads; they are counted.
MOST_NAMED = 100

#: A step, with those of its clashes that are named.
_Met = tuple[ObjectRollback, Sequence[Clash]]


@dataclass(frozen=True, slots=True)
class NamedClash:
    """A clash in the object `of`, for people, with the latest edit since, if there is one."""

    of: str
    clash: Clash
    label: str
    changed_by: str = ""
    changed_at: datetime | None = None
    change_set_id: str = ""

    @property
    def field_label(self) -> str:
        kind = KINDS.get(self.clash.item.type)
        names = {field.name: field.label for field in kind.fields} if kind else {}
        return str(names.get(self.clash.field, ""))

    @property
    def sentence(self) -> str:
        other = self.clash.by.key if self.clash.by else str(self.clash.expected)
        match self.clash.code:
            case "changed":
                return _("It was changed since.")
            case "gone":
                return _("It was deleted since.")
            case "recreated":
                return _("There is another one with this key by now.")
            case "connected":
                return _("“%(key)s” was connected to it since.") % {"key": other}
            case "missing":
                return _("“%(key)s” is not there any more.") % {"key": other}
            case "unfit":
                return self.clash.why
            case "used" if self.clash.by and self.clash.by.type not in KINDS:  # of a model that nobody registered
                return _("“%(key)s” still belongs to it.") % {"key": self.clash.by.type}
            case "used" if self.clash.by and is_object(self.clash.by.type):
                kind = KINDS[self.clash.by.type]
                return _("“%(key)s” still belongs to it.") % {"key": kind.label if kind.may_see else other}
            case "used":
                return _("“%(key)s” still has this type.") % {"key": other}


def named(plan: Plan) -> list[NamedClash]:
    """The first of what stands in the way of a rollback, object by object; `conflict_count` is of all.

    It takes as many queries for many objects as for few, but for the names of parts.
    """
    gone = [NamedClash(r.key, Clash("gone", r, ""), label) for r, label in islice(plan.gone.items(), MOST_NAMED)]
    met = _first(plan.steps, MOST_NAMED - len(gone))
    since, put_there = _later_edits(plan, met), _put_there(plan, met)
    again = _made_again([step.object for step, clashes in met if any(_is_again(step, one) for one in clashes)])
    found = gone
    for step, clashes in met:
        names = step.names({clash.item for clash in clashes})
        for clash in clashes:
            if _is_again(step, clash):
                by = again.get(clash.item)
            elif clash.code == "used":
                by = put_there.get(clash.by) if clash.by else None
            else:
                by = since.get((step.object.pk, *_edited(clash)))
            edit = (by.actor_label, by.created_at, str(by.pk)) if by else ()
            found.append(NamedClash(step.object.key, clash, names.get(clash.item, clash.item.key), *edit))
    return found


def _first(steps: Iterable[ObjectRollback], most: int) -> list[_Met]:
    """The steps with clashes, each with as many as are named of it."""
    met: list[_Met] = []
    for step in steps:
        if most and step.undone.clashes:
            met.append((step, step.undone.clashes[:most]))
            most -= len(met[-1][1])
    return met


def _is_again(step: ObjectRollback, clash: Clash) -> bool:
    """Whether it is another object that has the name by now."""
    return clash.code == "recreated" and clash.item == Ref(step.object.type, step.object.key)


def _made_again(gone: Sequence[Object]) -> Mapping[Ref, ChangeSet]:
    """What made the objects that have these names now, which are others. Of some no history tells."""
    if not gone:
        return {}
    there = find(gone[0].workspace_id, [Ref(each.type, each.key) for each in gone])
    by_pk = {each.pk: ref for ref, each in there.items()}
    of_each = {"type__in": {ref.type for ref in there}, "object__in": by_pk.keys()}
    made = Modification.objects.filter(**of_each, kind=F("type"), action=Modification.Action.CREATE)
    first = Revision.objects.filter(**of_each).order_by("type", "object", "version").distinct("type", "object")
    # Of one that was imported the history has only its first version.
    rows: list[Modification | Revision] = [
        *first.select_related("change_set"),
        *made.order_by("type", "object", "version").select_related("change_set"),
    ]
    return {by_pk[row.object]: row.change_set for row in rows}


def _edited(clash: Clash) -> tuple[Ref, str]:
    """Which modification made the clash: of a field, or one by which an item came or went."""
    match clash.code:
        case "changed":
            return clash.item, clash.field
        case "missing" if (names := KINDS[clash.item.type].field(clash.field).names) in KINDS:
            return Ref(names, clash.expected), ""
        case "connected" | "used" | "unfit":
            return clash.by or clash.item, ""
        case _:
            return clash.item, ""


def _later_edits(plan: Plan, met: Sequence[_Met]) -> Mapping[tuple[int, Ref, str], ChangeSet]:
    """What changed last, but for what is taken back, by the object of the clash, the item and the field."""
    where = Q(pk__in=())
    for step, clashes in met:
        for item, field in {_edited(clash) for clash in clashes if clash.code != "used"}:
            where |= Q(type=step.object.type, object=step.object.pk, kind=item.type, key=item.key, field=field)
    rows = _since(plan, where).order_by("type", "object", "kind", "key", "field", "-version")
    latest = rows.distinct("type", "object", "kind", "key", "field")
    return {(row.object, Ref(row.kind, row.key), row.field): row.change_set for row in latest}


def _put_there(plan: Plan, met: Sequence[_Met]) -> Mapping[Ref, ChangeSet]:
    """What made the users of objects, or put them there, last; they may be parts of other objects."""
    users = {clash.by for _step, clashes in met for clash in clashes if clash.code == "used" and clash.by}
    if not users:
        return {}
    workspace = met[0][0].object.workspace_id
    where = Q(pk__in=())
    for user, of in find(workspace, [user for user in users if is_object(user.type)]).items():
        where |= Q(type=of.type, object=of.pk, kind=user.type, key=user.key)
    parts = [user for user in users if user.type in KINDS and not is_object(user.type)]
    if parts:
        named_so = {"kind__in": {part.type for part in parts}, "key__in": {part.key for part in parts}}
        where |= Q(change_set__workspace=workspace, **named_so)
    rows = _since(plan, where).filter(field="").order_by("kind", "key", "-id")
    return {Ref(row.kind, row.key): row.change_set for row in rows.distinct("kind", "key")}


def _since(plan: Plan, where: Q) -> "QuerySet[Modification]":
    return Modification.objects.filter(where).exclude(change_set__in=plan.done.change_sets).select_related("change_set")
