"""`manage.py embed_nodes [--graph K] [--model M] [--force] [--batch 100] [--delay 100]`: the vectors that lack."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db.models import QuerySet

from graphs.management.progress import ProgressBar
from graphs.management.workspace_option import add_workspace_option, chosen_workspace
from graphs.models import Graph, Node
from rag.embeddings import registry, serving_model
from rag.embeddings.base import Embedder, EmbeddingFailed
from rag.embeddings.nodes import BATCH, Progress
from rag.embeddings.registry import EmbedderUnavailable
from rag.embeddings.whole_graphs import INTERRUPTED, STOPPED, WholeGraphs, manner_for
from rag.management.quiet import QuietCommand


class Command(QuietCommand):
    help = (
        "Embeds the nodes that have no vector of their present text. It may be interrupted and run again, run twice at "
        "once, and run while the site is used."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--graph", help="key of the graph; default: all graphs")
        add_workspace_option(parser)
        parser.add_argument("--model", help="such as openai/text-embedding-3-small; default: the one that serves")
        parser.add_argument("--force", action="store_true", help="also the nodes whose vector is of their present text")
        parser.add_argument("--batch", type=int, default=BATCH, help="texts of one call (default: %(default)s)")
        parser.add_argument("--delay", type=int, default=100, help="ms between two calls to a vendor (default: 100)")

    def handle(self, *args: Any, batch: int, delay: int, force: bool, **options: Any) -> None:
        if batch < 1 or delay < 0:
            raise CommandError("--batch is 1 or more, --delay 0 or more.")
        graphs = _graphs(options["graph"], options["workspace"])
        embedder = _embedder(options["model"])
        nodes = Node.objects.filter(graph__in=graphs).count()
        bar = ProgressBar(self.stdout, nodes, "nodes")
        total = Progress()
        manner = manner_for(embedder, batch=batch, delay_ms=delay, force=force)
        try:
            ids = list(graphs.order_by("pk").values_list("pk", flat=True))
            for _graph_id, steps in WholeGraphs(embedder, manner).embed(ids):
                for progress in steps:
                    total += progress
                    bar.advance(progress.seen)
        except serving_model.Overtaken:
            raise CommandError(f"A migration dropped {embedder.name} meanwhile.") from None
        except EmbeddingFailed as failure:
            raise CommandError(f"{embedder.name} fails ({failure.code}: {failure}). Run this again to go on.") from None
        except KeyboardInterrupt:
            raise CommandError(STOPPED, returncode=INTERRUPTED) from None
        finally:
            bar.close()
        present = total.seen - total.embedded - total.failed
        self.stdout.write(
            f"{embedder.name}: {total.embedded:,} embedded ({total.tokens:,} tokens), {present:,} had a vector or "
            f"changed meanwhile, {total.failed:,} failed."
        )


def _graphs(key: str | None, slug: str | None) -> QuerySet[Graph]:
    if key is None:
        return Graph.objects.filter(workspace=chosen_workspace(slug)) if slug is not None else Graph.objects.all()
    workspace = chosen_workspace(slug)
    found = Graph.objects.filter(workspace=workspace, key=key)
    if not found:
        raise CommandError(f'There is no graph "{key}" in the workspace "{workspace.slug}".')
    return found


def _embedder(name: str | None) -> Embedder:
    configured = registry.configured()
    if not configured:
        raise CommandError("Embeddings are switched off: EMBEDDING_PROVIDER is none.")
    try:
        return registry.by_name(name or serving_model.serving() or configured)
    except EmbedderUnavailable as problem:
        raise CommandError(str(problem)) from None
