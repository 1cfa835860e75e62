"""How much was really changed in a turn, to stand beside what the model says about it."""

from collections.abc import Sequence

from django.db.models import Q

from chat.engine.claims import ClaimedRun
from chat.models import Message, Proposal, Round, calls_of
from graphs.models import Modification


def changes_of_turn(run: ClaimedRun, rounds: Sequence[Round]) -> int:
    """Modifications recorded since the person's last message, and through the late decisions that woke this run."""
    late = run.trigger.get("proposals", [])
    begins_turn = run.trigger["event"] == "UserMessageSent" and not late
    results = [call.result for call in calls_of(rounds)]
    if begins_turn and not any(isinstance(result, dict) and "proposalId" in result for result in results):
        return 0
    asked = Message.objects.filter(
        session=run.session_id, role=Message.Role.USER, kind=Message.TEXT, sequence__lt=run.position
    )
    since = asked.order_by("-sequence").values_list("sequence", flat=True).first() or 0
    answers = Q(message__sequence__gt=since, message__sequence__lte=run.position)
    proposals = Proposal.objects.filter(Q(pk__in=late) | answers, session=run.session_id, change_set__isnull=False)
    return Modification.objects.filter(change_set_id__in=proposals.values("change_set")).count()
