"""Thumbs up or down for an answer: one vote of each person, which they may change and take back."""

from django.utils import timezone
from django.utils.translation import gettext as _

from chat.actions.refusals import Refused
from chat.models import Feedback, Message
from chat.queries.conversations import message_for
from graphs.site.access import Member


def rate(member: Member, message_id: str, vote: int, comment: str) -> None:
    """Stores the person's vote on an answer, and deletes it for 0. Raises `NotFound`, `Refused`."""
    message = message_for(member.user, message_id)
    if message.role != Message.Role.ASSISTANT:
        raise Refused("conflict", _("Only answers can be rated."))
    if message.status in Message.UNFINISHED:
        raise Refused("conflict", _("This answer is still being written. Wait until it is done."))
    if vote == 0:
        if comment:
            raise Refused("validation", _("A comment needs a vote, up or down."), field="comment")
        Feedback.objects.filter(message=message, person=member.user).delete()
        return
    given = Feedback(message=message, person=member.user, vote=vote, comment=comment, updated_at=timezone.now())
    Feedback.objects.bulk_create(
        [given],
        update_conflicts=True,
        unique_fields=["message", "person"],
        update_fields=["vote", "comment", "updated_at"],
    )
