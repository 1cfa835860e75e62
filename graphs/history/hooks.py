"""What another room stores with every change, in its own statement: `recording.changed` costs a round trip more."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphs.history.recording import Because, Holders


@dataclass(frozen=True, slots=True)
class Hook:
    """Common table expressions over `revisions` and the parameters of `recording.STORED`, which begin with a comma.

    `relations` gets whether the change takes others back, and whether something holds or held what it changes.
    `given` are parameters of their own, from the reason and the holders; `result` is an expression over them, and
    `stored` gets its value inside the transaction, once something was stored.
    """

    relations: Callable[[bool, bool], str]
    result: str
    given: Callable[["Because", "Holders"], dict[str, Any]]
    stored: Callable[[Any], None]


#: Set when the program starts, before the first change.
hook = Hook(lambda _undoing, _held: "", "NULL", lambda _because, _holders: {}, lambda _nothing: None)
