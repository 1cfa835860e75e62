"""What a vendor may do with HTTP itself: compress, redirect, lie about the type, send without end or not at all."""

import gzip
import socket
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from chat.providers import retrying, streaming
from chat.providers.provider_error import ProviderError
from tests.chat.providers.reading import KEY, KINDS, ask, config_for, folded
from tests.vendors import Script, VendorServer, recorded

pytestmark = pytest.mark.parametrize("kind", KINDS)
#: What one answer may take of our memory, whatever is sent.
MOST_MEMORY = 50 * 1024 * 1024
ALLOWED_TIMES = 3


def recording(kind: str) -> bytes:
    return b"".join(recorded.events(kind, "three_tools"))


def failure_of(kind: str, vendor: VendorServer, **fields: float) -> ProviderError:
    with pytest.raises(ProviderError) as failed:
        ask(config_for(kind, vendor, **fields))
    return failed.value


@contextmanager
def little_memory() -> Iterator[None]:
    """Fails if more is allocated meanwhile than one answer may take."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < MOST_MEMORY


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_it_follows_no_redirection_with_the_key(kind, vendor, status):
    with VendorServer() as elsewhere:
        vendor.script(Script(status=status, error="moved", headers={"location": f"{elsewhere.url}/v1/messages"}))
        error = failure_of(kind, vendor)
        assert (error.code, error.status, error.retryable) == ("internal", status, False)
        assert len(vendor.requests) == 1
        assert elsewhere.requests == []


@pytest.mark.parametrize("content_type", ["text/plain", "application/octet-stream", "text/html", "nonsense"])
def test_it_reads_events_whatever_they_are_called(kind, vendor, content_type):
    vendor.script(Script(raw=recording(kind), content_type=content_type))
    assert len(folded(ask(config_for(kind, vendor))).tool_calls) == 3


def test_it_reads_an_answer_that_is_compressed_unasked(kind, vendor):
    compressed = gzip.compress(recording(kind))
    half = compressed[: len(compressed) // 2]
    headers = {"content-encoding": "gzip"}
    vendor.script(Script(raw=compressed, headers=headers), *[Script(raw=half, headers=headers)] * ALLOWED_TIMES)
    assert len(folded(ask(config_for(kind, vendor))).tool_calls) == 3
    assert failure_of(kind, vendor).code == "network"


def test_a_bomb_does_not_go_off(kind, vendor, monkeypatch):
    monkeypatch.setattr(retrying, "MAX_ATTEMPTS", 1)
    bomb = gzip.compress(bytes(200_000_000))
    vendor.script(Script(raw=bomb, headers={"content-encoding": "gzip"}))
    with little_memory():
        assert failure_of(kind, vendor).code == "server_error"


@pytest.mark.parametrize(
    "start",
    [b"data: ", b": ", b"event: ", b'data: {"error": "', b"{"],
    ids=["data", "comment", "name", "error", "json"],
)
def test_a_line_without_end_takes_little_memory(kind, vendor, monkeypatch, start):
    monkeypatch.setattr(retrying, "MAX_ATTEMPTS", 1)
    vendor.script(Script(raw=start + b"x" * 10_000_000, slice_bytes=65_536))
    with little_memory():
        assert failure_of(kind, vendor).code == "server_error"


@pytest.mark.parametrize("status", [200, 400, 500])
def test_an_error_without_end_takes_little_memory(kind, vendor, monkeypatch, status):
    monkeypatch.setattr(retrying, "MAX_ATTEMPTS", 1)
    error = b'{"error": {"type": "server_error", "message": "' + b"sorry " * 2_000_000 + b'"}}'
    vendor.script(Script(status=status, raw=error, content_type="application/json", slice_bytes=65_536))
    with little_memory():
        failure = failure_of(kind, vendor)
    assert len(failure.said) <= 500
    assert failure.status == (None if status == 200 else status)


@pytest.mark.parametrize(("status", "charset"), [(307, "utf-8"), (401, "hex"), (401, "undefined")])
def test_it_knows_by_its_status_what_is_no_answer(kind, vendor, status, charset):
    endless = {"raw": (b"x" * 70_000,), "stall_at": 1, "content_type": f"application/json; charset={charset}"}
    vendor.script(Script(status=status, **endless))
    assert failure_of(kind, vendor, idle_timeout_s=5.0).status == status


def test_an_error_that_holds_the_key_is_told_without_it(kind, vendor):
    vendor.script(Script(status=400, error=f"You sent {KEY} with Bearer {KEY}", headers={"x-key": KEY}))
    error = failure_of(kind, vendor)
    assert KEY not in f"{error.detail}{error.said}{error!r}{error.__cause__!r}"


def test_a_vendor_that_takes_no_connection_is_given_up(kind, vendor, monkeypatch):
    monkeypatch.setattr(retrying, "MAX_ATTEMPTS", 1)
    monkeypatch.setattr(streaming, "CONNECT_TIMEOUT_S", 0.3)
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(full.getsockname())
        config = replace(config_for(kind, vendor), base_url=f"http://127.0.0.1:{full.getsockname()[1]}")
        with pytest.raises(ProviderError) as failed:
            ask(config)
        for each in waiting:
            each.close()
    assert (failed.value.code, failed.value.billed) == ("timeout", False)
