"""What other rooms store with every change, in its own statement: `recording.changed` costs a round trip more."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphs.history.recording import Because


@dataclass(frozen=True, slots=True)
class Hook:
    """Common table expressions over `revisions` and the parameters of `recording.STORED`.

    `relations` gets whether the change takes others back. `given` are parameters of their own; `result` is an
    expression over them, and `stored` gets its value inside the transaction, once something was stored.
    """

    relations: Callable[[bool], str]
    result: str
    given: Callable[["Because"], dict[str, Any]]
    stored: Callable[[Any], None]


_registered: list[Hook] = []


def register(hook: Hook) -> None:
    """Called when the program starts, before the first change."""
    _registered.append(hook)


def given(because: "Because") -> dict[str, Any]:
    """Parameters of the relations."""
    return {name: value for each in _registered for name, value in each.given(because).items()}


def relations(undoing: bool) -> str:
    """The SQL that follows the relations of the change."""
    return "".join(f", {each.relations(undoing)}" for each in _registered)


def results() -> str:
    """The SQL that follows the other columns of the statement's result."""
    return "".join(f", {each.result}" for each in _registered)


def stored(values: Sequence[Any]) -> None:
    """Hands the columns of `results` to whom they belong."""
    for each, value in zip(_registered, values, strict=True):
        each.stored(value)
