"""`manage.py migrate_embeddings --to M [--drop-old]`: from one model to another while the site is used."""

from collections import Counter
from typing import Any

from django.core.management.base import CommandError, CommandParser

from graphs.management.progress import ProgressBar
from rag.embeddings import collections, dropping, embedding_models, serving_model
from rag.embeddings.collections import waiting
from rag.embeddings.embedder import Embedder, EmbeddingFailed
from rag.embeddings.embedding_models import EmbedderUnavailable
from rag.embeddings.foreground import INTERRUPTED, STOPPED, CommandPass, options_for
from rag.embeddings.updating import BATCH, EmbedOptions
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
        if not embedding_models.configured():
            raise CommandError("Embeddings are switched off: EMBEDDING_PROVIDER is none.")
        try:
            self._migrate(to, delay)
            if drop_old:
                for name in dropping.drop_all_but(to):
                    self.stdout.write(f"The vectors of {name} are dropped.")
        except EmbedderUnavailable as problem:
            raise CommandError(str(problem)) from None
        except serving_model.Overtaken:
            serving_model.clear_cache()  # what this process knows is from before
            raise CommandError(
                f"Another migration was ready first: questions are answered by {serving_model.serving()}, not by {to}. "
                f"Run this again if {to} shall answer them."
            ) from None
        except EmbeddingFailed as failure:
            raise CommandError(f"{to} fails ({failure.code}: {failure}). Run this again to go on.") from None
        except KeyboardInterrupt:
            raise CommandError(STOPPED, returncode=INTERRUPTED) from None

    def _migrate(self, to: str, delay: int) -> None:
        embedder = embedding_models.by_name(to)
        collections.discover()
        if not collections.names():
            serving_model.add_pending(to)
        self._embed(embedder, options_for(embedder, batch=BATCH, delay_ms=delay))
        serving_model.clear_cache()  # it took long
        before = serving_model.serving()
        serving_model.switch_to(to)
        no_longer = f", {before} no longer" if before not in ("", to) else ""
        self.stdout.write(f"{to} answers questions now{no_longer}.")
        if failed := EmbeddingFailure.objects.filter(model=to).count():
            self.stdout.write(f"Texts that it refused: {failed:,}; the admin's queue names them.")

    def _embed(self, embedder: Embedder, options: EmbedOptions) -> None:
        """Embeds round by round, because collections change meanwhile. Changes after the second are the worker's."""
        whole, looked_at = CommandPass(embedder, options, only_changes=True), Counter[str]()
        sizes = {each.name: collections.size(each.name) for each in waiting(embedder.name)}
        bar = ProgressBar(self.stdout, sum(sizes.values()), "texts")
        try:
            while names := [each.name for each in waiting(embedder.name) if looked_at[each.name] < ROUNDS]:
                for name, steps in whole.embed(names):
                    looked_at[name] += 1
                    seen = 0
                    for progress in steps:
                        bar.advance(progress.seen)
                        seen += progress.seen
                    # Only what changed was looked at, if the model knew the collection.
                    bar.advance(max(sizes.get(name, 0) - seen, 0))
        finally:
            bar.close()
