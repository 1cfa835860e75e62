"""The last step of every change that the history has."""

from django.dispatch import Signal

from graphs.history.recording import Applied
from graphs.models import Object

#: Sent with `change` (`Applied`) inside the transaction, after everything else of it. The graph and the streams that
#: tell of it are held: a receiver that locks rows of its own does so after them, as every other process must.
changed = Signal()


def tell(applied: Applied) -> Applied:
    """Sends `changed`, and gives what was done back to whoever did it."""
    changed.send(sender=Object, change=applied)
    return applied
