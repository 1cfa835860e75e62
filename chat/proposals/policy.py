"""Whether a person is asked before a change: if one of six levels says so, or if no allowance covers it.

Where a conversation has read from outside its workspace, or what it changes came from there, no allowance counts.
"""

from collections.abc import Collection, Sequence
from itertools import product
from typing import Any

from django.db.models import Q

from chat.models import Allowance, Session, SessionType, ValidationRule
from chat.proposals.proposal_json import AskedShape, Level
from graphs.models import Object
from graphs.objects.kinds import is_object
from graphs.objects.operations import Create, Operation, Update
from graphs.objects.refs import Ref
from graphs.objects.stores import find

Asked = list[AskedShape]
#: Values that say nothing.
EMPTY: tuple[Any, ...] = (None, "", [], {})


def asked_by(
    session: Session,
    of: Object,
    tool: str,
    operations: Sequence[Operation],
    request_validation: bool,
    steps: Collection[str] = (),
) -> Asked:
    """The levels that want a person to decide, `{level, why}`; else the first field that no allowance covers.

    `steps` are the tools that a batch is made of.
    """
    levels = asked_in_any_case(session, of, tool, request_validation, steps, operations)
    if levels or (session.type == SessionType.GENERATION and _fills_what_is_empty(operations)):
        return levels
    allowances = Allowance.objects.filter(workspace=of.workspace_id, tool=tool)
    given = set(allowances.values_list("kind", "field", "object_key", "item_key"))
    for operation in operations:
        kind, key = operation.item
        # A second object is covered by its own key.
        holders, items = ("", key if is_object(kind) else of.key), ("", key)
        for field in operation.new if isinstance(operation, Update) else ("",):
            if given.isdisjoint(product([kind], ["", field], holders, items)):
                return [{"level": "default", "why": f"{kind}.{field}" if field else kind}]
    return []


def asked_in_any_case(
    session: Session,
    of: Object,
    tool: str,
    request_validation: bool,
    steps: Collection[str] = (),
    operations: Sequence[Operation] = (),
) -> Asked:
    """The levels that want a person to decide whatever the fields, and whoever allowed them."""
    rules = ValidationRule.objects.filter(
        Q(workspace=None) | Q(workspace=of.workspace_id), tool__in=["", tool, *steps]
    ).select_related("workspace")
    levels: Asked = []
    for rule in sorted(rules, key=lambda rule: (rule.tool, rule.workspace_id or 0)):
        where = rule.workspace.slug if rule.workspace else ""
        level: Level = "tool" if rule.tool else "workspace" if where else "app"
        levels.append({"level": level, "why": rule.tool or where})
    if session.require_validation:
        levels.append({"level": "session", "why": str(session.pk)})
    if request_validation:
        levels.append({"level": "request", "why": tool})
    if session.untrusted_since is not None:
        levels.append({"level": "untrusted", "why": session.untrusted_source})
    elif source := _untrusted(of, operations):
        levels.append({"level": "untrusted", "why": source})
    return levels


def _fills_what_is_empty(operations: Sequence[Operation]) -> bool:
    """Whether nothing that is there would change: then who may edit asked for it by asking for the generation."""
    return all(
        isinstance(each, Create) or (isinstance(each, Update) and all(value in EMPTY for value in each.old.values()))
        for each in operations
    )


def _untrusted(of: Object, operations: Sequence[Operation]) -> str:
    """The name of an object that would change and that nobody has looked through; empty if there is none."""
    others = {each.item for each in operations if is_object(each.item.type)} - {Ref(of.type, of.key)}
    changed = [of, *(find(of.workspace_id, others).values() if others else ())]
    return next((str(each) for each in changed if each.untrusted_since is not None), "")
