"""Strangers who guess are stopped, and lock nobody out: not a person they name, and not those who share an address."""

from ipaddress import ip_network
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from tests.cast import PASSWORD
from tests.graphs.api.callers import post_json

pytestmark = pytest.mark.django_db

LOGIN = "/accounts/login/"
TOKEN = "/api/v1/auth/token"
STRANGER = "192.0.2.66"


@pytest.fixture(autouse=True)
def limit(settings: Settings) -> None:
    settings.LIMIT_LOGIN = "2/hour"


def signs_in(name: str, password: str = PASSWORD, address: str = STRANGER, client: Client | None = None) -> int:
    """The status of an attempt at the page: 302 for who is in, 429 for who has to wait."""
    answer = (client or Client()).post(LOGIN, {"username": name, "password": password}, REMOTE_ADDR=address)
    return answer.status_code


def guess(name: str, times: int, address: str = STRANGER) -> list[int]:
    return [signs_in(name, "wrong", address) for _time in range(times)]


def test_guessing_is_stopped_where_it_comes_from(alice: User) -> None:
    assert guess("alice", 4) == [200, 200, 429, 429]
    assert signs_in("alice") == 429
    assert signs_in("alice", address="198.51.100.7") == 302


def test_guessing_from_many_addresses_is_stopped_too(alice: User) -> None:
    statuses = [guess("alice", 1, f"192.0.2.{number}")[0] for number in range(25)]
    assert statuses == [200] * 20 + [429] * 5
    assert signs_in("alice", address="198.51.100.7") == 429


def test_who_has_signed_in_from_a_browser_before_comes_in_all_the_same(alice: User) -> None:
    own = Client()
    assert signs_in("alice", address="198.51.100.7", client=own) == 302
    own.post("/accounts/logout/")
    for number in range(25):
        guess("alice", 1, f"192.0.2.{number}")
        guess("alice", 1, "198.51.100.7")
        guess(f"invented-{number}", 1, "198.51.100.7")
    assert signs_in("alice", address="198.51.100.7") == 429
    assert signs_in("alice", address="198.51.100.7", client=own) == 302


def test_a_known_browser_has_its_own_limit_and_knows_one_name(alice: User, bob: User) -> None:
    own = Client()
    assert signs_in("alice", client=own) == 302
    own.post("/accounts/logout/")
    assert [signs_in("Alice", "wrong", client=own) for _time in range(3)] == [200, 200, 429]
    assert [signs_in("bob", "wrong", client=own) for _time in range(3)] == [200, 200, 429]
    assert signs_in("bob", client=own) == 429


@pytest.mark.parametrize("cookie", ["", "x", "alice", "e30:1abc:xyz"])
def test_nobody_makes_up_a_known_browser(alice: User, cookie: str) -> None:
    guess("alice", 3)
    client = Client()
    client.cookies["known-device"] = cookie
    assert signs_in("alice", client=client) == 429


def test_the_mark_of_a_known_browser_is_closed_to_scripts_and_says_no_password(alice: User) -> None:
    client = Client()
    signs_in("alice", client=client)
    mark = client.cookies["known-device"]
    assert (bool(mark["httponly"]), mark["samesite"]) == (True, "Lax")
    assert PASSWORD not in mark.value


def test_a_hundred_invented_names_stop_at_their_address_alone(alice: User) -> None:
    statuses = [guess(f"invented-{number}", 1)[0] for number in range(25)]
    assert statuses == [200] * 20 + [429] * 5
    assert signs_in("alice") == 429
    assert signs_in("alice", address="198.51.100.7") == 302


def test_behind_a_proxy_each_has_their_own_address(alice: User, settings: Settings) -> None:
    settings.TRUSTED_PROXIES = [ip_network("127.0.0.1")]

    def attempt(name: str, password: str, forwarded: str) -> Any:
        headers = {"X-Forwarded-For": forwarded}
        return post_json(Client(), TOKEN, {"username": name, "password": password}, headers=headers).status_code

    assert [attempt("alice", "wrong", f"1.2.3.{n}, {STRANGER}") for n in range(3)] == [401, 401, 429]
    assert attempt("alice", PASSWORD, f"{STRANGER}, 198.51.100.7") == 200


def test_without_valkey_each_process_limits_by_itself(alice: User, settings: Settings) -> None:
    settings.REDIS_URL = "unix:///nowhere/valkey.sock"
    assert guess("alice", 4, "192.0.2.99") == [200, 200, 429, 429]
