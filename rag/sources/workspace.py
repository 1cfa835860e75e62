"""What a conversation about no object is told with a question: which objects with a page its workspace has."""

from graphs.objects.kinds import of_objects
from graphs.site.access import Member
from rag.sources.block import Block
from rag.sources.registry import source_of


def workspace_block(member: Member) -> Block:
    """The first objects of each kind that has pages, by name."""
    blocks = [source_of(kind.name).overview(member, kind) for kind in of_objects() if kind.url]
    return Block(" ".join(block.heading for block in blocks), "\n\n".join(block.body for block in blocks if block.body))
