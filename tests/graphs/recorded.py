"""What a change did, as the history has it."""

from graphs.history.recording import Applied
from graphs.history.scopes import operation_of
from graphs.models import Modification
from graphs.objects.operations import Operation


def recorded(done: Applied) -> list[Operation]:
    rows = Modification.objects.filter(change_set=done.change_set_id).order_by("sequence")
    return [operation_of(row) for row in rows]
