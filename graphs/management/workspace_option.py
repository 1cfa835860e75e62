"""The option `--workspace` of the commands that work in one workspace."""

from django.core.management.base import CommandError, CommandParser

from graphs.models import Workspace

DEMO = "demo"


def add_workspace_option(parser: CommandParser) -> None:
    parser.add_argument("--workspace", help=f"slug of the workspace; default: the only one, or `{DEMO}`")


def chosen_workspace(slug: str | None) -> Workspace:
    """The workspace of that slug; without one the only workspace, or the demo's. `CommandError` where there is none."""
    workspaces = {workspace.slug: workspace for workspace in Workspace.objects.all()}
    if slug is None:
        slug = next(iter(workspaces)) if len(workspaces) == 1 else DEMO
    if slug not in workspaces:
        known = ", ".join(workspaces) or "none"
        raise CommandError(f'There is no workspace "{slug}". Choose one with --workspace; there are: {known}.')
    return workspaces[slug]
