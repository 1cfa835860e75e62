"""How much of a graph a context holds. The settings say it, from the variables `RETRIEVAL_...` (docs/retrieval.md)."""

from dataclasses import dataclass

from django.conf import settings


@dataclass(frozen=True, slots=True)
class Options:
    """The limits of a context: nodes, steps along edges, characters of code and of data."""

    nodes: int
    depth: int
    process_chars: int
    data_chars: int


def configured() -> Options:
    return Options(
        settings.RETRIEVAL_NODES,
        settings.RETRIEVAL_DEPTH,
        settings.RETRIEVAL_PROCESS_CHARS,
        settings.RETRIEVAL_DATA_CHARS,
    )
