"""The language between those who make vectors and those who store and compare them. Nothing here knows a vendor."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from graphs.site.vendor_errors import RETRYABLE, ErrorCode

if TYPE_CHECKING:
    # Loaded with the first vector, not with every process.
    import numpy as np
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[np.float32]"
#: A text that is kept to be found, or the question that looks for it; some models embed them differently.
Purpose = Literal["stored", "question"]
#: What is wrong with one text, not with the way to the model: the others of its batch may be embedded without it.
OF_THE_TEXT = frozenset({"content_filter", "context_length", "internal"})
#: What a text may do to an endpoint, and what an endpoint answers to all texts while it is broken.
BROKEN = frozenset({"server_error", "network", "timeout"})
#: A text that every model takes: one that fails at it is broken, one that does not is not.
HARMLESS = "dimensions"


@dataclass(frozen=True, slots=True)
class Embedded:
    """One row for each text, of length 1; `tokens` were read, `estimated` if the vendor did not say how many."""

    vectors: Vectors
    tokens: int
    estimated: bool


class EmbeddingFailed(Exception):
    """There are no vectors. `detail` is for logs, without a vendor's words; `retry_after` is in seconds, or None.

    `asked`: the model was; `answered`: with something that cannot be used, so that the call may cost money.
    """

    def __init__(
        self,
        code: ErrorCode,
        retryable: bool | None = None,
        *,
        detail: str = "",
        retry_after: float | None = None,
        asked: bool = True,
        answered: bool = False,
    ) -> None:
        super().__init__(detail or code)
        self.code = code
        self.retryable = code in RETRYABLE if retryable is None else retryable
        self.retry_after = retry_after
        self.asked = asked
        self.answered = answered


class Embedder(Protocol):
    """One model. `name` is what `Embedding.model` holds; instances live as long as the process, for all threads."""

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int | None:
        """Vector length; None until the model has answered once, and again after its length changed."""

    def embed(self, texts: Sequence[str], purpose: Purpose) -> Embedded:
        """The vectors of the texts. Raises `EmbeddingFailed` for all of them."""
        ...


def length(embedder: Embedder) -> int:
    """The dimensions of a model that was adopted. Raises `EmbeddingFailed` if they are changing just now."""
    if embedder.dimensions is None:
        raise EmbeddingFailed("server_error", retryable=False, detail="vectors of another length", asked=False)
    return embedder.dimensions


def normalised(vectors: Vectors) -> Vectors:
    """Scales each row to length 1. Raises `EmbeddingFailed` if one cannot be compared with others."""
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not (np.isfinite(lengths) & (lengths > 0)).all():
        raise EmbeddingFailed("internal", detail="a vector without length, or of something that is not a number")
    return vectors / lengths
