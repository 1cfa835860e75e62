"""What a run generates, and the event that tells the pages of its object how far it is."""

import uuid
from dataclasses import dataclass
from typing import Literal

from chat.events.vocabulary import NewEvent
from chat.models import Run

#: `waiting`: a person has to decide on what came of it.
GenerationState = Literal["queued", "running", "waiting", "succeeded", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class AskedGeneration:
    """What was asked for: a prompt by its key and type, and what it is given besides the object.

    `by_model`: a model asked for it in a conversation. `parent` is the run that it came of.
    """

    prompt: str
    prompt_type: str
    version: int
    instructions: str
    count: int | None
    by_model: bool
    parent: uuid.UUID | None


def asked_generation(run: Run) -> AskedGeneration:
    """What a run that generates was asked for; its prompt is there as long as the run is at work."""
    version = run.prompt_version
    assert version is not None
    return AskedGeneration(
        prompt=version.prompt.key,
        prompt_type=version.prompt.type,
        version=version.pk,
        instructions=run.structured.instructions,
        count=run.structured.count,
        by_model=run.structured.by_model,
        parent=run.structured.parent_id,
    )


def generation_event(run: Run, state: GenerationState, progress: dict[str, int] | None = None) -> NewEvent:
    """The event for the stream of the object; `progress` is of what comes of it."""
    assert run.prompt_version is not None
    return told(run.pk, run.message_id, run.prompt_version.prompt.key, state, progress)


def told(
    run_id: uuid.UUID,
    message_id: uuid.UUID,
    prompt: str,
    state: GenerationState,
    progress: dict[str, int] | None = None,
) -> NewEvent:
    """The same of what is known of a run."""
    data = {"runId": str(run_id), "promptId": prompt, "state": state}
    return NewEvent("generation", data | ({"progress": progress} if progress else {}), message_id, run_id)
