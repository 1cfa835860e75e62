"""The matrix of API and pages: every cell of address x method x kind of id for one role, as knocked and as expected."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.test import Client

from tests.cast import signed_in
from tests.doors import rules
from tests.doors.addresses import METHODS, Address, every_address
from tests.doors.knocking import Answer, knock
from tests.doors.rules import Rule
from tests.doors.world import OBJECT_TYPES, Id, RoleName, World
from tests.graphs.api.callers import with_token

PREFIX = "api/v1/"
ASK_TO_SIGN_IN = {"api": 401, "page": 302}


@dataclass(frozen=True, slots=True)
class Door:
    """One method of one address. `rule` is None where the method does not exist there."""

    address: Address
    method: str
    rule: Rule | None

    def __str__(self) -> str:
        return f"{self.method} {self.address.path}"


def doors(table: Mapping[str, Rule], addresses: list[Address], prefix: str = "") -> list[Door]:
    return [
        Door(address, method, table.get(f"{method} {address.path.removeprefix(prefix)}"))
        for address in addresses
        for method in METHODS
    ]


def api_addresses() -> list[Address]:
    """Those of one object are there once for each kind."""
    found = [each for each in every_address() if each.path.startswith(PREFIX)]
    return [of_kind for address in found for of_kind in _by_kind(address)]


def _by_kind(address: Address) -> list[Address]:
    of = "{object_type}/{object_id}"
    if of not in address.path:
        return [address]
    return [Address(address.path.replace(of, f"{type_}/{{{type_}}}")) for type_ in OBJECT_TYPES]


def page_addresses() -> list[Address]:
    return [each for each in every_address() if not each.path.startswith(("api/", "admin/"))]


def client_of(world: World, role: RoleName, program: bool) -> Client:
    if role == "anonymous":
        client = Client()
    elif program:
        client = with_token(world.users[role])
    else:
        client = signed_in(world.users[role])
    client.raise_request_exception = False
    return client


def ids_of(world: World, role: RoleName, address: Address) -> dict[Id | None, str]:
    if not address.parameters:
        return {None: ""}
    *around, parameter = address.parameters
    outer = "".join(f"{world.ids(role, each)['own']}/" for each in around)
    return {kind: f"{outer}{value}" for kind, value in world.ids(role, parameter).items()}


def body_of(rule: Rule | None) -> Any:
    if rule is None:
        return None
    if not rule.multipart():
        return rule.body
    return rules.new_rows() if rule.body is rules.ROWS else rules.new_file()


def knocked(client: Client, door: Door, ids: Mapping[Id | None, str]) -> Iterator[tuple[Id | None, Answer]]:
    for kind, value in ids.items():
        yield kind, knock(client, door.method, door.address.with_id(value), body_of(door.rule))


def same_to_the_stranger(answers: Mapping[Id | None, Answer], ids: Mapping[Id | None, str]) -> list[str]:
    """The kinds of id whose refusal differs from that of an id which never was."""
    differences = {
        kind: answer.differs_from(answers["random"], ids.values()) for kind, answer in answers.items() if kind != "own"
    }
    return [f"{kind} id: {difference}" for kind, difference in differences.items() if difference]
