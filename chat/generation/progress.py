"""How far is what came of generations: the details of the use cases that one found."""

import uuid
from collections.abc import Collection

from django.db.models import Count, Q

from chat.models import RunStatus, StructuredRun


def progress_of(parents: Collection[uuid.UUID]) -> dict[uuid.UUID, dict[str, int]]:
    """How many came of each of these, how many of them are over, and how many of those failed or were cancelled.

    Those of which nothing came are left out.
    """
    over = ~Q(run__status__in=[RunStatus.QUEUED, RunStatus.RUNNING])
    counts = {
        "of": Count("pk"),
        "done": Count("pk", filter=over),
        "failed": Count("pk", filter=Q(run__status=RunStatus.FAILED)),
        "cancelled": Count("pk", filter=Q(run__status=RunStatus.CANCELLED)),
    }
    counted = StructuredRun.objects.filter(parent__in=parents).values("parent").annotate(**counts).order_by()
    return {row.pop("parent"): row for row in counted}
