"""From what is asked for to operations, for objects of any kind: a dry run in which later actions see earlier ones."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

from graphs.models import Object
from graphs.objects.actions import (
    MAX_ACTIONS,
    NAMES,
    Action,
    ChangeRefused,
    ObjectAction,
    steps_of,
)
from graphs.objects.asked_values import (
    refuse_changes_of_deleted,
    refuse_oversized,
    refuse_too_much,
)
from graphs.objects.kinds import is_object, store_of
from graphs.objects.object_plan import ObjectPlan
from graphs.objects.operations import Planned, net
from graphs.objects.refs import Ref
from graphs.objects.stores import refuse_unfit, require_room
from graphs.site.access import Member
from graphs.site.preview_places import require_time

#: Operations before those of one item are put together: each action may move what another one has moved.
MAX_BEFORE_NET = 50_000
#: Actions of one plan that concern whole objects: each of these is read, checked and saved through its model. Updates
#: of rows that are read together and saved together do not count: they take as many statements as one.
MAX_OBJECTS = 200


def plan(
    around: Object,
    asked: Sequence[Action],
    reserved: Callable[[], Collection[str]] = frozenset,
    member: Member | None = None,
    known: Mapping[Ref, Object] | None = None,
) -> Planned:
    """What these actions would do, one after the other, with one operation for each item.

    Actions of the kind of `around` concern that object; those of objects in general name theirs, in its workspace.
    New parts get no `reserved` key. Objects that the member may not see are absent. Headers may be `known`, as they
    are now. Raises `ChangeRefused`.
    """
    steps = steps_of(list(asked))
    if len(steps) > MAX_ACTIONS:
        message = _("{count} actions at once are too many; at most {most} are possible.")
        raise ChangeRefused(message.format(count=intcomma(len(steps)), most=intcomma(MAX_ACTIONS)))
    object_plan = ObjectPlan(around, member)
    object_plan.look_ahead([step for step in steps if isinstance(step, ObjectAction)], known or {})
    own = [step for step in steps if not isinstance(step, ObjectAction)]
    do: Callable[[Any], None] = store_of(around.type).planner(object_plan, own, reserved) if own else object_plan.do
    _take(object_plan, steps, do)
    for finish in object_plan.at_end:
        finish()
    try:
        operations = net(object_plan.operations)
    except ValueError as contradiction:
        raise ChangeRefused(_("These actions contradict each other.")) from contradiction
    if not operations:
        raise ChangeRefused(_("Nothing would change: everything is like this already."))
    object_plan.require_few(operations)
    refuse_too_much(operations)
    refuse_oversized(operations)
    require_room(around.workspace_id, operations)
    refuse_changes_of_deleted(around, operations)
    refuse_unfit(around, operations)
    # The object's own fields after its parts.
    ordered = sorted(operations, key=lambda each: each.item == Ref(around.type, around.key))
    return Planned(tuple(ordered), tuple(object_plan.targets.values()), object_plan.headers, object_plan.rows)


def _take(object_plan: ObjectPlan, steps: Sequence[Action], do: Callable[[Any], None]) -> None:
    """Takes the steps in the order asked. Raises `ChangeRefused` with what is wrong with any of them."""
    problems: list[str] = []
    objects = 0
    for number, step in enumerate(steps, start=1):
        require_time()
        before = len(object_plan.operations)
        try:
            object_plan.do(step) if isinstance(step, ObjectAction) else do(step)
        except ChangeRefused as refused:
            where = _("Action {number} ({name})").format(number=number, name=NAMES[type(step)])
            problems += [p if len(steps) == 1 else f"{where}: {p}" for p in refused.problems]
        if not object_plan.is_together(step):
            objects += any(is_object(each.item.type) for each in object_plan.operations[before:])
        if objects > MAX_OBJECTS:
            message = _("More than {most} actions make, change or delete whole objects. Do it in parts.")
            raise ChangeRefused(message.format(most=intcomma(MAX_OBJECTS)))
        if len(object_plan.operations) - object_plan.going_along > MAX_BEFORE_NET:
            message = _("These actions take more than {most} steps. Do it in parts.")
            raise ChangeRefused(message.format(most=intcomma(MAX_BEFORE_NET)))
    if problems:
        raise ChangeRefused(*problems)
