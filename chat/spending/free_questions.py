"""Questions that the local model embedded for a run. Nothing was bought: they are stored with the run's next calls."""

import threading
import uuid
from collections import OrderedDict, deque

from chat.spending.calls import CallCost

#: Runs that ended without storing anything more are forgotten.
MOST_RUNS = 1_000

_lock = threading.Lock()
_of_runs: OrderedDict[uuid.UUID, deque[CallCost]] = OrderedDict()


def add(run_id: uuid.UUID, cost: CallCost) -> None:
    with _lock:
        _of_runs.setdefault(run_id, deque()).append(cost)
        while len(_of_runs) > MOST_RUNS:
            _of_runs.popitem(last=False)


def take(run_id: uuid.UUID | None) -> list[CallCost]:
    """The costs that were added for a run since they were taken last."""
    with _lock:
        return list(_of_runs.pop(run_id, ())) if run_id is not None else []
