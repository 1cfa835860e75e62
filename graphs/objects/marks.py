"""The mark of what came from outside, in the record of an object that goes and comes back."""

from graphs.models import Object
from graphs.objects.operations import OTHER_COLUMNS, Record


def mark_of(row: Object) -> Record:
    """What keeps in a record that its row is untrusted; nothing of one that is trusted."""
    if row.untrusted_since is None:
        return {}
    return {OTHER_COLUMNS: {"untrusted_since": row.untrusted_since.isoformat(), "untrusted_by": row.untrusted_by}}


def mark_in(record: Record) -> Record:
    """The mark that a record keeps, for the header of its row."""
    others = record.get(OTHER_COLUMNS, {})
    return {name: others[name] for name in ("untrusted_since", "untrusted_by") if name in others}
