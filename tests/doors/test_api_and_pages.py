"""Every address of the API and of the pages x method x role x kind of id."""

from collections.abc import Iterator, Mapping
from functools import cache

import pytest
from django.test import Client

from tests.doors import rules
from tests.doors.addresses import Address
from tests.doors.knocking import Answer
from tests.doors.matrix import (
    ASK_TO_SIGN_IN,
    PREFIX,
    Door,
    api_addresses,
    client_of,
    doors,
    ids_of,
    knocked,
    page_addresses,
    same_to_the_stranger,
)  # fmt: skip
from tests.doors.rules import Rule
from tests.doors.world import ROLES, Id, RoleName, World

#: What reading may write: that somebody reads a stream.
NOTED = {"chat_presence"}
API_DOORS = doors(rules.API, api_addresses(), PREFIX)
PAGE_DOORS = doors(rules.PAGES, page_addresses())


def missing(table: Mapping[str, Rule], found: list[Door], prefix: str = "") -> tuple[set[str], set[str]]:
    """Addresses without a rule, and rules without an address."""
    ruled = {name.partition(" ")[2] for name in table}
    there = {door.address.path.removeprefix(prefix) for door in found}
    return there - ruled, ruled - there


def test_every_address_has_a_rule_and_every_rule_an_address() -> None:
    assert missing(rules.API, API_DOORS, PREFIX) == (set(), set())
    assert missing(rules.PAGES, PAGE_DOORS) == (set(), set())


@pytest.mark.parametrize("role", ROLES)
def test_the_api_answers_each_as_the_rules_say(everybody: World, role: RoleName) -> None:
    client = client_of(everybody, role, program=True)
    secrets = list(everybody.secrets_for(role, in_admin=False))
    wrong = [text for door in API_DOORS for text in faults(everybody, client, role, door, "api", secrets)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("role", ROLES)
def test_the_pages_answer_each_as_the_rules_say(everybody: World, role: RoleName) -> None:
    client = client_of(everybody, role, program=False)
    secrets = list(everybody.secrets_for(role, in_admin=False))
    wrong = [text for door in PAGE_DOORS for text in faults(everybody, client, role, door, "page", secrets)]
    assert not wrong, "\n".join(wrong)


def faults(world: World, client: Client, role: RoleName, door: Door, realm: str, secrets: list[str]) -> Iterator[str]:
    """What is wrong with the answers of one door to one role."""
    ids = ids_of(world, role, door.address)
    answers = dict(knocked(client, door, ids))
    for kind, answer in answers.items():
        due = _due(door, role, kind, realm)
        if answer.status != due:
            yield f"{door} for {role}, {kind} id: {answer.status} instead of {due}: {answer.body[:200]!r}"
        allowed = NOTED if door.method == "GET" else None if _given(door, answer) else set()
        if allowed is not None and answer.writes - allowed:
            yield f"{door} for {role}, {kind} id: wrote to {set(answer.writes)}"
        found = [secret for secret in secrets if secret in answer.text]
        if found:
            yield f"{door} for {role}, {kind} id: shows {found}"
        if answer.status == 405 and _allowed(answer) != _methods(door, realm):
            yield f"{door}: Allow names {_allowed(answer)}, not {_methods(door, realm)}"
    if "random" in answers:
        yield from (f"{door} for {role}, {text}" for text in same_to_the_stranger(answers, ids))


def _due(door: Door, role: RoleName, kind: Id | None, realm: str) -> int:
    if door.address.path == "accounts/login/" and role != "anonymous":
        return 302  # Who is signed in already is sent on.
    if door.rule is not None:
        return rules.expected(door.rule, role, kind, ASK_TO_SIGN_IN[realm])
    everyone = {each.who for each in _rules_of(door.address, realm).values()} == {"anyone"}
    return 401 if realm == "api" and role == "anonymous" and not everyone else 405


def _given(door: Door, answer: Answer) -> bool:
    return door.rule is not None and answer.status == door.rule.status


@cache
def _rules_of(address: Address, realm: str) -> dict[str, Rule]:
    found = API_DOORS if realm == "api" else PAGE_DOORS
    return {each.method: each.rule for each in found if each.address == address and each.rule}


def _methods(door: Door, realm: str) -> set[str]:
    return set(_rules_of(door.address, realm))


def _allowed(answer: Answer) -> set[str]:
    return {name.strip() for name in answer.headers["Allow"].split(",")} - {"HEAD", "OPTIONS"}
