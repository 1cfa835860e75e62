"""`manage.py import_graph FILE...`: reads workflow files, however large, into a workspace."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from graphs.management.progress import ProgressBar
from graphs.management.workspace_option import add_workspace_option, chosen_workspace
from graphs.models import Workspace
from graphs.workflows.imports import IfExists, ImportedGraph, import_graph
from graphs.workflows.interchange.formats import FORMATS, parse
from graphs.workflows.interchange.parsed_graph import Limits
from graphs.workflows.interchange.refusals import ImportRefused
from graphs.workflows.keys import KeyInvalid, KeyTaken

#: An import that is done within so much says so by being done.
QUIET_S = 1.0


class Command(BaseCommand):
    help = "Imports workflow files: Countersign's own, n8n's and Node-RED's. A refused file imports nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        add_workspace_option(parser)
        parser.add_argument("--format", choices=["auto", *FORMATS], default="auto")
        parser.add_argument("--replace", action="store_true", help="replaces the graph that has the key, undoably")
        parser.add_argument("--key", help="key of the graph, for one file; else made of the file's own or its name")

    def handle(self, *args: Any, files: list[Path], **options: Any) -> None:
        if options["key"] and len(files) > 1:
            raise CommandError("--key names one graph: give one file with it.")
        workspace = chosen_workspace(options["workspace"])
        imported = []
        with _without_collecting():
            for number, file in enumerate(files, start=1):
                progress = f"[{number}/{len(files)}] " if len(files) > 1 else ""
                graph = self._import(workspace, file, progress, options)
                if graph is not None:
                    imported.append(graph)
        self._summary(imported, refused=len(files) - len(imported))

    def _import(self, workspace: Workspace, file: Path, progress: str, options: dict[str, Any]) -> ImportedGraph | None:
        name = _printable(file)
        if_exists: IfExists | None = "replace" if options["replace"] else None
        try:
            with self._bar("characters") as bar:
                title = _printable(file.name)
                parsed = parse(file.read_bytes(), options["format"], Limits(), filename=title, on_progress=bar.reach)
            with self._bar("nodes and edges") as bar:
                imported = import_graph(workspace, parsed, options["key"], on_progress=bar.reach, if_exists=if_exists)
        except ImportRefused as refusal:
            self.stderr.write(f"{progress}{name}: refused, nothing imported")
            for problem in refusal.problems:
                self.stderr.write(f"    {problem}")
        except (KeyTaken, KeyInvalid) as refusal:
            self.stderr.write(f"{progress}{name}: refused. {refusal}")
        except OSError as error:
            self.stderr.write(f"{progress}{name}: cannot be read ({error.strerror}).")
        else:
            counts = f"{imported.nodes} nodes, {imported.edges} edges, {imported.warning_count} warnings"
            how = "replaced, " if imported.replaced else ""
            self.stdout.write(f"{progress}{name}: {imported.graph.key} ({how}{counts})")
            for warning in imported.warnings:
                self.stdout.write(f"    {warning}")
            return imported
        return None

    @contextmanager
    def _bar(self, unit: str) -> Iterator[ProgressBar]:
        """Shows a progress bar where it takes longer than a second."""
        bar = ProgressBar(self.stdout, 0, unit, QUIET_S)
        try:
            yield bar
        finally:
            bar.close()

    def _summary(self, imported: list[ImportedGraph], refused: int) -> None:
        if len(imported) + refused > 1:
            nodes = sum(graph.nodes for graph in imported)
            edges = sum(graph.edges for graph in imported)
            warnings = sum(graph.warning_count for graph in imported)
            self.stdout.write(
                f"{len(imported)} graphs with {nodes} nodes and {edges} edges imported, "
                f"{warnings} warnings, {refused} files refused."
            )
        if refused:
            raise CommandError(f"{refused} of {refused + len(imported)} files were refused.", returncode=1)


@contextmanager
def _without_collecting() -> Iterator[None]:
    """The values of a file hold no cycles; to look for some among millions takes as long as to read them."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _printable(path: Path | str) -> str:
    """A file's name may hold any bytes; the terminal and the database want text."""
    return str(path).encode("utf-8", "replace").decode()
