"""The sources by the kinds of objects they are for. A kind without one of its own gets that of any object."""

from collections.abc import Sequence
from typing import Protocol

from graphs.models import Object
from graphs.objects.kinds import Kind, is_object, of_objects
from graphs.site.access import Member
from graphs.site.accounts import Account
from rag.sources.block import Block, Dump

#: Objects of a kind that are listed where a conversation is about none.
MAX_LISTED = 60


class Source(Protocol):
    """How objects of a kind are told to a model."""

    def retrieve(self, member: Member, about: Object, question: str, account: Account) -> Block:
        """What a question is about, of an object that the member may see. `account` pays for its vector."""

    def overviews(self, member: Member, kinds: Sequence[Kind]) -> Sequence[Block]:
        """Of each of these kinds the first objects that the member may see, `MAX_LISTED` at most.

        It is asked once for all kinds that have this source.
        """

    def dump(self, member: Member, about: Object, question: str) -> Dump:
        """What is found for a question, with the reasons, for people."""


#: Stands for the kinds that have no source of their own.
ANY = ""
_sources: dict[str, Source] = {}


def register(kind: str, source: Source) -> None:
    """Gives a kind its source, when the program starts. Raises `ValueError` for what cannot work."""
    if kind != ANY and not is_object(kind):
        raise ValueError(f"No kind of object is called {kind!r}. Register the model with graphs.objects before.")
    if kind in _sources:
        raise ValueError(f"Two sources are registered for {kind!r}. Keep one of them.")
    missing = [name for name in ("retrieve", "overviews", "dump") if not callable(getattr(source, name, None))]
    if missing:
        raise ValueError(f"{kind}: {source!r} is no source. Write its methods {', '.join(missing)}.")
    if isinstance(source, type):
        raise ValueError(f"{kind}: {source!r} is a class. Write register({kind!r}, {source.__name__}()).")
    _sources[kind] = source


def source_of(kind: str) -> Source:
    """The source of a kind."""
    return _sources.get(kind) or _sources[ANY]


def kinds_without_source() -> list[str]:
    """The names of the kinds of objects that get the source of any object. What is a view is found as its whole."""
    return [kind.name for kind in of_objects() if kind.name not in _sources and not kind.view_of]


def workspace_block(member: Member) -> Block:
    """What a conversation about no object is told: the first objects of each kind that has pages, by name."""
    kinds = [kind for kind in of_objects() if kind.url and not kind.view_of]
    by_source: dict[int, list[Kind]] = {}
    for kind in kinds:
        by_source.setdefault(id(source_of(kind.name)), []).append(kind)
    told: dict[str, Block] = {}
    for some in by_source.values():
        overviews = source_of(some[0].name).overviews(member, some)
        told |= {kind.name: block for kind, block in zip(some, overviews, strict=True)}
    blocks = [told[kind.name] for kind in kinds]
    return Block(
        " ".join(block.heading for block in blocks),
        "\n\n".join(block.body for block in blocks if block.body),
        frozenset().union(*(block.read for block in blocks)),
    )
