"""OpenAI's wire, spoken with a server that answers as the vendor does, and as it should not."""

import json
from typing import Any

import numpy as np
import pytest

from rag.embeddings import openai
from rag.embeddings.embedder import EmbeddingFailed
from rag.embeddings.openai import OpenAIEmbedder
from tests.vendors import embeddings_wire
from tests.vendors.embeddings_wire import vector
from tests.vendors.scripts import Script
from tests.vendors.server import VendorServer

KEY = "sk-test-0123456789abcdef"


def embedder(
    vendor: VendorServer, model: str = "text-embedding-3-small", dimensions: int | None = 1536
) -> OpenAIEmbedder:
    return OpenAIEmbedder(f"openai/{model}", vendor.openai_url, KEY, dimensions)


def answer(*vectors: Any, **fields: Any) -> Script:
    items = [{"object": "embedding", "index": index, "embedding": each} for index, each in enumerate(vectors)]
    whole = {"object": "list", "data": items, "model": "m", "usage": {"prompt_tokens": 7, "total_tokens": 7}} | fields
    return Script(raw=json.dumps(whole).encode(), content_type="application/json")


def test_a_batch_is_one_request_and_comes_back_in_order(vendor: VendorServer) -> None:
    texts = [f"text {number}" for number in range(5)]
    found = embedder(vendor).embed(texts, "stored")
    (request,) = vendor.requests
    assert request.path == "/v1/embeddings"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {"input": texts, "model": "text-embedding-3-small", "encoding_format": "float"}
    assert found.vectors.shape == (5, 1536)
    assert (found.tokens, found.estimated) == (15, False)
    raw = np.array([vector(text, 1536) for text in texts], np.float32)
    assert np.allclose(found.vectors, raw / np.linalg.norm(raw, axis=1, keepdims=True), atol=1e-6)


