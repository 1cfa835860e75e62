"""Gives the history what people did live. Done by whoever comes first: a clock, who leaves, or who changes otherwise.

All edits of a graph that are there are saved in one transaction that holds its row; who comes second finds none.
"""

import logging
import uuid
from collections.abc import Iterable, Sequence
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now

from graphs.history.live_stretches import Stretch, stretches
from graphs.history.recording import Because, Part, Revised, record
from graphs.history.signals import tell
from graphs.models import Graph, LiveEdit, Origin
from graphs.objects.operations import Operation
from graphs.site.database_away import AWAY

log = logging.getLogger("countersign.workingcopy")

#: How long live edits wait for the history at most, as long as any web process runs.
SAVE_EVERY_S = 30
#: How long saved ones are kept: for who sends one again, takes it back, or edits what they saw before it.
KEEP = timedelta(days=7)


def save_edits(graph_id: int) -> tuple[uuid.UUID, ...]:
    """The change sets that the unsaved edits of a graph became; none where there were none, or no graph."""
    with transaction.atomic():
        graph = Graph.objects.select_for_update(no_key=True).filter(pk=graph_id).first()
        return _save(graph) if graph is not None and graph.unsaved_since is not None else ()


def save_all(graphs: Iterable[Graph]) -> None:
    """The same for several, in the order of their primary keys."""
    for graph_id in sorted(graph.pk for graph in graphs if graph.unsaved_since is not None):
        save_edits(graph_id)


def save_due(after_s: float = SAVE_EVERY_S) -> int:
    """Saves every graph whose edits have waited for so long, whoever made them and through whichever process.

    Returns how many. One that somebody else holds is left to the next look; one that fails keeps no other from it.
    """
    due = Graph.objects.filter(unsaved_since__lte=Now() - timedelta(seconds=after_s)).order_by("pk")
    return sum(_saved_alone(graph_id) for graph_id in due.values_list("pk", flat=True))


def _saved_alone(graph_id: int) -> bool:
    try:
        with transaction.atomic():
            graph = Graph.objects.select_for_update(no_key=True, skip_locked=True).filter(pk=graph_id).first()
            if graph is None or graph.unsaved_since is None:
                return False
            _save(graph)
    except AWAY:
        raise
    except Exception:  # Any: whatever is wrong with one graph, those after it have to be saved.
        log.exception("live edits of graph %s cannot be saved", graph_id)
        return False
    return True


def _save(graph: Graph) -> tuple[uuid.UUID, ...]:
    """The graph is held, and its row says that there is something to save."""
    edits = LiveEdit.objects.filter(graph=graph, saved_at=None)
    folded = [(stretch, stretch.operations) for stretch in stretches(edits.order_by("version"))]
    kept = [(stretch, operations) for stretch, operations in folded if operations]
    # Each edit made a version of the graph, and nobody else made any meanwhile: the last ones are the history's.
    first = graph.version - len(kept) + 1
    saved = tuple(
        _record(graph, first + place, stretch, operations) for place, (stretch, operations) in enumerate(kept)
    )
    edits.update(saved_at=Now())
    Graph.objects.filter(pk=graph.pk).update(unsaved_since=None)
    return saved


def _record(graph: Graph, version: int, stretch: Stretch, operations: Sequence[Operation]) -> uuid.UUID:
    change_set_id = uuid.uuid4()
    actor = User(pk=stretch.person, username=stretch.label)
    revised = Revised.of(graph, version)
    parts = [Part((revised,), tuple(operations))]
    tell(record(change_set_id, graph.workspace_id, Because(actor, Origin.MANUAL), parts))
    LiveEdit.objects.filter(pk__in=[edit.pk for edit in stretch.edits]).update(change_set=change_set_id)
    return change_set_id


def forget_old() -> None:
    """Drops live edits that the history has had for long."""
    LiveEdit.objects.filter(saved_at__lt=Now() - KEEP).delete()
