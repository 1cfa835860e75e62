"""`manage.py export_graph KEY`: prints a graph as a native file."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from graphs.management.workspace_option import add_workspace_option, chosen_workspace
from graphs.site.access import NotFound
from graphs.workflows.exports import as_json, export_graph
from graphs.workflows.listing import graph_in


class Command(BaseCommand):
    help = "Prints a graph in Countersign's own format, which import_graph reads without loss."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("key", metavar="KEY")
        add_workspace_option(parser)

    def handle(self, *args: Any, key: str, **options: Any) -> None:
        workspace = chosen_workspace(options["workspace"])
        try:
            graph = graph_in(workspace, key)
        except NotFound:
            raise CommandError(f'There is no graph "{key}" in the workspace "{workspace.slug}".') from None
        self.stdout.write(as_json(export_graph(graph)), ending="")
