"""The person, conversation and run that a call of a model is for. What it costs is known to the apps above."""

import uuid
from dataclasses import dataclass

from graphs.models import Object


@dataclass(frozen=True, slots=True)
class Account:
    """The person, conversation and run that a call is for. `object` is `type:id`, `epoch` that of the run's owner."""

    workspace_id: int
    user_id: int | None = None
    session_id: uuid.UUID | None = None
    run_id: uuid.UUID | None = None
    epoch: int = 0
    object: str = ""


def account_of(of: Object) -> Account:
    """The account of the object's workspace, for calls that nobody in particular asks for."""
    return Account(of.workspace_id, object=f"{of.type}:{of.key}")
