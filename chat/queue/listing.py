"""The queue as one list, the oldest first, and what a person may do to one entry of it."""

import base64
import json
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter

from django.utils.translation import gettext as _

from chat.queue.entry import Entry, Place
from chat.queue.sources import SOURCES
from graphs.site.access import Member, NotFound
from graphs.site.api.problems import Problem
from graphs.site.json_input import BadJSON, parse_json

#: Longer ones are none of ours.
_MOST_CURSOR = 400


@dataclass(frozen=True, slots=True)
class QueuePage:
    """`next` is the cursor of what comes after these, None if nothing does."""

    entries: list[Entry]
    next: str | None


def page_of_queue(member: Member, cursor: str | None, limit: int) -> QueuePage:
    """At most `limit` entries of the member's workspace after a cursor. Raises `Problem` 400 for a bad one."""
    after = _read(cursor) if cursor else None
    found = [entry for source in SOURCES.values() for entry in source.entries(member, after, limit + 1)]
    found.sort(key=attrgetter("place"))
    shown = found[:limit]
    return QueuePage(shown, _cursor(shown[-1].place) if len(found) > limit else None)


def cancel(member: Member, entry_id: str) -> None:
    """Stops what an entry stands for; raises `NotFound`, `Forbidden`, or `Refused` for what has ended."""
    kind, key = _parts(entry_id)
    SOURCES[kind].cancel(member, key)


def retry(member: Member, entry_id: str) -> None:
    """Has it tried again; raises `NotFound`, `Forbidden`, `Refused`, or `Problem` 429."""
    kind, key = _parts(entry_id)
    SOURCES[kind].retry(member, key)


def _parts(entry_id: str) -> tuple[str, str]:
    kind, _colon, key = entry_id.partition(":")
    if kind not in SOURCES or not key:
        raise NotFound
    return kind, key


def _cursor(place: Place) -> str:
    since, id_ = place
    return base64.urlsafe_b64encode(json.dumps([since.isoformat(), id_]).encode()).decode().rstrip("=")


def _read(cursor: str) -> Place:
    try:
        if len(cursor) > _MOST_CURSOR:
            raise ValueError
        since, id_ = parse_json(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        moment = datetime.fromisoformat(since)
        if moment.tzinfo is None or not isinstance(id_, str):
            raise ValueError
    except (BadJSON, ValueError, TypeError, OverflowError) as error:
        raise Problem(400, "bad_cursor", _("The cursor is not one of this list. Start again without it.")) from error
    return moment, id_
