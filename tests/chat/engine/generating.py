"""A worker that drives generations, and what tests ask of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.auth.models import User
from django.db import connections

from chat.engine.generation_worker import GenerationWorker
from chat.events import log_pages
from chat.events.vocabulary import StoredEvent
from chat.models import Run
from tests.chat.api.callers import get, post
from tests.vendors import ScriptedCall


@contextmanager
def generation_worker() -> Iterator[GenerationWorker]:
    worker = GenerationWorker()
    # What tests silence is dead, and nobody waits for it.
    worker.runner._patient_until = worker.runner._loop.time()
    try:
        yield worker
    finally:
        worker.close(0)
        connections.close_all()


def begun(user: User, prompt: str, kind: str, key: object, **more: Any) -> Run:
    """The generation that the door begins."""
    answer = post(user, f"structured/{prompt}", {"context": {"type": kind, "id": str(key)}, **more})
    assert answer.status_code == 202, answer.content
    return Run.objects.select_related("session__stream", "message").get(pk=answer.json()["runId"])


def told(user: User, run: Run) -> dict[str, Any]:
    """What the door tells of it."""
    answer = get(user, f"structured/{run.pk}")
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def stream_of(run: Run) -> list[StoredEvent]:
    """The events of a generation in the stream of its object."""
    pages = log_pages.pages_after(run.session.stream_id, 0)
    return [event for page in pages for event in page if event.run_id == run.pk]


def states_of(run: Run) -> list[str]:
    return [event.data["state"] for event in stream_of(run) if event.type == "generation"]


OF_COMPANY = {
    "reason": "By its name.", "name": "", "industry": "Transport", "size": "1,200 people (2025)",
    "products": "Parcels.", "processes": "Sorting.", "challenges": "", "objectives": "", "technologies": "",
}  # fmt: skip


def form(prompt: str, **fields: Any) -> ScriptedCall:
    """The call of the model that fills in the form of a prompt."""
    return ScriptedCall(f"write_{prompt}", fields)


def found(*names: str) -> ScriptedCall:
    """The call of a model that finds use cases of these names."""
    use_cases = [{"name": name, "description": f"About {name}."} for name in names]
    return form("use_case_list", reason="What fits.", useCases=use_cases)


EMPTY_DETAIL: dict[str, Any] = {
    "reason": "By the name.", "description": "", "problem": "", "solution": "", "benefits": [], "metrics": [],
    "risks": [], "constraints": [], "nextSteps": [], "dataSources": [], "dataObjects": [], "domain": "",
    "technologies": [], "contact": "", "deadline": "", "references": [], "valueScores": [], "complexityScores": [],
}  # fmt: skip
