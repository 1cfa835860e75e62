"""What was looked up for a question, as it stands with the question."""

from rag.sources.block import Block
from rag.texts.fencing import fenced


def context_text(block: Block) -> str:
    """What stands with a question, in every later turn too: what its source found, fenced and labelled as data."""
    return fenced(block.heading, block.body) if block.body else f"[{block.heading}]"
