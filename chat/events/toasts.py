"""Tells a person, on whatever page they are, what ended that they began: an event of the workspace's stream.

Every member may read it, so it says no more than the history does.
"""

from typing import Any

from django.db import transaction

from chat.events.append import append
from chat.events.notices import workspace_stream_name
from chat.events.toast_words import GENERATED, GENERATION_FAILED, GENERATION_WAITS, IMPORTED
from chat.events.vocabulary import NewEvent
from chat.models import Run, RunStatus
from graphs.objects.headers import narrowed
from graphs.site.imports_under_way import Made, long_import_done


def tell_of_import(workspace_id: int, person: str, made: Made, **_kwargs: Any) -> None:
    """Appends a toast for who imported something; of kinds that not everybody may see nothing is told."""
    if made.kind in narrowed():
        return
    about = {"object": {"type": made.kind, "id": made.key}} if made.key else {}
    data = {"level": "success", "what": IMPORTED, "person": person, "kind": made.kind, "title": made.title, **about}
    _tell(workspace_id, NewEvent("toast", data))


def tell_of_generation(run: Run, title: str, *, waits: bool) -> None:
    """Appends a toast for who asked for a generation that is over; `waits`: somebody has to decide on it."""
    about = run.session.context
    if about is None or about.type in narrowed():
        return
    if run.status == RunStatus.FAILED:
        level, what = "error", GENERATION_FAILED
    else:
        level, what = ("info", GENERATION_WAITS) if waits else ("success", GENERATED)
    data = {"level": level, "what": what, "person": run.author.get_username(), "kind": about.type, "title": title}
    _tell(run.session.workspace_id, NewEvent("toast", data | {"object": about.to_json()}, run_id=run.pk))


def _tell(workspace_id: int, toast: NewEvent) -> None:
    with transaction.atomic():
        append((workspace_stream_name(workspace_id), workspace_id), [toast])


def register() -> None:
    """Has toasts told of what ends elsewhere."""
    long_import_done.connect(tell_of_import)
