"""What a source answers to a question."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """What a model is shown: the heading says what the body is, and stands alone if there is no body."""

    heading: str
    body: str = ""
