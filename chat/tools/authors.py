"""Who writes in a conversation, by name, where that is not its owner alone."""

import uuid
from collections.abc import Iterable, Mapping

from django.contrib.auth.models import User

from chat.models import Message, Session

#: The names of authors by the `author_id` of their messages, of the owner by None.
Names = Mapping[int | None, str]


def names_of(session_id: uuid.UUID, author_ids: Iterable[int | None]) -> Names:
    """What the people are called who wrote messages of these authors; nothing where only the owner did."""
    others = {each for each in author_ids if each is not None}
    if not others:
        return {}
    owner = Session.objects.values_list("owner__username", flat=True).get(pk=session_id)
    return {None: owner, **dict(User.objects.filter(pk__in=others).values_list("pk", "username"))}


def names_in(session_id: uuid.UUID) -> Names:
    """As `names_of`, for all messages of a conversation."""
    written = Message.objects.filter(session=session_id, author__isnull=False).order_by()
    return names_of(session_id, written.values_list("author_id", flat=True).distinct())
