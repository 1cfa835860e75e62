"""Three things that are embedded together, so that one story can be told of every collection."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from chat.models import AlwaysSend
from graphs.models import Graph, Object, Workspace
from graphs.site.accounts import Account, account_of
from graphs.workflows.kinds import NODE
from rag.embeddings.collections import Collection
from rag.embeddings.embedder import Vectors
from rag.embeddings.storing import TargetVersion, store_vectors
from rag.embeddings.vector_search import nearest
from rag.models import Embedding
from rag.sources.graphs.nodes import GraphNodes
from rag.sources.objects.collection import ObjectFamily, WorkspaceObjects
from tests.cast import draw_nba
from tests.rag.embeddings.steps import change
from tests.registered import pin

KEYS = ("root", "fetch-api", "return")


class Three(ABC):
    """They are known by `KEYS`. `name` is that of their collection, `kind` the kind of what has a vector."""

    name: str
    kind: str

    @abstractmethod
    def __init__(self, workspace: Workspace) -> None: ...

    @property
    @abstractmethod
    def collection(self) -> Collection: ...

    @property
    @abstractmethod
    def account(self) -> Account: ...

    @property
    @abstractmethod
    def rows(self) -> dict[str, tuple[int, int]]:
        """The ids and versions of the rows that vectors point to, by the keys."""

    @abstractmethod
    def say(self, key: str, word: str) -> None:
        """Changes what one of them says."""

    @abstractmethod
    def delete(self, key: str) -> None: ...

    @abstractmethod
    def delete_all(self) -> None:
        """Deletes what they belong to."""

    def hashes(self) -> dict[str, bytes]:
        """What their vectors were made of, by the keys."""
        keys = {pk: key for key, (pk, _version) in self.rows.items()}
        rows = Embedding.objects.filter(collection=self.name)
        return {keys[row.target_id]: bytes(row.content_hash) for row in rows}

    def versions(self) -> list[TargetVersion]:
        return [TargetVersion(self.kind, pk, version, bytes(16)) for pk, version in sorted(self.rows.values())]

    def keep(self, vectors: Vectors, model: str, versions: Sequence[TargetVersion] = ()) -> int:
        """Stores vectors of all that are as they were read, and says how many."""
        return store_vectors(self.collection, model, [*versions] or self.versions(), vectors)

    def nearest(self, model: str, vector: Vectors, limit: int, **options: Any) -> list[tuple[int, float]]:
        """The ids of those that are like a vector, with their cosines."""
        found = nearest(self.name, [self.kind], model, vector, limit, **options)
        return [(near.id, near.cosine) for near in found]


class Nodes(Three):
    """Of the graph of the cast."""

    kind = NODE.name

    def __init__(self, workspace: Workspace) -> None:
        self._graph = draw_nba(workspace)
        self.name = self.collection.name

    @property
    def collection(self) -> Collection:
        return GraphNodes(Graph.objects.get(pk=self._graph.pk))

    @property
    def account(self) -> Account:
        return account_of(self._graph)

    @property
    def rows(self) -> dict[str, tuple[int, int]]:
        return {key: (pk, version) for key, pk, version in self._graph.nodes.values_list("key", "pk", "version")}

    def say(self, key: str, word: str) -> None:
        change(self._graph, key, name=(self._graph.nodes.get(key=key).name, word))

    def delete(self, key: str) -> None:
        self._graph.nodes.filter(key=key).delete()

    def delete_all(self) -> None:
        Graph.objects.filter(pk=self._graph.pk).delete()


class Pins(Three):
    """Objects of a kind that another application registered."""

    kind = "pin"

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.name = self.collection.name
        self._pins = {key: str(pin(workspace, f"Pin {key}").pk) for key in KEYS}
        ObjectFamily().discover()

    @property
    def collection(self) -> Collection:
        return WorkspaceObjects(self._workspace)

    @property
    def account(self) -> Account:
        return Account(self._workspace.pk)

    @property
    def rows(self) -> dict[str, tuple[int, int]]:
        keys = {pk: key for key, pk in self._pins.items()}
        headers = Object.objects.filter(workspace=self._workspace, type=self.kind)
        return {keys[header.key]: (header.pk, header.version) for header in headers}

    def say(self, key: str, word: str) -> None:
        row = AlwaysSend.objects.get(pk=self._pins[key])
        row.part_key = word
        row.save()

    def delete(self, key: str) -> None:
        Object.objects.filter(type=self.kind, key=self._pins[key]).delete()

    def delete_all(self) -> None:
        Workspace.objects.filter(pk=self._workspace.pk).delete()
