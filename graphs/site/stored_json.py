"""Stored JSON carries the version of its shape: older ones are upgraded step by step, others are refused as a whole."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Upgrade = Callable[[dict[str, Any]], dict[str, Any]]


class UnknownVersion(ValueError):
    """Most likely a newer version of the program wrote it; nothing of it is read."""


@dataclass(frozen=True)
class Shape:
    """What is stored. The first of `upgrades` makes version 2 of version 1, and so on."""

    name: str
    upgrades: tuple[Upgrade, ...] = ()

    @property
    def version(self) -> int:
        return 1 + len(self.upgrades)

    def upgraded(self, data: dict[str, Any], version: object) -> dict[str, Any]:
        """The data of that version in today's shape. Raises `UnknownVersion`."""
        if not isinstance(version, int) or not 1 <= version <= self.version:
            raise UnknownVersion(f"{self.name} of version {version}; this program knows versions up to {self.version}")
        for upgrade in self.upgrades[version - 1 :]:
            data = upgrade(data)
        return data
