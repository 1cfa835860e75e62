"""What a change did, as the history has it."""

from graphs.models import Modification
from graphs.operations import Operation
from graphs.recording import Applied
from graphs.scopes import operation_of


def recorded(done: Applied) -> list[Operation]:
    rows = Modification.objects.filter(change_set=done.change_set_id).order_by("sequence")
    return [operation_of(row) for row in rows]
