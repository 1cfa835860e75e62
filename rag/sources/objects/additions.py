"""What applications know of the objects that a kind holds, and add to what is told of them."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from rag.sources.objects.family import Held


class AddedTo(Protocol):
    """What is told beside the fields of one object and of those that it holds."""

    def of_holder(self) -> dict[str, Any]:
        """What is told of the object that holds them."""

    def shown_fields(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of the holder that this does not tell in other words."""

    def of_each(self, held: Held) -> dict[str, Any]:
        """What is told of one of them."""

    def of_all(self, held: Sequence[Held]) -> dict[str, Any]:
        """What is told of all of them, in numbers."""

    def order(self, held: Held) -> Any:
        """Sorts first what matters most."""


class Addition(Protocol):
    """What is told of objects of one kind beside their fields, where they are held by one."""

    def columns(self) -> Mapping[str, Any]:
        """What has to be read of each of them, as expressions of the ORM."""

    def at(self, row: Any) -> AddedTo | None:
        """What is told where this row holds them, if there is something."""


_additions: dict[str, Addition] = {}


def register(kind: str, addition: Addition) -> None:
    """Makes known what is added for objects of a kind, when the program starts."""
    _additions[kind] = addition


def addition_of(kind: str) -> Addition | None:
    """What is added for objects of a kind."""
    return _additions.get(kind)
