"""Where a session stands: the engine's state, stored as versioned JSON. What moves it is in `transitions`."""

import logging
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Literal

from chat.models import Session, SessionType
from graphs.site.stored_json import Shape

log = logging.getLogger("countersign.engine")

#: What `State.to_json` gives; who changes it adds an upgrade here and a fixture to the tests.
_STORED = Shape("engine state")
STATE_VERSION = _STORED.version


class Phase(StrEnum):
    """Where a session is. One that waits for a person, or for nothing, holds no process."""

    #: Nothing happens until somebody writes.
    IDLE = "IDLE"
    #: The question's context is looked up.
    EXECUTING_ENRICHMENTS = "EXECUTING_ENRICHMENTS"
    #: The model writes.
    CALLING_AI = "CALLING_AI"
    #: Its reply is complete and is being read.
    PARSING_AI_RESPONSE = "PARSING_AI_RESPONSE"
    #: A person has to approve changes.
    WAITING_VALIDATION = "WAITING_VALIDATION"
    #: A person has to answer: a question of the model, or whether to go on after the tool rounds.
    WAITING_COMMUNICATION_RESPONSE = "WAITING_COMMUNICATION_RESPONSE"
    #: Read tools run.
    EXECUTING_DATA_QUERIES = "EXECUTING_DATA_QUERIES"
    #: Changes are computed: proposed to a person, or made where nobody has to be asked.
    EXECUTING_ACTIONS = "EXECUTING_ACTIONS"
    #: An automation says it is done; it may still be contradicted.
    WAITING_COMPLETION_CONFIRMATION = "WAITING_COMPLETION_CONFIRMATION"
    #: An automation waits for the network.
    WAITING_NETWORK_RETRY = "WAITING_NETWORK_RETRY"
    #: The reply could not be used; the model is told and asked again.
    RETRYING_AFTER_FORMAT_ERROR = "RETRYING_AFTER_FORMAT_ERROR"
    #: Changes failed; the model is told and asked again.
    RETRYING_AFTER_ACTION_FAILURE = "RETRYING_AFTER_ACTION_FAILURE"
    #: The session is over.
    COMPLETED = "COMPLETED"


class EndReason(StrEnum):
    COMPLETED = "COMPLETED"
    LIMIT_REACHED = "LIMIT_REACHED"
    ERROR = "ERROR"
    TIMEOUT = "TIMEOUT"
    CANCELLED = "CANCELLED"
    SUSPENDED = "SUSPENDED"
    NETWORK_ERROR = "NETWORK_ERROR"


@dataclass(frozen=True, slots=True)
class Limits:
    """How far the engine goes by itself."""

    tool_rounds: int = 5
    tool_rounds_extended: int = 10
    automation_round_trips: int = 20
    same_failures: int = 3


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a session waits for, and so which answer fits; `id` is that of the question, where there is one."""

    waits_for: Literal["validation", "question", "tool_limit", "completion"]
    id: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """Where a session stands. `session_type` is in it, so that a state is all that the machine has to know.

    `round_trips` counts all complete replies of the model and is never reset; the rest belongs to the current turn.
    `rounds_allowed` is 0 when the model may only write.
    """

    phase: Phase = Phase.IDLE
    session_type: SessionType = SessionType.CHAT
    round_trips: int = 0
    rounds: int = 0
    rounds_allowed: int = 0
    failure: str = ""
    failures: int = 0
    waiting: Waiting | None = None
    end_reason: EndReason | None = None

    def to_json(self) -> dict[str, Any]:
        """The state as it is stored, where both `session_type` and `waits_for` are called "kind"."""
        fields = asdict(self)
        fields["kind"] = fields.pop("session_type")
        if self.waiting is not None:
            fields["waiting"] = {"kind": self.waiting.waits_for, "id": self.waiting.id}
        return {"version": STATE_VERSION, **fields}


def load(data: dict[str, Any]) -> State:
    """The stored state, upgraded; an empty one for a new session. Raises `UnknownVersion`."""
    if not data:
        return State()
    fields = dict(data)
    fields = _STORED.upgraded(fields, fields.pop("version", None))
    waiting = fields.pop("waiting")
    end_reason = fields.pop("end_reason")
    return State(
        phase=Phase(fields.pop("phase")),
        session_type=SessionType(fields.pop("kind")),
        waiting=Waiting(waiting["kind"], waiting["id"]) if waiting else None,
        end_reason=EndReason(end_reason) if end_reason else None,
        **fields,
    )


def knows(session: Session) -> bool:
    """False if a newer version of the program wrote the session's state: it is left to processes that know it."""
    version = session.state.get("version")
    return not isinstance(version, int) or version <= STATE_VERSION


def state_of(session: Session) -> State:
    """The session's state; one at rest if a newer version wrote it, or if it cannot be read (we write no such)."""
    if not knows(session):
        return State()
    try:
        return load(session.state)
    except (KeyError, TypeError, ValueError):
        log.exception("the state of session %s cannot be read; it goes on from rest", session.pk)
        return State()
