"""A graph of 20 MB that is asked for 24 times at once, and by readers who stall: memory stays within bounds."""

import json
import socket
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from urllib.error import HTTPError

import pytest
from django.contrib.auth.models import User

from graphs.models import Graph, Node, Sheet
from graphs.site.api import tokens
from tests.faults.test_stalled_readers import Memory, read_to_the_end, slow_socket, until
from tests.site import site
from tests.web_process import WebProcess

pytestmark = [
    pytest.mark.processes,
    pytest.mark.faults,
    pytest.mark.timeout(600),
    pytest.mark.django_db(transaction=True),
]

NODES = 20_000
BYTES_OF_NODE = 850
AT_ONCE = 24
#: Two that are made at a time take about 220 MB.
MORE_MEMORY_KIB = 400 * 1024
PATHS = ("/api/v1/graphs/big/export", "/api/v1/graphs/big")


@pytest.fixture
def big(demo_workspace: object, nba: Graph) -> Graph:
    graph = Graph.objects.create(workspace=nba.workspace, key="big", name="Big")
    sheet = Sheet.objects.create(graph=graph, key="main", name="Main")
    Node.objects.bulk_create(
        [
            Node(graph=graph, sheet=sheet, key=f"n{number}", type="step", process="x" * BYTES_OF_NODE)
            for number in range(NODES)
        ],
        batch_size=2_000,
    )
    return graph


@pytest.fixture
def web(big: Graph, alice: User, bob: User) -> Iterator[WebProcess]:
    with site(1) as here:
        yield here.web


def got(web: WebProcess, path: str, token: str) -> tuple[int, int]:
    """The status of an answer and its length; 0 for a refusal that says when to come again."""
    asked = urllib.request.Request(f"{web.url}{path}", headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(asked, timeout=120) as answer:
            return answer.status, len(answer.read())
    except HTTPError as error:
        refusal = json.load(error)["code"], bool(error.headers["Retry-After"])
        return error.code, 0 if refusal == ("throttled", True) else -1


def test_one_viewer_asks_24_times_at_once(web: WebProcess, alice: User, bob: User) -> None:
    token, other = tokens.issue(bob).access, tokens.issue(alice).access
    whole = got(web, PATHS[0], token)
    assert whole[0] == 200
    assert whole[1] > 20_000_000
    memory = Memory(web)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        asked = [pool.submit(got, web, PATHS[index % 2], token) for index in range(AT_ONCE)]
        beside: list[float] = []
        while not all(each.done() for each in asked):
            began = time.monotonic()
            assert got(web, "/api/v1/kinds", other)[0] == 200, "others are answered meanwhile"
            beside.append(time.monotonic() - began)
            memory.look()
            time.sleep(0.02)
    answered = [each.result() for each in asked]
    assert all(status == 200 or (status, length) == (429, 0) for status, length in answered)
    assert sum(status == 200 for status, _length in answered) >= 2
    assert all(length > 15_000_000 for status, length in answered if status == 200)
    said = f"{memory.more_kib} KiB more, others {max(beside):.2f} s at most, {sorted(beside)[len(beside) // 2]:.3f} s"
    print(f"\n{answered.count(whole)} of {AT_ONCE} answered at once: {said}")  # noqa: T201
    assert memory.look() < MORE_MEMORY_KIB
    assert "Traceback" not in web.log()


def stalled(web: WebProcess, token: str) -> socket.socket:
    request = slow_socket(web)
    request.sendall(
        f"GET {PATHS[0]} HTTP/1.1\r\nHost: 127.0.0.1:{web.port}\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    )
    return request


def test_readers_who_stall_lose_their_answers_and_their_places(web: WebProcess, alice: User, bob: User) -> None:
    token = tokens.issue(bob).access
    memory = Memory(web)
    with ExitStack() as open_ones:
        requests = [open_ones.enter_context(stalled(web, token)) for _ in range(8)]
        until(lambda: memory.look() and web.log().count("cut off") >= 2)
        assert got(web, PATHS[0], tokens.issue(alice).access)[0] == 200
        for request in requests[:2]:
            with pytest.raises(ConnectionResetError):
                read_to_the_end(request)
    until(lambda: got(web, PATHS[0], token)[0] == 200)
    print(f"\n8 readers who stall: {memory.more_kib} KiB more")  # noqa: T201
    assert memory.look() < MORE_MEMORY_KIB
    assert "Traceback" not in web.log()
