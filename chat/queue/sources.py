"""The sources of the queue, each described once: a new kind of work is one more here."""

from collections.abc import Mapping

from chat.queue.answers import Answers
from chat.queue.embeddings import Embeddings
from chat.queue.entry import Source
from chat.queue.generations import Generations
from chat.queue.imports import Imports

SOURCES: Mapping[str, Source] = {source.kind: source for source in (Answers(), Generations(), Embeddings(), Imports())}
