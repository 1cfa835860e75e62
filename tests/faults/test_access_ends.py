"""Access that ends while somebody reads: every way it can end, every way to read, through two processes."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session as BrowserSession
from django.utils import timezone
from pytest_django import Settings
from rest_framework_simplejwt.tokens import AccessToken

from chat.actions.conversations import post_message
from chat.concurrency.database import in_db
from chat.models import Run, RunStatus, Session
from graphs.models import Graph, Membership, Role, Workspace
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from graphs.site.api import tokens
from tests import cast, checker
from tests.chat.engine.driving import until
from tests.faults.readers import HttpReader, Proof, SocketReader, cookie_proof, sse, waiting
from tests.site import Site, site
from tests.web_process import PATIENT, WebProcess

pytestmark = [
    pytest.mark.processes,
    pytest.mark.faults,
    pytest.mark.timeout(300),
    pytest.mark.django_db(transaction=True),
]

ENDED_WITHIN_S = 5
#: One long answer that goes on while access ends.
QUESTION = 'SCRIPT={"text": "' + "word " * 600 + '", "delay_s": 0.5}'
#: Opening every reader of one person may take that many times as long as it took the slowest of the others.
MOST_SLOWER = 4

ACTS: dict[str, Callable[[User], Any]] = {
    "nothing happened": lambda user: None,
    "role lowered": lambda user: Membership.objects.filter(user=user).update(role=Role.VIEWER),
    "role raised": lambda user: Membership.objects.filter(user=user).update(role=Role.ADMIN),
    "account disabled": lambda user: User.objects.filter(pk=user.pk).update(is_active=False),
    "password changed": lambda user: User.objects.filter(pk=user.pk).update(password="another one"),
    "member removed": lambda user: Membership.objects.filter(user=user).delete(),
    "conversation deleted": lambda user: Session.objects.filter(owner=user).update(hidden_at=timezone.now()),
    "signed out": lambda user: BrowserSession.objects.filter(session_key__in=_sessions_of(user)).delete(),
    "token expired": lambda user: None,
}
READERS = ("socket by cookie", "socket by token", "sse by cookie", "sse by token", "wait by cookie", "wait by token")
STAYS = ["nothing happened", "role raised"]
#: What becomes of a reader: a close code, "stays", "told" (of the lost stream, and stays), "ends".
EXPECTED = {
    "socket by cookie": dict.fromkeys(ACTS, 4403)
    | dict.fromkeys([*STAYS, "token expired"], "stays")
    | {"conversation deleted": "told"},
    "socket by token": dict.fromkeys(ACTS, 4403)
    | dict.fromkeys([*STAYS, "signed out"], "stays")
    | {"conversation deleted": "told", "token expired": 4401},
    **dict.fromkeys(
        ["sse by cookie", "wait by cookie"],
        dict.fromkeys(ACTS, "ends") | dict.fromkeys([*STAYS, "token expired"], "stays"),
    ),
    **dict.fromkeys(
        ["sse by token", "wait by token"], dict.fromkeys(ACTS, "ends") | dict.fromkeys([*STAYS, "signed out"], "stays")
    ),
}


def _sessions_of(user: User) -> list[str]:
    """The keys of this person's browsers."""
    rows = BrowserSession.objects.all()
    return [row.session_key for row in rows if row.get_decoded().get("_auth_user_id") == str(user.pk)]


@dataclass
class Person:
    """Somebody whose access ends in one way, with everything they have open."""

    user: User
    way: str
    stream: str
    token: Proof
    cookie: Proof
    readers: dict[tuple[str, int], Any] = field(default_factory=dict)

    def reader(self, kind: str, web: WebProcess) -> Any:
        proof = self.cookie if kind.endswith("cookie") else self.token
        if kind.startswith("socket"):
            return SocketReader(web, proof)
        return sse(web, proof, self.stream) if kind.startswith("sse") else waiting(web, proof, QUESTION)


def people(workspace: Workspace) -> list[Person]:
    found = []
    for number, way in enumerate(ACTS):
        user = cast.member(f"person-{number}", workspace, Role.EDITOR)
        accepted = post_message(member_of(user), QUESTION, context=Ref("graph", "nba"))
        token = AccessToken(tokens.issue(user).access)
        found.append(Person(user, way, accepted.stream, Proof(token=str(token)), cookie_proof(user)))
    return found


