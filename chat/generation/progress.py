"""How far is what came of generations: the details of the use cases that one found."""

import uuid
from collections.abc import Collection

from django.db.models import Count, Q

from chat.models import LIVE, RunStatus, StructuredRun


def progress_of(parents: Collection[uuid.UUID]) -> dict[uuid.UUID, dict[str, int]]:
    """How many came of each of these, how many of them are over, and how many of those failed or were cancelled.

    Those of which nothing came are left out.
    """
    over = ~Q(run__status__in=LIVE)
    failed, cancelled = Q(run__status=RunStatus.FAILED), Q(run__status=RunStatus.CANCELLED)
    counted = (
        StructuredRun.objects.filter(parent__in=parents)
        .values_list("parent")
        .order_by("parent")
        .annotate(
            every=Count("pk"),
            over=Count("pk", filter=over),
            failed=Count("pk", filter=failed),
            cancelled=Count("pk", filter=cancelled),
        )
    )
    return {
        parent: {"of": every, "done": done, "failed": lost, "cancelled": stopped}
        for parent, every, done, lost, stopped in counted
    }
