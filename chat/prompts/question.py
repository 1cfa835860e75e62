"""The context that stands with a question: what its source found, fenced and labelled as data.

The engine keeps the text in `Message.retrieved`, so that it reads the same in every later turn.
"""

from chat.prompts.fencing import fenced
from rag.sources.block import Block


def context_text(block: Block) -> str:
    """The block between two marks that what it holds cannot imitate."""
    return fenced(block.heading, block.body) if block.body else f"[{block.heading}]"
