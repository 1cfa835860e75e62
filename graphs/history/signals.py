"""The last step of every change that the history has."""

from django.dispatch import Signal

from graphs.history.recording import Applied
from graphs.models import Object

#: Sent with `change` (`Applied`) inside the transaction, after everything else of it. The graph and the streams that
#: tell of it are held: a receiver that locks rows of its own does so after them, as every other process must.
changed = Signal()
#: Sent with `kind` (its name) when other code saved or deleted a row of a registered model, inside its transaction.
saved_outside = Signal()


def send_changed(applied: Applied) -> Applied:
    """Sends `changed` and returns what was done."""
    changed.send(sender=Object, change=applied)
    return applied