def test_the_dimensions_of_an_endpoint_that_nobody_described_are_those_of_its_answer(
    vendor: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = embedder(vendor, "tiny", None)
    assert tiny.dimensions is None
    tiny.embed(["a text"], "stored")
    assert tiny.dimensions == 8
    monkeypatch.setattr(embeddings_wire, "OTHERS", 12)
    with pytest.raises(EmbeddingFailed, match="12 dimensions, not 8"):
        tiny.embed(["a text"], "stored")
    assert tiny.dimensions is None
    tiny.embed(["a text"], "stored")
    assert tiny.dimensions == 12


def test_the_dimensions_of_a_model_that_is_known_stay(vendor: VendorServer) -> None:
    described = embedder(vendor, "tiny", 1536)
    for _ in range(2):
        with pytest.raises(EmbeddingFailed, match="8 dimensions, not 1536"):
            described.embed(["a text"], "stored")


def test_tokens_that_were_not_counted_are_estimated(vendor: VendorServer) -> None:
    vendor.script(answer([1.0, 2.0], usage={}))
    found = embedder(vendor, "tiny", 2).embed(["12345"], "question")
    assert (found.tokens, found.estimated) == (2, True)


QUOTA = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota", "type": "insufficient_quota"}}


JSON = "application/json"
WHOLE = '{"data": [{"index": 0, "embedding": [1.0, 2.0]}], "usage": {"prompt_tokens": 7}}'


def changed(old: str, new: str) -> Script:
    assert old in WHOLE
    return Script(raw=WHOLE.replace(old, new).encode(), content_type=JSON)


@pytest.mark.parametrize("counted", ["-5", "0", "1e300", "1e999", "10000000", '"7"', "[7]", "true", "null"])
def test_tokens_that_cannot_be_believed_are_estimated(vendor: VendorServer, counted: str) -> None:
    vendor.script(changed(": 7", f": {counted}"))
    found = embedder(vendor, "tiny", 2).embed(["12345"], "stored")
    assert (found.tokens, found.estimated) == (2, True)


@pytest.mark.parametrize(
    "script",
    [
        Script(raw=b"", content_type=JSON),
        Script(raw=WHOLE[:-5].encode(), content_type=JSON),
        Script(raw=b'{"data": "\xff\xfe"}', content_type=JSON),
        Script(raw=b"[" * 100_000, content_type=JSON),
        changed('"index": 0', '"index": 1e999'),
        changed("1.0", "1" + 400 * "0"),
        changed("1.0, 2.0", ", ".join(["1.0"] * 16_001)),
        Script(raw=(b" " * 1_000_000,) * 3, content_type=JSON),
    ],
    ids=["empty", "cut", "not UTF-8", "deep", "index", "number", "dimensions", "long"],
)
def test_an_answer_that_cannot_be_used_is_a_failure_that_may_cost_something(
    vendor: VendorServer, script: Script
) -> None:
    vendor.script(script)
    with pytest.raises(EmbeddingFailed) as failed:
        embedder(vendor, "tiny", None).embed(["a"], "stored")
    assert (failed.value.code, failed.value.answered) == ("server_error", True)


def test_a_question_does_not_wait_for_an_answer_that_comes_byte_by_byte(
    vendor: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai, "QUESTION_TIMEOUT_S", 0.3)
    vendor.script(Script(raw=(b" ",) * 300, delay_s=0.02, content_type=JSON))
    with pytest.raises(EmbeddingFailed, match="in time"):
        embedder(vendor, "tiny", 2).embed(["a"], "question")


@pytest.mark.parametrize(
    "script",
    [
        Script(status=500, raw=(b"x" * 70_000,), stall_at=1),
        Script(status=500, raw=(b"x",) * 300, delay_s=0.02),
        Script(status=500, raw=(b"x",), cut="eof", cut_at=1),
        Script(status=500, raw=b"{}", content_type="application/json; charset=hex"),
        Script(status=500, raw=b"{}", content_type="application/json; charset=undefined"),
        Script(status=307, raw=(b"x" * 70_000,), stall_at=1, headers={"location": "http://127.0.0.1:1/"}),
    ],
    ids=["endless", "slow", "cut", "bytes", "no encoding", "endless redirection"],
)
def test_an_error_that_does_not_end_is_known_by_its_status(
    vendor: VendorServer, monkeypatch: pytest.MonkeyPatch, script: Script
) -> None:
    monkeypatch.setattr(openai, "TIMEOUT_S", 1.0)
    vendor.script(script)
    with pytest.raises(EmbeddingFailed, match=f"HTTP {script.status}"):
        embedder(vendor, "tiny", 2).embed(["a"], "stored")


@pytest.mark.parametrize(
    ("script", "code", "retryable"),
    [
        (Script(status=429, error="Too many requests", headers={"retry-after": "7"}), "rate_limit", True),
        (Script(status=429, error=QUOTA), "rate_limit", False),
        (Script(status=500, error="The server had an error"), "server_error", True),
        (Script(status=401, error=f"Incorrect API key provided: {KEY}"), "auth_error", False),
        (Script(status=400, error="This model's maximum context length is 8192 tokens"), "context_length", False),
        (Script(status=400, error="Invalid input"), "internal", False),
        (Script(status=302, error="", headers={"location": "http://127.0.0.1:1/"}), "auth_error", False),
        (Script(cut="reset"), "network", True),
        (Script(raw=b"<html>502</html>", content_type="text/html"), "server_error", True),
        (Script(raw=b"{}", content_type="application/json"), "server_error", True),
        (answer([float("nan"), 1.0]), "internal", False),
        (answer([0.0, 0.0]), "internal", False),
        (answer([1.0, 2.0, 3.0]), "server_error", False),
        (answer([1.0, 2.0], [1.0, 2.0]), "server_error", True),
        (answer(["x", "y"]), "server_error", True),
        (answer(), "server_error", True),
    ],
)
def test_what_goes_wrong_is_one_error_with_a_code(
    vendor: VendorServer, script: Script, code: str, retryable: bool
) -> None:
    vendor.script(script)
    with pytest.raises(EmbeddingFailed) as failed:
        embedder(vendor, "tiny", 2).embed(["a"], "stored")
    assert (failed.value.code, failed.value.retryable) == (code, retryable)
    assert failed.value.retry_after == (7.0 if "retry-after" in script.headers else None)
    assert KEY not in str(failed.value)
    assert len(vendor.requests) == 1


def test_questions_do_not_wait_for_an_endpoint_that_just_failed(vendor: VendorServer) -> None:
    tiny = embedder(vendor, "tiny", 8)
    vendor.script(Script(status=503, error="away"))
    for _ in range(3):
        with pytest.raises(EmbeddingFailed):
            tiny.embed(["a"], "question")
    assert len(vendor.requests) == 1
    assert tiny.embed(["a"], "stored").vectors.shape == (1, 8)


def test_a_question_that_is_refused_stops_no_other(vendor: VendorServer) -> None:
    tiny = embedder(vendor, "tiny", 8)
    with pytest.raises(EmbeddingFailed, match="HTTP 400"):
        tiny.embed(["refused"], "question")
    assert tiny.embed(["a"], "question").vectors.shape == (1, 8)
