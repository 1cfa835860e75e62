"""What the views of conversations share: finding what an address names."""

from django.contrib.auth.models import User
from rest_framework.request import Request

from chat.access.identity import Proof
from chat.models import Message, Proposal, Session
from chat.queries.conversations import Held, hold, message_for, session_and_member, session_for
from chat.queries.proposals import proposal_and_member, proposal_for
from chat.queries.streams import ReadableStream, stream_for
from graphs.site.access import Member, NotFound
from graphs.site.api.members import current_member, workspace_named
from graphs.site.api.tokens import Claim


def session_to_read(request: Request, session_id: str) -> tuple[Session, Member]:
    """A session that the person may read, in the workspace that the request names, else in any of theirs."""
    if _names_workspace(request):
        member = current_member(request)
        return session_for(member, session_id), member
    return session_and_member(person_of(request), session_id)


def hold_to_write(request: Request, session_id: str) -> Held:
    """The session as `session_to_read` finds it, held until the transaction ends, for who may write in it."""
    within = current_member(request).workspace if _names_workspace(request) else None
    return hold(person_of(request), session_id, within)


def message_to_read(request: Request, message_id: str) -> Message:
    """A message that the person may read, in the workspace that the request names, else in any of theirs."""
    message = message_for(person_of(request), message_id)
    if _names_workspace(request) and current_member(request).workspace != message.session.workspace:
        raise NotFound
    return message


def message_and_member(request: Request, message_id: str) -> tuple[Message, Member]:
    """A message as `message_to_read` finds it, and the person as a member of its workspace."""
    message = message_to_read(request, message_id)
    return message, session_to_read(request, str(message.session_id))[1]


def shared_proposal(request: Request, proposal_id: str) -> tuple[Proposal, Member]:
    """A proposal of the workspace that the request names, else of any of the person's; its members all see it."""
    if _names_workspace(request):
        member = current_member(request)
        return proposal_for(member, proposal_id), member
    return proposal_and_member(person_of(request), proposal_id)


def own_stream(request: Request, name: str) -> ReadableStream:
    """A stream that the person may read, in the workspace that the request names, else in any of theirs."""
    stream = stream_for(person_of(request), name)
    if _names_workspace(request) and current_member(request).workspace.pk != stream.workspace_id:
        raise NotFound
    return stream


def person_of(request: Request) -> User:
    """The person who asks. Views let nobody in who is not signed in."""
    assert isinstance(request.user, User)
    return request.user


def proof_of(request: Request) -> Proof:
    """What let the person in who asks: the claim of their token, else the key of their browser's session."""
    if isinstance(request.auth, Claim):
        return request.auth
    return str(request.session.session_key)


def _names_workspace(request: Request) -> bool:
    return bool(workspace_named(request))
