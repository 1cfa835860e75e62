"""The options of commands that act as a member asking about a graph: `--graph`, `--workspace`, `--role`."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from graphs.access import Member, NotFound, graph_for
from graphs.management.workspace_option import add_workspace_option, chosen_workspace
from graphs.models import Graph, Membership, Role


def add_asking_options(parser: CommandParser) -> None:
    parser.add_argument("--graph", required=True, help="key of the graph")
    parser.add_argument("--role", choices=Role.values, default=Role.EDITOR.value, help="role of the person who asks")
    add_workspace_option(parser)


def asking(options: dict[str, Any]) -> tuple[Member, Graph]:
    """A member of the workspace as if they had the chosen role, and the graph."""
    workspace = chosen_workspace(options["workspace"])
    membership = Membership.objects.select_related("user").filter(workspace=workspace).first()
    if membership is None:
        raise CommandError(f'The workspace "{workspace.slug}" has no members who could ask.')
    member = Member(membership.user, workspace, Role(options["role"]))
    try:
        return member, graph_for(member, options["graph"])
    except NotFound:
        raise CommandError(f'There is no graph "{options["graph"]}" in the workspace "{workspace.slug}".') from None
