"""`manage.py embed_nodes [--graph K] [--model M] [--force] ...`: makes the vectors that nodes and objects lack."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from graphs.management.progress import ProgressBar
from graphs.management.workspace_option import add_workspace_option, chosen_workspace
from graphs.site.access import NotFound
from rag.embeddings import collections, embedding_models, serving_model
from rag.embeddings.embedder import Embedder, EmbeddingFailed
from rag.embeddings.embedding_models import EmbedderUnavailable
from rag.embeddings.foreground import INTERRUPTED, STOPPED, CommandPass, options_for
from rag.embeddings.updating import BATCH, Progress
from rag.management.quiet import QuietCommand
from rag.sources.graphs.nodes import collection_named


class Command(QuietCommand):
    help = (
        "Embeds the nodes and objects that have no vector of their present text. It may be interrupted and run again, "
        "run twice at once, and run while the site is used."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--graph", help="only the nodes of the graph with this key")
        add_workspace_option(parser)
        parser.add_argument("--model", help="such as openai/text-embedding-3-small; default: the one that serves")
        parser.add_argument("--force", action="store_true", help="also those whose vector is of their present text")
        parser.add_argument("--batch", type=int, default=BATCH, help="texts of one call (default: %(default)s)")
        parser.add_argument("--delay", type=int, default=100, help="ms between two calls to a vendor (default: 100)")

    def handle(self, *args: Any, batch: int, delay: int, force: bool, **options: Any) -> None:
        if batch < 1 or delay < 0:
            raise CommandError("--batch is 1 or more, --delay 0 or more.")
        embedder = _embedder(options["model"])
        names = _collections(options["graph"], options["workspace"])
        bar = ProgressBar(self.stdout, sum(map(collections.size, names)), "texts")
        total = Progress()
        embed_options = options_for(embedder, batch=batch, delay_ms=delay, force=force)
        try:
            for _name, steps in CommandPass(embedder, embed_options).embed(names):
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


def _collections(graph: str | None, slug: str | None) -> list[str]:
    """The names of the collections to embed."""
    if graph is None:
        collections.discover()
        return collections.names(chosen_workspace(slug).pk if slug is not None else None)
    workspace = chosen_workspace(slug)
    try:
        return [collection_named(workspace, graph)]
    except NotFound:
        raise CommandError(f'There is no graph "{graph}" in the workspace "{workspace.slug}".') from None


def _embedder(name: str | None) -> Embedder:
    configured = embedding_models.configured()
    if not configured:
        raise CommandError("Embeddings are switched off: EMBEDDING_PROVIDER is none.")
    try:
        return embedding_models.by_name(name or serving_model.serving() or configured)
    except EmbedderUnavailable as problem:
        raise CommandError(str(problem)) from None
