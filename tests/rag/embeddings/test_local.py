"""The local model: it needs nothing, and what means the same is alike."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rag.embeddings.embedder import EmbeddingFailed
from rag.embeddings.local import DIMENSIONS, LocalEmbedder

ROOT = Path(__file__).parents[3]
EMBEDDER = LocalEmbedder("local/test")


def test_vectors_have_their_length_and_tell_what_is_alike() -> None:
    texts = ["send an email to the customer", "mail the client", "delete a row of the database", "", "é😀\x00"]
    found = EMBEDDER.embed(texts, "stored")
    assert found.vectors.shape == (5, DIMENSIONS)
    assert found.vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(found.vectors, axis=1), 1, atol=1e-5)
    alike, other = found.vectors[0] @ found.vectors[1], found.vectors[0] @ found.vectors[2]
    assert alike > 0.4 > other
    assert found.tokens > 15
    assert not found.estimated


def test_the_same_text_has_the_same_vector_alone_and_among_others() -> None:
    alone = EMBEDDER.embed(["filter active players"], "question").vectors[0]
    among = EMBEDDER.embed(["x", "filter active players", "y" * 50_000], "stored").vectors[1]
    assert np.array_equal(alone, among)


def test_a_broken_installation_is_a_failure_that_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.embeddings.local.find_spec", lambda _name: None)
    with pytest.raises(EmbeddingFailed, match="not installed") as failed:
        LocalEmbedder("local/broken").embed(["text"], "question")
    assert (failed.value.code, failed.value.retryable) == ("server_error", True)


def test_a_process_that_embeds_nothing_loads_nothing_of_it() -> None:
    code = "import sys, django; django.setup(); from rag.sources.graphs import retrieve; "
    code += "print({'numpy', 'tokenizers'} & {*sys.modules})"
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT, env=env)
    assert loaded.stdout == "set()\n"
