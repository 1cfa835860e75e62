"""What stands in the way of a rollback, by name: which field of what, and who edited it since, when, to what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q
from django.utils.translation import gettext as _

from graphs.history.rollback import ObjectRollback, Plan
from graphs.history.undo import Clash
from graphs.models import ChangeSet, Modification, Object, Revision
from graphs.objects.kinds import KINDS, is_object
from graphs.objects.refs import Ref
from graphs.objects.stores import find, labels

#: Clashes whose later edits are looked up.
MOST_NAMED = 200


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
            case "used" if self.clash.by and self.clash.by.type not in KINDS:  # of a model that nobody registered
                return _("“%(key)s” still belongs to it.") % {"key": self.clash.by.type}
            case "used" if self.clash.by and is_object(self.clash.by.type):
                kind = KINDS[self.clash.by.type]
                return _("“%(key)s” still belongs to it.") % {"key": kind.label if kind.may_see else other}
            case "used":
                return _("“%(key)s” still has this type.") % {"key": other}


def named(plan: Plan) -> list[NamedClash]:
    """All that stands in the way of a rollback, object by object."""
    gone = [NamedClash(ref.key, Clash("gone", ref, ""), label) for ref, label in plan.gone.items()]
    return [*gone, *(clash for step in plan.steps for clash in _of_step(plan, step))]


def _of_step(plan: Plan, step: ObjectRollback) -> list[NamedClash]:
    clashes = step.undone.clashes
    if not clashes:
        return []
    names = labels(step.object, {clash.item for clash in clashes})
    edits = _later_edits(plan, step.object, clashes[:MOST_NAMED])
    own = Ref(step.object.type, step.object.key)
    found = []
    for clash in clashes:
        if clash.code == "recreated" and clash.item == own:
            since = _made_again(step.object)
        else:
            edit = edits.get(_edited(clash))
            since = edit.change_set if edit else None
        by = (since.actor_label, since.created_at, str(since.pk)) if since else ()
        found.append(NamedClash(step.object.key, clash, names.get(clash.item, clash.item.key), *by))
    return found


def _made_again(gone: Object) -> ChangeSet | None:
    """What made the object that has this name now, which is another one; None where no history tells."""
    ref = Ref(gone.type, gone.key)
    there = find(gone.workspace_id, [ref]).get(ref)
    if there is None:  # other code made it, and nobody has spoken of it yet
        return None
    here = {"type": there.type, "object": there.pk}
    made = Modification.objects.filter(**here, kind=ref.type, key=ref.key, action=Modification.Action.CREATE)
    # Of one that was imported the history has only its first version.
    last = made.select_related("change_set").order_by("-version").first() or (
        Revision.objects.filter(**here).select_related("change_set").order_by("version").first()
    )
    return last.change_set if last else None


def _edited(clash: Clash) -> tuple[Ref, str]:
    """Which modification made the clash: of a field, or one by which an item came or went."""
    match clash.code:
        case "changed":
            return clash.item, clash.field
        case "missing" if (names := KINDS[clash.item.type].field(clash.field).names) in KINDS:
            return Ref(names, clash.expected), ""
        case "connected" | "used":
            return clash.by or clash.item, ""
        case _:
            return clash.item, ""


def _later_edits(plan: Plan, of: Object, clashes: Sequence[Clash]) -> Mapping[tuple[Ref, str], Modification]:
    wanted = {_edited(clash) for clash in clashes}
    where = Q(type=of.type, object=of.pk)
    if any(clash.code == "used" for clash in clashes):
        where |= Q(change_set__workspace=of.workspace_id)
    rows = (
        Modification.objects.filter(
            where,
            kind__in={item.type for item, _field in wanted},
            key__in={item.key for item, _field in wanted},
            field__in={field for _item, field in wanted},
        )
        .exclude(change_set__in=plan.done.change_sets)
        .order_by("type", "object", "kind", "key", "field", "-version")
        .distinct("type", "object", "kind", "key", "field")
        .select_related("change_set")
    )
    return {(Ref(row.kind, row.key), row.field): row for row in rows}
