"""Which addresses a conversation may read without asking a person: those that a person named, or let through."""

import uuid
from collections.abc import Iterator
from itertools import chain

from django.db.models import Q
from linkify_it import LinkifyIt

from chat.models import FETCH, Message, Proposal, ProposalStatus, Session
from chat.tools.written_by_people import written_by_people
from rag.fetching.refusals import FetchRefused
from rag.fetching.targets import Target, parse

_links = LinkifyIt()


def source_of_asking(session_id: uuid.UUID, url: str) -> str:
    """The untrusted source because of which a person has to be asked before the address is read; "" without one.

    What a model has read may have told it to carry away, within an address, what it knows. Raises `FetchRefused`.
    """
    target = parse(url)
    session = Session.objects.only("untrusted_since", "untrusted_source").get(pk=session_id)
    if session.untrusted_since is None or target.place in {each.place for each in _let_through(session, target, url)}:
        return ""
    return session.untrusted_source


def _let_through(session: Session, target: Target, url: str) -> Iterator[Target]:
    """What people named of that host in the conversation, or approved."""
    approved = Proposal.objects.filter(session=session, object_type=FETCH, status=ProposalStatus.APPLIED)
    named = (address for text in _said_by_people(session, target, url) for address in _addresses(text))
    for address in chain(approved.values_list("arguments__url", flat=True), named):
        try:
            yield parse(address)
        except FetchRefused:
            continue


def _addresses(text: str) -> Iterator[str]:
    """The addresses in a text: as a reader would tell them from the signs around them, and up to the next space."""
    yield from (link.url for link in _links.match(text) or ())
    yield from (word for word in text.split() if word.lower().startswith(("https://", "http://")))


def _said_by_people(session: Session, target: Target, url: str) -> Iterator[str]:
    """The messages that people wrote with the host in them, as it is written or as it is asked for."""
    written = url.partition("://")[2].partition("/")[0]
    named = Q(content__icontains=target.host) | Q(content__icontains=written)
    messages = written_by_people(Message.objects.filter(named, session=session))
    yield from messages.values_list("content", flat=True)
