"""The model that needs no key and no network: WordLlama's table of tokens, read from its wheel (decision 0017).

A text is the sum of its tokens' vectors; a token that comes n times counts 1 + ln n.
"""

import json
import threading
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rag.embeddings.embedder import Embedded, EmbeddingFailed, Purpose, normalised

if TYPE_CHECKING:
    from tokenizers import Tokenizer

DIMENSIONS = 256
#: More of a text is not read.
MAX_TOKENS = 1_024
#: Stands for a text without any token.
UNKNOWN = 0


class LocalEmbedder:
    dimensions = DIMENSIONS

    def __init__(self, name: str) -> None:
        self.name = name
        self._loading = threading.Lock()

    def embed(self, texts: Sequence[str], purpose: Purpose) -> Embedded:
        tokenizer, table = self._model
        vectors = np.empty((len(texts), DIMENSIONS), np.float32)
        tokens = 0
        for row, encoding in zip(vectors, tokenizer.encode_batch(list(texts), add_special_tokens=False), strict=True):
            found, times = np.unique(encoding.ids[:MAX_TOKENS] or [UNKNOWN], return_counts=True)
            row[:] = (1 + np.log(times)) @ table[found]
            tokens += int(times.sum())
        return Embedded(normalised(vectors), tokens, estimated=False)

    def load(self) -> None:
        """Reads the model, if nobody has. Raises `EmbeddingFailed`."""
        _ = self._model

    @property
    def _model(self) -> "tuple[Tokenizer, NDArray[np.float16]]":
        with self._loading:
            return self._loaded

    @cached_property
    def _loaded(self) -> "tuple[Tokenizer, NDArray[np.float16]]":
        try:
            from tokenizers import Tokenizer

            if (package := find_spec("wordllama")) is None:
                raise FileNotFoundError("wordllama is not installed")
            folder = Path(package.origin or "").parent
            tokenizer = Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
            return tokenizer, _table(folder / "weights" / "l2_supercat_256.safetensors")
        except Exception as error:  # Any: whatever is wrong with an installation, words alone find something too.
            raise EmbeddingFailed("server_error", detail=f"the local model cannot be loaded: {error}") from error


def _table(file: Path) -> NDArray[np.float16]:
    """The only tensor of the file (length, JSON header, numbers), left on disk: processes share its pages."""
    with file.open("rb") as opened:
        length = int.from_bytes(opened.read(8), "little")
        tensors = json.loads(opened.read(length))
    tensors.pop("__metadata__", None)
    (tensor,) = tensors.values()
    start = 8 + length + tensor["data_offsets"][0]
    return np.memmap(file, np.dtype("<f2"), "r", start, tuple(tensor["shape"]))
