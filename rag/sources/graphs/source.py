"""How a graph is told to a model: the part of it that a question is about."""

from graphs.models import Graph, Object
from graphs.site.access import Member
from rag.embeddings.metering import Account
from rag.sources.block import Block
from rag.sources.graphs.retrieve import retrieve
from rag.sources.graphs.tables import block_of


class SourceOfGraphs:
    """Its nodes, found by words, vectors and edges."""

    def retrieve(self, member: Member, about: Object, question: str, account: Account) -> Block:
        """The nodes that the question is about, with what is between and around them."""
        assert isinstance(about, Graph)
        return block_of(retrieve(about, question, account))
