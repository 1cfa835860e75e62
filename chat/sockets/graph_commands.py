"""What frames of a graph's socket do, in the database and in the name of a person who may be here."""

import hashlib
from collections.abc import Collection
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from chat.actions.refusals import Refused
from chat.sockets import graph_frames
from graphs.api import changes
from graphs.history import live_edits
from graphs.history.editing import KeyUsed, Request
from graphs.history.recording import to_json
from graphs.models import LiveEdit, Object
from graphs.objects.actions import ChangeRefused
from graphs.objects.edit_conflicts import EditConflicts
from graphs.site.access import NotFound, member_of
from graphs.site.api import limits
from graphs.site.url_keys import KeyConverter
from graphs.workflows.listing import graph_for
from graphs.workflows.live import editing


def open_graph(user: User, workspace: str, key: str) -> tuple[int, bool]:
    """The graph's id, and whether the person may edit it. Raises `NotFound`, for what no key can be as well."""
    try:
        KeyConverter().to_python(key)
    except ValueError:
        raise NotFound from None
    member = member_of(user, workspace)
    return graph_for(member, key).pk, member.role.may_edit


def edit(user: User, workspace: str, graph_id: int, frame: graph_frames.Edit | graph_frames.Undo) -> LiveEdit:
    """Stores the edit, so that it may be acknowledged."""
    member = member_of(user, workspace)
    member.require_editor()
    limits.require("changes", str(user.pk), settings.LIMIT_CHANGES)
    try:
        if isinstance(frame, graph_frames.Undo):
            digest = hashlib.sha256(to_json(frame.model_dump(mode="json")).encode()).hexdigest()[:40]
            request = Request((), key=frame.id, digest=digest)
            return editing.take_back(member, graph_id, frame.version, request)
        seen = [(one.ref, one.version) for one in frame.expected]
        asked = frame.model_dump(mode="json", include={"actions", "expected"})
        digest = changes.digest_of(graph_id, asked)
        request = Request(changes.parsed(frame.actions), seen, key=frame.id, digest=digest)
        return editing.edit(member, graph_id, request)
    except Object.DoesNotExist as gone:
        raise NotFound from gone
    except ChangeRefused as refusal:
        raise changes.refused(refusal) from refusal
    except EditConflicts as met:
        raise changes.conflict(met, member) from met
    except KeyUsed as used:
        sentence = _("Another edit was sent with this _id. Use a new one.")
        raise Refused("idempotency_key", sentence) from used


def save(user: User, workspace: str, graph_id: int) -> Collection[Any]:
    """Saves live edits now and returns the ids of the change sets that they became."""
    member_of(user, workspace).require_editor()
    return live_edits.save_edits(graph_id)
