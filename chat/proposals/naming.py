"""Which object a proposal is about: the conversation's, or the one that its action names."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from graphs.models import Object
from graphs.objects.actions import Action, CreateObject, MoveObject, ObjectAction, steps_of
from graphs.objects.headers import object_for
from graphs.objects.refs import Ref
from graphs.objects.refusals import ChangeRefused
from graphs.site.access import Member, NotFound


def named_objects(member: Member, action: Action) -> list[Object]:
    """The objects that the action names and that the member may see, in its order; the others are left out."""
    found: dict[Ref, Object] = {}
    for step in _object_steps(action):
        for ref in _refs(step):
            try:
                found.setdefault(ref, object_for(member, ref))
            except NotFound:
                continue
    return list(found.values())


def object_of(member: Member, about: Object | None, action: Action, named: Sequence[Object]) -> Object:
    """What the proposal is about; one without a primary key is what it would create.

    It is the conversation's object if the action changes that, else the first one that it names. Raises
    `ChangeRefused`.
    """
    steps = list(_object_steps(action))
    here = about is not None and any(found.pk == about.pk for found in named)
    if about is not None and (here or len(steps) < len(steps_of([action]))):
        return about
    if len(steps) < len(steps_of([action])):
        raise ChangeRefused(_("This conversation is about no graph. Name the objects, with the tools for objects."))
    if named:
        return named[0]
    if about is not None:
        return about
    step = steps[0]
    if isinstance(step, CreateObject):
        return Object(workspace_id=member.workspace.pk, type=step.kind, key=step.key or "")
    raise ChangeRefused(_("There is no {object}.").format(object=f'"{step.object}"'))


def _object_steps(action: Action) -> Iterator[ObjectAction]:
    return (step for step in steps_of([action]) if isinstance(step, ObjectAction))


def _refs(step: ObjectAction) -> Iterator[Ref]:
    if not isinstance(step, CreateObject):
        yield step.ref
    if isinstance(step, CreateObject | MoveObject) and step.parent:
        yield Ref.parse(step.parent)
