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


def source_read(session_id: uuid.UUID) -> str:
    """What the conversation has read from outside, "" if nothing."""
    marked = Session.objects.filter(pk=session_id, untrusted_since__isnull=False)
    return marked.values_list("untrusted_source", flat=True).first() or ""


def source_of_asking(session_id: uuid.UUID, url: str, knows: str | None = None) -> str:
    """The untrusted source because of which a person has to be asked before the address is read; "" without one.

    What a model has read may have told it to carry away, within an address, what it `knows`: by now, unless it is
    given what it was as the model wrote the address. Raises `FetchRefused`.
    """
    target = parse(url)
    source = source_read(session_id) if knows is None else knows
    if not source or target.place in {each.place for each in _let_through(session_id, target, url)}:
        return ""
    return source


def _let_through(session_id: uuid.UUID, target: Target, url: str) -> Iterator[Target]:
    """What people named of that host in the conversation, or approved."""
    approved = Proposal.objects.filter(session=session_id, object_type=FETCH, status=ProposalStatus.APPLIED)
    named = (address for text in _said_by_people(session_id, target, url) for address in _addresses(text))
    for address in chain(approved.values_list("arguments__url", flat=True), named):
        try:
            yield parse(address)
        except FetchRefused:
            continue


def _addresses(text: str) -> Iterator[str]:
    """The addresses in a text: as a reader would tell them from the signs around them, and up to the next space."""
    yield from (link.url for link in _links.match(text) or ())
    yield from (word for word in text.split() if word.lower().startswith(("https://", "http://")))


def _said_by_people(session_id: uuid.UUID, target: Target, url: str) -> Iterator[str]:
    """The messages that people wrote with the host in them, as it is written or as it is asked for."""
    written = url.partition("://")[2].partition("/")[0]
    named = Q(content__icontains=target.host) | Q(content__icontains=written)
    messages = written_by_people(Message.objects.filter(named, session=session_id))
    yield from messages.values_list("content", flat=True)
