"""Data between two marks that it cannot imitate, so that no row or text looks like an instruction or like a person."""

import hashlib

from rag.sources.block import Block


def fenced(about: str, body: str) -> str:
    """The body between marks made of its own digest, under a line that says what it is."""
    mark = hashlib.sha256(body.encode()).hexdigest()[:12]
    return f"[{about}]\n<data {mark}>\n{body}\n</data {mark}>"


def context_text(block: Block) -> str:
    """What stands with a question, in every later turn too: what its source found, fenced and labelled as data."""
    return fenced(block.heading, block.body) if block.body else f"[{block.heading}]"
