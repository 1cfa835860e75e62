"""The tool that compares two versions of an object, of whatever kind."""

from collections.abc import Iterator
from typing import Annotated, Any

from django.utils.translation import gettext_lazy as _
from pydantic import Field

from chat.tools.object_reading import object_of
from chat.tools.results import fitting
from chat.tools.tool import Arguments, ReadTool, ToolContext, ToolFailed
from graphs.history import queries
from graphs.history.compare import between
from graphs.history.first_difference import clipped_both
from graphs.history.outside import catch_up
from graphs.objects.headers import parent_of
from graphs.objects.kinds import KINDS
from graphs.objects.operations import OF_THE_ROW, Create, Delete, Operation, Record, Update
from graphs.objects.refs import Ref, RefText

#: Characters of a value on either side, from where both differ.
VALUE_CHARS = 1_000
MOST_VERSION = 2**31 - 1
Version = Annotated[int, Field(ge=1, le=MOST_VERSION)]


class CompareArguments(Arguments):
    object: RefText
    a: Version = Field(description="A version; read_history gives numbers.")
    b: Version = Field(description="The other version.")


class CompareVersions(ReadTool[CompareArguments]):
    name = "compare_versions"
    badge = ("clock", _("Compared versions"))
    description = "What differs between two versions of an object: each field in a and in b."
    arguments = CompareArguments

    def run(self, context: ToolContext, arguments: CompareArguments) -> dict[str, Any]:
        ref = arguments.object
        of = object_of(context, ref)
        catch_up([of])
        subject = queries.subject(of.workspace_id, ref)
        for version in (arguments.a, arguments.b):
            if version > subject.version:
                raise ToolFailed(f"{ref} has no version {version}: the present one is {subject.version}.")
        operations = between(subject.type, subject.pk, arguments.a, arguments.b)
        differences = [each for operation in operations for each in _differences(operation, ref)]
        shown = fitting(differences, lambda each: each)
        named = {"object": str(ref), "a": arguments.a, "b": arguments.b, "differences": shown}
        left = len(differences) - len(shown)
        return named | (
            {"note": f"{left} more differences are left out: compare versions nearer together."} if left else {}
        )


def _differences(operation: Operation, ref: Ref) -> Iterator[dict[str, Any]]:
    """What an operation did, field by field; of a view only its own fields."""
    item = {} if operation.item.type == ref.type or KINDS[ref.type].view_of else {"item": str(operation.item)}
    match operation:
        case Update(_, old, new):
            for name in _shown(operation.item.type, new, ref):
                a, b = clipped_both(old.get(name), new[name], VALUE_CHARS)
                yield {**item, "field": name, "a": a, "b": b}
        case Create():
            yield {**item, "action": "create"}
        case Delete():
            yield {**item, "action": "delete"}


def _shown(type_: str, record: Record, ref: Ref) -> Iterator[str]:
    """The names of the fields that the member may be told of."""
    kind, view = KINDS.get(type_), KINDS[ref.type]
    holder = parent_of(kind) if kind else None
    for name in record:
        hidden = name == "parent" and holder is not None and holder.may_see is not None
        if name not in OF_THE_ROW and not hidden and (not view.view_of or name in view.by_name):
            yield name


COMPARE_VERSIONS = CompareVersions()
