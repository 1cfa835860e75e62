"""What watchers of graphs read: their present states, and live edits after a version."""

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, Subquery

from graphs.models import LiveEdit, Object

#: Edits that one look reads of all graphs; who is further behind reads the graph again.
MOST = 500


@dataclass(frozen=True, slots=True)
class LiveState:
    """A graph now, its `edits` since the known version, and if asked for the change sets they were `saved` into."""

    version: int
    unsaved_since: datetime | None
    edits: tuple[LiveEdit, ...] = ()
    saved: tuple[uuid.UUID, ...] = ()


def live_states(after: Mapping[int, int], *, edits: bool = True, unsaved: Collection[int] = ()) -> dict[int, LiveState]:
    """The present states of graphs, by primary key; none of those that are gone. `after` are the versions known so far.

    For graphs that were `unsaved` when they were last looked at, or edited since, and are saved by now, the states name
    the change sets that they were saved into.
    """
    rows = Object.objects.filter(pk__in=after).order_by().values_list("pk", "version", "unsaved_since")
    now = {pk: (version, unsaved_since) for pk, version, unsaved_since in rows}
    moved = {pk: version for pk, (version, _since) in now.items() if edits and version > after[pk]}
    found = _edits(after, moved)
    into = _latest([pk for pk, (_version, since) in now.items() if since is None and (pk in unsaved or pk in found)])
    return {
        pk: LiveState(version, since, tuple(found.get(pk, ())), tuple(into.get(pk, ())))
        for pk, (version, since) in now.items()
    }


def _edits(after: Mapping[int, int], until: Mapping[int, int]) -> dict[int, list[LiveEdit]]:
    wanted = Q()
    for pk, version in until.items():
        wanted |= Q(object=pk, version__gt=after[pk], version__lte=version)
    found: dict[int, list[LiveEdit]] = {}
    for edit in LiveEdit.objects.filter(wanted).order_by("object", "version")[:MOST] if until else ():
        found.setdefault(edit.object_id, []).append(edit)
    return found


def _latest(graphs: Collection[int]) -> dict[int, list[uuid.UUID]]:
    """The change sets of what was saved last, graph by graph."""
    found: dict[int, list[uuid.UUID]] = {}
    for graph_id in graphs:
        last = LiveEdit.objects.filter(object=graph_id).order_by("-version").values("saved_at")[:1]
        together = LiveEdit.objects.filter(object=graph_id, saved_at=Subquery(last))
        found[graph_id] = sorted({id_ for id_ in together.values_list("change_set", flat=True) if id_})
    return found
