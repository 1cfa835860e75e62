"""Proposals to read a page: they change nothing, and a person lets the address be asked, or does not."""

from datetime import timedelta

from django.conf import settings
from django.db.models.functions import Now

from chat.events import notices
from chat.models import FETCH, Message, Proposal, Session
from chat.proposals.drafting import canonical, digest_of
from chat.proposals.proposal_json import proposal_event
from chat.proposals.proposing import Proposed, require_editor
from chat.proposals.shortening import shorten
from graphs.history.diffs import DiffEntry, DiffField
from graphs.models.objects import MAX_KEY
from graphs.site.access import Member
from rag.fetching.targets import parse


def propose_fetch(member: Member, session: Session, message: Message, call_id: str, tool: str, url: str) -> Proposed:
    """Stores that a model wants to read an address that no person named. The caller's transaction holds the session.

    Raises `ChangeRefused`. A call that was proposed before is found again.
    """
    before = Proposal.objects.filter(message=message, tool_call_id=call_id).first()
    if before is not None:
        return Proposed(before, ())
    require_editor(member, "anything here")
    target, arguments = parse(url), {"url": url}
    proposal = Proposal(
        workspace=session.workspace,
        session=session,
        message=message,
        tool_call_id=call_id,
        tool=tool,
        object_type=FETCH,
        object_key=target.host[:MAX_KEY],
        arguments=arguments,
        operations=[],
        targets=[],
        diff=[_entry(target.host, target.url)],
        digest=digest_of(canonical(tool, arguments, [], [])),
        asked_by=[{"level": "untrusted", "why": session.untrusted_source}],
        expires_at=Now() + timedelta(days=settings.PROPOSAL_DAYS),
    )
    shorten(proposal)
    proposal.save(force_insert=True)
    proposal.refresh_from_db(fields=["created_at", "expires_at"])
    events = [proposal_event(proposal)]
    notices.notify([(proposal, events)])
    return Proposed(proposal, tuple(events))


def _entry(host: str, url: str) -> DiffEntry:
    """The whole address, in the form in which it would be asked."""
    address: DiffField = {"field": "url", "label": "Address", "form": "text", "old": None, "new": url}
    return {
        "object": {"type": FETCH, "id": host},
        "kindLabel": "page",
        "label": host,
        "action": "create",
        "fields": [address],
    }
