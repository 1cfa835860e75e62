"""Proposals that a person may see."""

import uuid
from collections.abc import Collection
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from chat.models import Proposal, ProposalStatus, Session
from graphs.models import Membership, Role
from graphs.objects.headers import narrowed, unseen
from graphs.objects.refs import Ref
from graphs.site.access import Member, NotFound, or_not_found, parsed_id

#: More proposals that wait are not counted.
MOST_COUNTED = 99
#: Written out, as every page asks. The status is no parameter: a plan that is kept could not use the index of those.
_WAITING = f"""
SELECT count(*) FROM (
    SELECT FROM chat_proposal WHERE workspace_id = %s AND status = '{ProposalStatus.PENDING}'
    AND expires_at > statement_timestamp() AND id <> ALL(%s::uuid[]) LIMIT {MOST_COUNTED + 1}
) AS waiting
"""  # noqa: S608 - what is inserted are constants


def proposals_of(
    member: Member, *, status: str = "", session_id: str = "", about: Ref | None = None
) -> QuerySet[Proposal]:
    """The workspace's proposals, of one state, session or object. One not decided in time is expired from then on."""
    proposals = in_brief(Proposal.objects.filter(workspace=member.workspace))
    late = Q(status=ProposalStatus.PENDING, expires_at__lte=Now())
    if status == ProposalStatus.PENDING:
        proposals = proposals.filter(status=status, expires_at__gt=Now())
    elif status == ProposalStatus.EXPIRED:
        proposals = proposals.filter(Q(status=status) | late)
    elif status:
        proposals = proposals.filter(status=status)
    if session_id:
        proposals = proposals.filter(session=parsed_id(session_id))
    if about is not None:
        proposals = proposals.filter(object_type=about.type, object_key=about.key)
    return _seen(member, proposals)


def _seen(member: Member, proposals: QuerySet[Proposal]) -> QuerySet[Proposal]:
    """The proposals whose objects the member may all see; of those for objects to be made, or gone, only their own."""
    hidden = _hidden_from(member, proposals)
    return proposals.exclude(pk__in=hidden) if hidden else proposals


def _hidden_from(member: Member, proposals: QuerySet[Proposal]) -> list[uuid.UUID]:
    """The ids of the other proposals."""
    of_narrowed = Q()
    for name in narrowed():
        of_narrowed |= Q(object_type=name) | Q(brief__objects__contains=[{"type": name}])
    if not of_narrowed:
        return []
    rows = proposals.filter(of_narrowed).values_list(
        "pk", "session__owner", "object_type", "object_key", "brief__objects"
    )
    named = {
        (pk, owner): {Ref(type_, key), *map(Ref.from_json, objects or [])} for pk, owner, type_, key, objects in rows
    }
    hidden = unseen(member, {ref for refs in named.values() for ref in refs})
    return [
        pk
        for (pk, owner), refs in named.items()
        if any(ref in hidden and not (hidden[ref] and owner == member.user.pk) for ref in refs)
    ]


def waiting_count(member: Member) -> tuple[int, bool]:
    """How many proposals wait in the workspace, up to `MOST_COUNTED`; and whether there are more."""
    here = Proposal.objects.filter(workspace=member.workspace, status=ProposalStatus.PENDING)
    with connection.cursor() as cursor:
        cursor.execute(_WAITING, [member.workspace.pk, _hidden_from(member, here)])
        (count,) = cursor.fetchone()
    return min(count, MOST_COUNTED), count > MOST_COUNTED


def in_brief(proposals: QuerySet[Proposal]) -> QuerySet[Proposal]:
    """Proposals with only the fields that lists show."""
    with_type = proposals.annotate(session_type=F("session__type"))
    return with_type.select_related("decided_by").defer(*Proposal.LARGE)


def proposal_for(member: Member, proposal_id: str) -> Proposal:
    """A proposal of this workspace; raises `NotFound`."""
    found = _seen(member, Proposal.objects.filter(workspace=member.workspace, pk=parsed_id(proposal_id)))
    return or_not_found(found.select_related("workspace", "session", "message", "decided_by").first())


def require_proposals(member: Member, proposal_ids: Collection[str]) -> None:
    """Raises `NotFound` unless all of them are of this workspace."""
    ids = set(map(parsed_id, proposal_ids))
    if _seen(member, Proposal.objects.filter(workspace=member.workspace, pk__in=ids)).count() < len(ids):
        raise NotFound


def proposal_and_member(user: User, proposal_id: str) -> tuple[Proposal, Member]:
    """A proposal in whichever of the person's workspaces it is; raises `NotFound`."""
    member = _member_where(user, Proposal.objects.filter(pk=parsed_id(proposal_id)))
    return proposal_for(member, proposal_id), member


def member_at(user: User, session_id: str) -> Member:
    """The person in the workspace of a conversation, which may be a colleague's; raises `NotFound`."""
    return _member_where(user, Session.objects.filter(pk=parsed_id(session_id)))


def _member_where(user: User, rows: QuerySet[Any]) -> Member:
    own = Membership.objects.select_related("workspace").filter(user=user, user__is_active=True)
    membership = or_not_found(own.filter(workspace__in=rows.values("workspace")).first())
    return Member(user, membership.workspace, Role(membership.role))
