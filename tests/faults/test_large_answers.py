"""A graph of 20 MB that is asked for 24 times at once, and by readers who stall: memory stays within bounds.

How long others wait meanwhile is printed (`-s`), beside how long they wait alone, and not asserted.
"""

import json
import socket
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from statistics import median
from urllib.error import HTTPError

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoDbBlocker

from chat.web.large_answers import MOST_OF_ONE
from graphs.history import changes
from graphs.models import Graph, Node, Role, Sheet, Workspace
from graphs.objects.operations import Update
from graphs.objects.refs import Ref
from graphs.site.api import tokens
from tests.cast import draw_nba, member
from tests.emptying import kept
from tests.faults.test_stalled_readers import Memory, read_to_the_end, slow_socket, until
from tests.graphs.history.test_rollback import by
from tests.site import site
from tests.web_process import PATIENT, WebProcess

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


@pytest.fixture(scope="module")
def demo_workspace(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Workspace]:
    """What is there for all tests of the module, each with a process of its own: to make it takes 10 s, and none of
    them changes it."""
    with django_db_blocker.unblock(), kept():
        yield Workspace.objects.create(slug="demo", name="Demo")


@pytest.fixture(scope="module")
def alice(demo_workspace: Workspace) -> User:
    return member("alice", demo_workspace, Role.EDITOR)


@pytest.fixture(scope="module")
def bob(demo_workspace: Workspace) -> User:
    return member("bob", demo_workspace, Role.VIEWER)


@pytest.fixture(scope="module")
def big(demo_workspace: Workspace) -> Graph:
    draw_nba(demo_workspace)
    graph = Graph.objects.create(workspace=demo_workspace, key="big", name="Big")
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
    with site(1, **PATIENT) as here:
        yield here.web


def got(web: WebProcess, path: str, token: str) -> tuple[int, int]:
    """The status of an answer and its length; 0 for a refusal that says when to come again."""
    return answer_to(urllib.request.Request(f"{web.url}{path}", headers={"Authorization": f"Bearer {token}"}))


def answer_to(asked: urllib.request.Request) -> tuple[int, int]:
    try:
        with urllib.request.urlopen(asked, timeout=120) as answer:
            return answer.status, len(answer.read())
    except HTTPError as error:
        refusal = json.load(error)["code"], bool(error.headers["Retry-After"])
        return error.code, 0 if refusal == ("throttled", True) else -1


@dataclass
class Beside:
    """How long somebody else's requests take, alone and while 24 are answered."""

    web: WebProcess
    token: str
    alone: list[float] = field(default_factory=list)
    meanwhile: list[float] = field(default_factory=list)

    def ask(self, into: list[float]) -> None:
        began = time.monotonic()
        assert got(self.web, "/api/v1/kinds", self.token)[0] == 200, "others are answered meanwhile"
        into.append(time.monotonic() - began)
        time.sleep(0.02)

    def __str__(self) -> str:
        alone, meanwhile = median(self.alone), median(self.meanwhile)
        told = f"others {max(self.meanwhile):.2f} s at most, {meanwhile:.3f} s, alone {alone:.3f} s"
        return f"{told}: {meanwhile / alone:.1f}x"


def at_once(
    web: WebProcess, beside: Beside, ask: Callable[[int], tuple[int, int]]
) -> tuple[list[tuple[int, int]], int]:
    """What 24 requests were answered, and how many KiB the process took more."""
    for _ in range(30):
        beside.ask(beside.alone)
    memory = Memory(web)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        asked = [pool.submit(ask, index) for index in range(AT_ONCE)]
        while not all(each.done() for each in asked):
            beside.ask(beside.meanwhile)
            memory.look()
    answered = [each.result() for each in asked]
    assert all(status == 200 or (status, length) == (429, 0) for status, length in answered)
    assert sum(status == 200 for status, _length in answered) >= 2
    assert "Traceback" not in web.log()
    count = sum(status == 200 for status, _length in answered)
    print(f"\n{count} of {AT_ONCE} answered at once: {memory.more_kib} KiB more, {beside}")  # noqa: T201
    return answered, memory.look()


def test_one_viewer_asks_24_times_at_once(web: WebProcess, alice: User, bob: User) -> None:
    token = tokens.issue(bob).access
    whole = got(web, PATHS[0], token)
    assert whole[0] == 200
    assert whole[1] > 20_000_000
    beside = Beside(web, tokens.issue(alice).access)
    answered, more = at_once(web, beside, lambda index: got(web, PATHS[index % 2], token))
    assert all(length > 15_000_000 for status, length in answered if status == 200)
    assert more < MORE_MEMORY_KIB


@pytest.fixture(scope="module")
def rewritten(big: Graph) -> str:
    """The id of a change of every node of the graph."""
    code = "x" * BYTES_OF_NODE
    edits = [
        Update(Ref("node", f"n{number}"), {"process": code}, {"process": f"{code[:-6]}{number:06}"})
        for number in range(NODES)
    ]
    return str(changes.apply(big, edits, by(None)).change_set_id)


SEARCHES = ("/api/v1/graphs?search=nothing", "/api/v1/objects?type=graph&search=nothing")
COMPARED = "/api/v1/history/versions?object=graph:big&a=1"


def test_versions_are_compared_and_graphs_searched_24_times_at_once(
    rewritten: str, web: WebProcess, alice: User, bob: User
) -> None:
    token, other = tokens.issue(bob).access, tokens.issue(alice).access
    for paths in ((COMPARED,), SEARCHES, (f"/api/v1/history/{rewritten}?limit=200", *PATHS, COMPARED, *SEARCHES)):
        _answered, more = at_once(
            web, Beside(web, other), lambda index, paths=paths: got(web, paths[index % len(paths)], token)
        )
        assert more < MORE_MEMORY_KIB, paths


def previewed(web: WebProcess, change_set: str, token: str) -> tuple[int, int]:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    asked = urllib.request.Request(
        f"{web.url}/api/v1/history/{change_set}/rollback", b'{"preview": true}', headers, method="POST"
    )
    return answer_to(asked)


def test_six_editors_preview_a_rollback_of_20_000_nodes_four_times_each(
    rewritten: str, web: WebProcess, alice: User, demo_workspace: Workspace
) -> None:
    editors = [member(f"editor{number}", demo_workspace, Role.EDITOR) for number in range(6)]
    own = [tokens.issue(user).access for user in editors]
    assert previewed(web, rewritten, own[0])[0] == 200
    beside = Beside(web, tokens.issue(alice).access)
    _answered, more = at_once(web, beside, lambda index: previewed(web, rewritten, own[index % 6]))
    assert more < MORE_MEMORY_KIB


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
        requests = []
        for number in range(8):
            requests.append(open_ones.enter_context(stalled(web, token)))
            if number < MOST_OF_ONE:  # These are answered first, and stall.
                requests[number].recv(1, socket.MSG_PEEK)
        until(lambda: memory.look() and web.log().count("cut off") >= MOST_OF_ONE)
        assert got(web, PATHS[0], tokens.issue(alice).access)[0] == 200
        for request in requests[:MOST_OF_ONE]:
            with pytest.raises(ConnectionResetError):
                read_to_the_end(request)
    until(lambda: got(web, PATHS[0], token)[0] == 200)
    print(f"\n8 readers who stall: {memory.more_kib} KiB more")  # noqa: T201
    assert memory.look() < MORE_MEMORY_KIB
    assert "Traceback" not in web.log()