def shorten(person: Person, lifetime_s: float) -> None:
    token = AccessToken(tokens.issue(person.user).access)
    token.set_exp(lifetime=timedelta(seconds=lifetime_s))
    person.token = Proof(token=str(token))


async def open_all(here: Site, everybody: list[Person]) -> None:
    """Everything that everybody reads; who shows a token that soon expires comes last."""
    slowest_s = 0.0
    for person in sorted(everybody, key=lambda each: each.way == "token expired"):
        if person.way == "token expired":
            await in_db(shorten, person, 3 + MOST_SLOWER * slowest_s)
        began = time.monotonic()
        await asyncio.gather(
            *[open_one(person, kind, number, web) for kind in READERS for number, web in enumerate(here.processes)]
        )
        slowest_s = max(slowest_s, time.monotonic() - began)


async def open_one(person: Person, kind: str, number: int, web: WebProcess) -> None:
    reader = person.readers[kind, number] = await person.reader(kind, web).open()
    if kind.startswith("socket"):
        await reader.send("ai:subscribe", _id=1, stream=person.stream)
    if not kind.startswith("wait"):
        await reader.until(count)


def fate(kind: str, reader: Any, before: int) -> Any:
    """What became of a reader that had got so many events when access ended."""
    if isinstance(reader, SocketReader):
        if reader.is_closed:
            return reader.close_code
        told = any(each["type"] == "ai:unsubscribed" for each in reader.others)
        return "told" if told else "stays" if len(reader.events) > before else "silent"
    if reader.is_closed:
        return "ends"
    return "stays" if kind.startswith("wait") or len(reader.events()) > before else "silent"


def count(reader: Any) -> int:
    return len(reader.events) if isinstance(reader, SocketReader) else len(reader.events())


async def wait_for_fates(everybody: list[Person], deadline: float) -> dict[tuple[str, str, int], Any]:
    """Looks until everything is as expected, or time is up."""
    before = {id(reader): count(reader) for person in everybody for reader in person.readers.values()}
    while True:
        found = {
            (person.way, kind, number): fate(kind, reader, before[id(reader)])
            for person in everybody
            for (kind, number), reader in person.readers.items()
        }
        wrong = {key: value for key, value in found.items() if value != EXPECTED[key[1]][key[0]]}
        if not wrong or time.monotonic() > deadline:
            return wrong
        await asyncio.sleep(0.05)


@pytest.fixture(autouse=True)
def quick_accounts(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def test_who_may_not_read_any_more_is_gone_within_five_seconds(demo_workspace: Workspace, nba: Graph) -> None:
    everybody = people(demo_workspace)

    async def test(here: Site) -> None:
        await open_all(here, everybody)
        expires = next(person for person in everybody if person.way == "token expired")
        await asyncio.to_thread(until_expired, expires)
        for person in everybody:
            await in_db(ACTS[person.way], person.user)
        assert await wait_for_fates(everybody, time.monotonic() + ENDED_WITHIN_S) == {}
        for person in everybody:
            for (kind, _number), reader in person.readers.items():
                if kind.startswith("wait") and EXPECTED[kind][person.way] == "ends":
                    assert_told_nothing(person.way, kind, reader)
                await reader.close()

    with site(2, LIMIT_SOCKETS="100", **PATIENT) as here:
        asyncio.run(test(here))
        Run.objects.filter(status__in=[RunStatus.QUEUED, RunStatus.RUNNING]).update(stop_requested_at=timezone.now())
        until(lambda: not Run.objects.filter(status__in=[RunStatus.QUEUED, RunStatus.RUNNING]).exists(), 60)
        checker.check_database()


def until_expired(person: Person) -> None:
    expires = AccessToken(person.token.token, verify=False)["exp"]
    time.sleep(max(0.0, expires - time.time()))


def assert_told_nothing(way: str, kind: str, reader: HttpReader) -> None:
    assert reader.status == 202, (way, kind, reader.received)
