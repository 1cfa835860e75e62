"""The options of commands that act as a member asking about an object: `--graph`, `--object`, `--user`, `--role`."""

from argparse import _ActionsContainer as ActionsContainer
from dataclasses import replace
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser
from django.db.models import Q

from chat.engine.available_models import configured
from chat.providers.configured_models import ModelUnavailableError
from chat.providers.provider import ProviderConfig
from graphs.management.workspace_option import add_workspace_option, chosen_workspace
from graphs.models import Membership, Object, Role, Workspace
from graphs.objects.headers import object_for
from graphs.objects.refs import Ref
from graphs.site.access import Member, NotFound, member_of
from graphs.workflows.store import GRAPH


def add_asking_options(parser: CommandParser) -> None:
    add_object_options(parser.add_mutually_exclusive_group(required=True))
    parser.add_argument("--role", choices=Role.values, help="as if they had this role; default: editor, or theirs")
    parser.add_argument("--user", help="who asks; default: somebody of the workspace")
    parser.add_argument("--json", action="store_true", help="as one JSON document")
    add_workspace_option(parser)


def add_object_options(group: ActionsContainer) -> None:
    group.add_argument("--graph", default="", help="key of the graph")
    group.add_argument("--object", default="", help="an object of any kind, as type:key, for example nodeType:step")


def named_object(options: dict[str, Any]) -> Ref:
    """What `--graph` or `--object` names."""
    if options["graph"]:
        return Ref(GRAPH.name, options["graph"])
    try:
        return Ref.parse(options["object"])
    except ValueError:
        raise CommandError("--object names an object as type:key, for example graph:nba.") from None


def absent(ref: Ref, workspace: Workspace) -> CommandError:
    return CommandError(f'There is no {ref.type} "{ref.key}" in the workspace "{workspace.slug}".')


def asking(options: dict[str, Any]) -> tuple[Member, Object]:
    """A member of the workspace, with the chosen role if one was, and the object."""
    workspace, ref = chosen_workspace(options["workspace"]), named_object(options)
    member = named(workspace, options["user"]) if options["user"] else _anybody(workspace)
    if options["role"]:
        member = replace(member, role=Role(options["role"]))
    try:
        return member, object_for(member, ref)
    except NotFound:
        raise absent(ref, workspace) from None


def named(workspace: Workspace, username: str) -> Member:
    try:
        return member_of(User.objects.get(username=username), workspace.slug)
    except (User.DoesNotExist, NotFound):
        raise CommandError(f'"{username}" is no member of the workspace "{workspace.slug}".') from None


def first_admin(workspace: Workspace) -> Member:
    administering = Q(role=Role.ADMIN) | Q(user__is_superuser=True)
    memberships = Membership.objects.select_related("user").filter(administering, workspace=workspace)
    first = memberships.filter(user__is_active=True).first()
    if first is None:
        raise CommandError(f'The workspace "{workspace.slug}" has no admin. Say with --user who asks.')
    return Member(first.user, workspace, Role(first.role))


def model_named(choice: str | None) -> ProviderConfig:
    """The model that would be asked: "provider", "provider:model" or None, the default."""
    try:
        return configured().resolve(choice)
    except ModelUnavailableError as problem:
        raise CommandError(str(problem)) from None


def _anybody(workspace: Workspace) -> Member:
    membership = Membership.objects.select_related("user").filter(workspace=workspace).first()
    if membership is None:
        raise CommandError(f'The workspace "{workspace.slug}" has no members who could ask.')
    return Member(membership.user, workspace, Role.EDITOR)
