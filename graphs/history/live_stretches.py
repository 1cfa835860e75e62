"""From live edits to what the history keeps of them: one change for each person and stretch of work. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from graphs.models import LiveEdit
from graphs.objects.kinds import KINDS
from graphs.objects.operations import Operation, from_json, net


@dataclass(slots=True)
class Stretch:
    """Edits of one person that can stand as one change: what others did between them touches nothing of it."""

    person: int
    label: str
    edits: list[LiveEdit] = field(default_factory=list)
    touched: set[str] = field(default_factory=set)

    def add(self, edit: LiveEdit, touched: set[str]) -> None:
        self.edits.append(edit)
        self.touched |= touched

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The operations with the first `old` and last `new` of each field, without fields that were taken back."""
        return net(from_json(operation) for edit in self.edits for operation in edit.operations)


def stretches(edits: Iterable[LiveEdit]) -> Sequence[Stretch]:
    """The edits of an object in the order of their versions, as changes that give the same when done in this order.

    An edit joins the latest stretch of its person, unless one of somebody else has touched the same since that began.
    """
    found: list[Stretch] = []
    for edit in edits:
        touched = _touched(edit)
        stretch = _joined(found, edit.person, touched)
        if stretch is None:
            stretch = Stretch(edit.person, edit.person_label)
            found.append(stretch)
        stretch.add(edit, touched)
    return found


def _joined(found: Sequence[Stretch], person: int, touched: set[str]) -> Stretch | None:
    for stretch in reversed(found):
        if stretch.person == person:
            return stretch
        if stretch.touched & touched:
            return None
    return None


def _touched(edit: LiveEdit) -> set[str]:
    """The items of an edit, and those that they name: the nodes that an edge leads from and to."""
    named = {
        f"{field.names}:{record[field.name]}"
        for operation in edit.operations
        for field in KINDS[operation["type"]].fields
        if field.names in KINDS
        for record in (operation.get("record"), operation.get("old"), operation.get("new"))
        if record and field.name in record
    }
    return {*edit.items, *named}
