"""What a person reads whose conversation is about something that is gone: who deleted it, and how it comes back."""

from django.utils.translation import gettext as _

from chat.engine import error_texts
from chat.engine.claims import ClaimedRun
from chat.engine.error_texts import Failure
from graphs.history import queries
from graphs.models import Origin, Revision
from graphs.objects.headers import narrowed
from graphs.site.access import NotFound


def failure_of(run: ClaimedRun) -> Failure:
    """Names what is gone only where every member could see it, and its page offers to bring it back."""
    deletion = _deletion(run)
    if deletion is None:
        return Failure("not_found", error_texts.CONTEXT_GONE, retryable=False)
    named = {"title": deletion.label or deletion.key, "person": deletion.change_set.actor_label}
    sentence = _(
        "“%(title)s”, which this conversation is about, was deleted by %(person)s. An editor can bring it back with "
        "Undo on its page; then ask again."
    )
    return Failure("not_found", sentence % named, retryable=False)


def _deletion(run: ClaimedRun) -> Revision | None:
    if run.context is None or run.context.type in narrowed():
        return None
    try:
        found = queries.deletion(run.account.workspace_id, run.context)
    except NotFound:
        return None
    return None if found.change_set.origin == Origin.OUTSIDE else found
