"""Names and ids of tool calls that every vendor takes back. Called by the decoders of the wires."""

import re
from collections.abc import Iterable
from itertools import chain, count

from chat.providers.model_request import ModelRequest

_ACCEPTED_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]")
MAX_NAME = 64
UNNAMED = "unnamed_tool"


class CallIds:
    """Gives every call an id that no other call of the answer has, nor of the conversation as far as it is sent."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    @classmethod
    def of(cls, request: ModelRequest) -> "CallIds":
        sent = {call.id for message in request.messages for call in message.tool_calls}
        return cls(sent | request.earlier_calls)

    def claim(self, wanted: object) -> str:
        """The vendor's id where it is usable and new, else one made here."""
        usable = isinstance(wanted, str) and _ACCEPTED_ID.fullmatch(wanted) is not None
        numbered = (f"call_{number}" for number in count(len(self._taken) + 1))
        wishes = chain([str(wanted)] if usable else [], numbered)
        claimed = next(wish for wish in wishes if wish not in self._taken)
        self._taken.add(claimed)
        return claimed


def tool_name(written: object) -> str:
    """A name that vendors accept: what they refuse is replaced by what no tool's name here has."""
    if not isinstance(written, str):
        return UNNAMED
    return _NOT_IN_A_NAME.sub("-", written)[:MAX_NAME] or UNNAMED
