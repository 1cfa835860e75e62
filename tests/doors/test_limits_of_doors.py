"""Every door that writes counts who uses it, by a limit that docs/operations.md lists with its variable."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from graphs.site import sign_ins
from graphs.site.api import limits
from tests.doors import rules
from tests.doors.knocking import knock
from tests.doors.matrix import PREFIX, Door, api_addresses, body_of, client_of, doors, ids_of, page_addresses
from tests.doors.world import RoleName, World

OPERATIONS = Path(__file__).resolve().parents[2] / "docs" / "operations.md"
#: The variable of each count.
VARIABLES = {
    "writes": "LIMIT_WRITES",
    "imports": "LIMIT_IMPORTS",
    "rollbacks": "LIMIT_ROLLBACKS",
    "changes": "LIMIT_CHANGES",
    "messages": "LIMIT_MESSAGES",
    "password": "LIMIT_LOGIN",
    "login": "LIMIT_LOGIN",
    "login-address": "LIMIT_LOGIN",
    "login-name": "LIMIT_LOGIN",
    "login-device": "LIMIT_LOGIN",
    "tokens-address": "LIMIT_LOGIN",
}
#: Doors that need no count, and why.
UNCOUNTED = {
    "POST accounts/login/": "a form, which has no name here; `tests/graphs/site/test_login_limit.py` fills it in",
    "PUT accounts/login/": "the same form, empty",
    "POST accounts/logout/": "each time takes a sign-in, which is counted",
    "POST chat/links": "it only reads",
}
#: These answer every method alike and write nothing.
OF_NO_METHOD = ("metrics", "favicon.ico", "i18n/setlang/")


def writing() -> list[tuple[Door, bool]]:
    """Each door that may write, and whether programs use it."""
    found = [(door, True) for door in doors(rules.API, api_addresses(), PREFIX)]
    found += [(door, False) for door in doors(rules.PAGES, page_addresses())]
    return [
        (door, program)
        for door, program in found
        if door.rule is not None and door.method != "GET" and door.address.path not in OF_NO_METHOD
    ]


def named(door: Door) -> str:
    return f"{door.method} {door.address.path.removeprefix(PREFIX)}"


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is counted, in a list."""
    found: list[str] = []

    def take(what: str, _who: str, _rate: str) -> float:
        found.append(what)
        return 0.0

    monkeypatch.setattr(limits, "take", take)
    return found


def test_every_door_that_writes_has_a_limit(everybody: World, counted: list[str]) -> None:
    unlimited, unknown = set(), set()
    for door, program in writing():
        counted.clear()
        role: RoleName = "anonymous" if door.rule is not None and door.rule.who == "anyone" else "editor"
        own = ids_of(everybody, role, door.address)
        knock(
            client_of(everybody, role, program),
            door.method,
            door.address.with_id(own.get("own", "")),
            body_of(door.rule),
        )
        if not counted:
            unlimited.add(named(door))
        unknown |= set(counted) - VARIABLES.keys()
    assert unlimited - UNCOUNTED.keys() == set()
    assert UNCOUNTED.keys() - unlimited == set(), "these are counted by now"
    assert unknown == set()


def test_the_limits_are_listed_with_their_variables() -> None:
    listed = OPERATIONS.read_text().partition("## How much, and what happens beyond")[2].partition("\n## ")[0]
    assert set(VARIABLES.values()) <= set(re.findall(r"`(LIMIT_\w+)`", listed))
    for name in ("LIMIT_SOCKETS", "LIMIT_UNKNOWN_SOCKETS", "LIMIT_FRAMES", "MAX_FRAME_BYTES", "MAX_MESSAGE_CHARS"):
        assert f"`{name}`" in listed, name


@pytest.mark.parametrize("door", ["refresh", "revoke"])
def test_a_program_renews_its_sign_in_only_so_often(everybody: World, settings: Settings, door: str) -> None:
    settings.LIMIT_WRITES = "1/hour"
    user: User = everybody.users["editor"]
    client = client_of(everybody, "anonymous", program=True)
    refresh = sign_ins.begin(user, "A program").refresh
    first = client.post(f"/api/v1/auth/token/{door}", {"refresh": refresh}, "application/json")
    assert first.status_code in {200, 204}
    again = client.post(f"/api/v1/auth/token/{door}", {"refresh": refresh}, "application/json")
    assert (again.status_code, again.json()["code"]) == (429, "throttled")
    assert int(again.headers["Retry-After"]) > 0
    other = sign_ins.begin(everybody.users["viewer"], "Another one").refresh
    assert client.post(f"/api/v1/auth/token/{door}", {"refresh": other}, "application/json").status_code in {200, 204}
