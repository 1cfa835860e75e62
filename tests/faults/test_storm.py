"""A web process that dies with all its sockets: they come back to another one, cheaply, with nothing missing."""

import asyncio
import json
import os
import random
import time
from collections import Counter
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings
from websockets.exceptions import InvalidHandshake

from chat.actions.conversations import Accepted, post_message
from chat.concurrency.database import in_db
from chat.models import Run, RunStatus
from graphs.models import Graph, Membership, Role, Workspace
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from graphs.site.api import tokens
from tests import checker
from tests.chat.engine.driving import until
from tests.faults.counting import statements
from tests.faults.readers import HttpReader, Proof, SocketReader, cookie_proof, waiting
from tests.site import site
from tests.web_process import WebProcess

pytestmark = [
    pytest.mark.processes,
    pytest.mark.faults,
    pytest.mark.timeout(600),
    pytest.mark.django_db(transaction=True),
]

SOCKETS = 1000 if os.environ.get("FULL") else 100
#: Of one person, each in a tab of their own on the same conversation; half of what is allowed.
TABS = 10
BACK_WITHIN_S = 30
#: Statements for each socket that comes back: who it is, what it may read, what it missed.
MOST_STATEMENTS = 2
READING = {"chat.access.identity", "chat.access.checks", "chat.events.presence", "chat.events.log_pages"}
#: Longer than any machine takes to open all the tabs: who comes back to an answer that has ended waits for nothing.
QUESTION = 'SCRIPT={"text": "' + "word " * 1000 + '", "delay_s": 1}'


def people(workspace: Workspace) -> list[User]:
    users = User.objects.bulk_create(
        [User(username=f"person-{number}", password="x") for number in range(SOCKETS // TABS)]
    )
    Membership.objects.bulk_create([Membership(user=user, workspace=workspace, role=Role.EDITOR) for user in users])
    return users


class Tab:
    """A chat widget: comes back like `static/chat/widget/socket.js`, reads on from its last number."""

    def __init__(self, proof: Proof, conversation: Accepted) -> None:
        self._proof = proof
        self._stream = conversation.stream
        self.received: list[SocketReader] = []
        self.back_at = 0.0

    @property
    def last(self) -> int:
        return max((reader.last for reader in self.received), default=0)

    async def come(self, web: WebProcess) -> bool:
        reader = SocketReader(web, self._proof)
        after = self.last
        try:
            await reader.open()
        except (OSError, InvalidHandshake):
            return False
        self.received.append(reader)
        await reader.send("ai:subscribe", _id="again", stream=self._stream, after=after)
        await reader.until(lambda one: one.is_closed or one.last > after)
        self.back_at = time.monotonic()
        return not reader.is_closed

    async def come_back(self, web: WebProcess) -> None:
        """Exponential with full jitter."""
        for failures in range(10):
            await asyncio.sleep(random.random() * min(30, 0.5 * 2**failures))
            if await self.come(web):
                return

    def events(self) -> list[dict]:
        return [event for reader in self.received for event in reader.events]


async def bystander(web: WebProcess, proof: Proof, over: asyncio.Event) -> list[int]:
    """Somebody who looks at pages all the while; the statuses they got."""
    found = []
    while not over.is_set():
        request = await HttpReader(web, proof, "GET", "/api/v1/graphs").open()
        await request.until(lambda one: one.is_closed)
        found.append(request.status)
        await asyncio.sleep(0.2)
    return found


def test_sockets_dropped_at_once_come_back_with_nothing_missing(
    demo_workspace: Workspace, alice: User, nba: Graph, tmp_path: Path, settings: Settings
) -> None:
    users = people(demo_workspace)
    # In earnest they come from many addresses.
    unlimited = {"LIMIT_UNKNOWN_SOCKETS": str(SOCKETS)}
    with site(2, "tests.faults.counting", STATEMENT_NOTES=str(tmp_path), **unlimited) as here:
        asyncio.run(storm(here.processes[0], here.processes[1], users, alice, tmp_path))
        assert "Traceback" not in here.processes[1].log()
        Run.objects.filter(status__in=[RunStatus.QUEUED, RunStatus.RUNNING]).update(
            stop_requested_at="2026-01-01T00:00Z"
        )
        until(lambda: not Run.objects.filter(status__in=[RunStatus.QUEUED, RunStatus.RUNNING]).exists(), 60)
        checker.check_database()


def ask(user: User) -> Accepted:
    return post_message(member_of(user), QUESTION, context=Ref("graph", "nba"))


async def storm(first: WebProcess, second: WebProcess, users: list[User], alice: User, notes: Path) -> None:
    conversations = await in_db(lambda: [ask(user) for user in users])
    tabs = await in_db(all_tabs, users, conversations)
    for start in range(0, len(tabs), 50):
        assert all(await asyncio.gather(*[tab.come(first) for tab in tabs[start : start + 50]]))
    token = Proof(token=tokens.issue(alice).access)
    over = asyncio.Event()
    watching = asyncio.create_task(bystander(second, token, over))
    before = statements(notes, second.process.pid)
    await asyncio.to_thread(first.kill)
    dropped_at = time.monotonic()
    coming = asyncio.gather(*[tab.come_back(second) for tab in tabs])
    question = await waiting(second, token, 'SCRIPT={"text": "here I am"}').open()
    await coming
    asked = statements(notes, second.process.pid) - before
    await question.until(lambda one: one.is_closed)
    assert (question.status, json.loads(question.body)["message"]) == (200, "here I am")
    over.set()
    assert set(await watching) == {200}
    took = max(tab.back_at for tab in tabs) - dropped_at
    print(f"\n{len(tabs)} sockets back in {took:.1f} s, statements: {asked.most_common(12)}")  # noqa: T201
    assert took < BACK_WITHIN_S
    assert_cheap(asked, len(tabs))
    await asyncio.gather(*[tab.received[-1].close() for tab in tabs])
    await in_db(assert_nothing_missing, tabs, conversations)


def all_tabs(users: list[User], conversations: list[Accepted]) -> list[Tab]:
    """Half of the people came with their browser's cookie, half with a token."""
    tabs = []
    for number, (user, conversation) in enumerate(zip(users, conversations, strict=True)):
        proof = cookie_proof(user) if number % 2 else Proof(token=tokens.issue(user).access)
        tabs += [Tab(proof, conversation) for _ in range(TABS)]
    return tabs


def assert_cheap(asked: Counter[str], sockets: int) -> None:
    reading = sum(count for place, count in asked.items() if place.partition(":")[0] in READING)
    assert 0 < reading <= MOST_STATEMENTS * sockets, asked


def assert_nothing_missing(tabs: list[Tab], conversations: list[Accepted]) -> None:
    stored = {each.stream: checker.stored_frames(each.stream) for each in conversations}
    for tab in tabs:
        checker.check_received(tab.events(), stored[tab._stream])
