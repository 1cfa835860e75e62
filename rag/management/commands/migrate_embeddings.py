"""`manage.py migrate_embeddings --to M [--drop-old]`: from one model to another while the site is used."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db.models import Count

from graphs.management.progress import ProgressBar
from graphs.models import Graph, Node
from rag.embeddings import dropping, registry, serving_model
from rag.embeddings.base import Embedder, EmbeddingFailed
from rag.embeddings.keeping import waiting
from rag.embeddings.nodes import BATCH, Manner
from rag.embeddings.registry import EmbedderUnavailable
from rag.embeddings.whole_graphs import INTERRUPTED, STOPPED, WholeGraphs, manner_for
from rag.management.quiet import QuietCommand
from rag.models import EmbeddingFailure

#: In the first all is done, in the second what changed during the first, which may have taken long.
ROUNDS = 2


class Command(QuietCommand):
    help = (
        "Makes the vectors and indexes of another model beside those that serve, then lets it answer questions. Both "
        "are kept true until the old ones are dropped. It may be interrupted and run again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--to", required=True, help="such as openai/text-embedding-3-small")
        parser.add_argument(
            "--drop-old", action="store_true", help="deletes the vectors of all other models afterwards"
        )
        parser.add_argument("--delay", type=int, default=100, help="ms between two calls to a vendor (default: 100)")

    def handle(self, *args: Any, to: str, drop_old: bool, delay: int, **options: Any) -> None:
        if delay < 0:
            raise CommandError("--delay is 0 or more.")
        if not registry.configured():
            raise CommandError("Embeddings are switched off: EMBEDDING_PROVIDER is none.")
        try:
            self._migrate(to, delay)
            if drop_old:
                for name in dropping.drop_all_but(to):
                    self.stdout.write(f"The vectors of {name} are dropped.")
        except EmbedderUnavailable as problem:
            raise CommandError(str(problem)) from None
        except serving_model.Overtaken:
            serving_model.forget()  # what this process knows is from before
            raise CommandError(
                f"Another migration was ready first: questions are answered by {serving_model.serving()}, not by {to}. "
                f"Run this again if {to} shall answer them."
            ) from None
        except EmbeddingFailed as failure:
            raise CommandError(f"{to} fails ({failure.code}: {failure}). Run this again to go on.") from None
        except KeyboardInterrupt:
            raise CommandError(STOPPED, returncode=INTERRUPTED) from None

    def _migrate(self, to: str, delay: int) -> None:
        embedder = registry.by_name(to)
        if not Graph.objects.exists():
            serving_model.announce(to)
        self._embed(embedder, manner_for(embedder, batch=BATCH, delay_ms=delay))
        serving_model.forget()  # it took long
        before = serving_model.serving()
        serving_model.serve(to)
        no_longer = f", {before} no longer" if before not in ("", to) else ""
        self.stdout.write(f"{to} answers questions now{no_longer}.")
        if failed := EmbeddingFailure.objects.filter(model=to).count():
            self.stdout.write(f"Texts that it refused: {failed:,}; the admin's queue names them.")

    def _embed(self, embedder: Embedder, manner: Manner) -> None:
        """Round by round, because graphs change meanwhile. What changes again after two is the worker's."""
        whole, looked_at = WholeGraphs(embedder, manner, only_changes=True), Counter[int]()
        bar = ProgressBar(self.stdout, Node.objects.filter(graph__in=waiting(embedder.name)).count(), "nodes")
        try:
            while sizes := {pk: size for pk, size in _sizes(embedder.name) if looked_at[pk] < ROUNDS}:
                for graph_id, steps in whole.embed(sizes):
                    looked_at[graph_id] += 1
                    seen = 0
                    for progress in steps:
                        bar.advance(progress.seen)
                        seen += progress.seen
                    # Of a graph that the model knows only what changed was looked at.
                    bar.advance(max(sizes[graph_id] - seen, 0))
        finally:
            bar.close()


def _sizes(model: str) -> Iterable[tuple[int, int]]:
    """The graphs that wait, and how many nodes they have."""
    return waiting(model).annotate(size=Count("nodes")).values_list("pk", "size")
