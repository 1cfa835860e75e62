"""Who may see what: every read and write of graphs and conversations starts from a `Member`.

Absent and foreign raise the same `NotFound`; doors turn it into the same 404.
"""

from dataclasses import dataclass

from django.contrib.auth.models import User

from graphs.models import Graph, Membership, Role, Workspace


class NotFound(Exception):
    """It does not exist, or not for this person."""


class Forbidden(Exception):
    """The person may see it but their role does not allow this."""


@dataclass(frozen=True, slots=True)
class Member:
    """A person in one workspace, with the role they have there now."""

    user: User
    workspace: Workspace
    role: Role

    def require_editor(self) -> None:
        if not self.role.may_edit:
            raise Forbidden


def member_of(user: User, slug: str | None = None) -> Member:
    """The person as member of the workspace `slug`, or of their default workspace.

    Raises `NotFound` when they are not a member (or no longer active).
    """
    memberships = Membership.objects.select_related("workspace").filter(user=user, user__is_active=True)
    membership = memberships.filter(workspace__slug=slug).first() if slug else memberships.first()
    if membership is None:
        raise NotFound
    return Member(user, membership.workspace, Role(membership.role))


def graph_for(member: Member, key: str) -> Graph:
    """The graph of the member's workspace with this key; raises `NotFound`."""
    graph = Graph.objects.filter(workspace=member.workspace, key=key).first()
    if graph is None:
        raise NotFound
    return graph
