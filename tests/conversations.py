"""Conversations in which nothing was said yet, which no door of the product leaves."""

from chat.actions.conversations import new_session
from chat.models import Session
from graphs.objects.refs import Ref
from graphs.site.access import Member


def empty(member: Member, context: Ref | None = None) -> Session:
    """A stored conversation of the member's, about an object or about nothing."""
    session = new_session(member, context, "", "Hello")
    session.stream.save()
    session.stream = session.stream
    session.save()
    return session
