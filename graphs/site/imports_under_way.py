"""Imports that are under way, told to all processes on Valkey, and stopped from there.

An import goes on as if nobody asked where Valkey does not answer: it is then neither listed nor stopped.
"""

import json
import logging
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import User
from django.dispatch import Signal
from django.utils.translation import gettext as _
from redis import Redis
from redis.exceptions import RedisError

from graphs.site import valkey
from graphs.site.api.problems import Problem

#: How often one tells how far it is, and looks whether it shall stop.
TOLD_EVERY_S = 0.5
#: One that tells nothing for so long belongs to a process that is gone.
SILENT_S = 600
LONGEST_TITLE = 200
_STOP = ":stop"
#: Whoever waits so long has perhaps gone elsewhere.
LONG_S = 2.0
#: Sent with `workspace_id`, `person` and what was `made`, after the commit of an import that took long.
long_import_done = Signal()
#: Marks an import as to be stopped, if it is there still.
_ASK = """
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], ARGV[1] .. ARGV[2], '1')
return 1
"""

log = logging.getLogger("countersign.imports")


class ImportStopped(Problem):
    """Somebody stopped the import before it was done; nothing was changed."""

    def __init__(self) -> None:
        super().__init__(409, "cancelled", _("The import was stopped. Nothing was changed."))


@dataclass(frozen=True, slots=True)
class Made:
    """What an import made or changed: one object, or without a `key` several of the kind."""

    kind: str
    key: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class ImportUnderWay:
    """An import of objects of a `kind`; `title` is what its file is called, `person` the name of the user who began it.

    `began` and `seen` are seconds since 1970. `stopping`: somebody has asked it to stop.
    """

    id: str
    kind: str
    title: str
    user: int
    person: str
    began: float
    seen: float
    done: int = 0
    total: int = 0
    stopping: bool = False

    @property
    def since(self) -> datetime:
        return datetime.fromtimestamp(self.began, UTC)


class Running:
    """What an import tells, and hears, on its way."""

    def __init__(self, workspace_id: int, user: User, kind: str, title: str) -> None:
        now = time.time()
        self._key: Final = _key(workspace_id)
        about = {"kind": kind, "title": title[:LONGEST_TITLE], "user": user.pk, "person": user.get_username()}
        self._about: Final[dict[str, Any]] = {"id": uuid.uuid4().hex, "began": now, **about}
        self._told = 0.0
        #: Set when it is done.
        self.made: Made | None = None

    def reach(self, done: int, total: int) -> None:
        """Tells how many of its items are written, and raises `ImportStopped` if it shall go no further.

        Asked often it tells now and then. When all is written it is too late to stop.
        """
        if done < total and self._is_due:
            self.tell(done, total)

    def look(self, *_counts: int) -> None:
        """Raises `ImportStopped` if it shall go no further, and tells that it is there still; now and then, too."""
        if self._is_due:
            self.tell()

    @property
    def _is_due(self) -> bool:
        return time.monotonic() - self._told >= TOLD_EVERY_S

    def tell(self, done: int = 0, total: int = 0) -> None:
        """Tells at once how many of its items are written, and raises `ImportStopped` if it shall go no further."""
        self._told = time.monotonic()
        told = json.dumps({**self._about, "seen": time.time(), "done": done, "total": total})

        def ask(client: Redis) -> Any:
            pipeline = client.pipeline(transaction=False)
            pipeline.hset(self._key, self._about["id"], told)
            pipeline.expire(self._key, SILENT_S)
            pipeline.hexists(self._key, self._about["id"] + _STOP)
            return pipeline.execute()[-1]

        if _asked(ask):
            raise ImportStopped

    @property
    def lasted_s(self) -> float:
        return time.time() - float(self._about["began"])

    def end(self) -> None:
        """Takes it off the list."""
        id_ = self._about["id"]
        _asked(lambda client: client.hdel(self._key, id_, id_ + _STOP))


@contextmanager
def importing(workspace_id: int, user: User, kind: str, title: str = "") -> Iterator[Running]:
    """Lists an import until the block ends. Within it `ImportStopped` may be raised by what it tells."""
    running = Running(workspace_id, user, kind, title)
    running.tell()
    try:
        yield running
    finally:
        running.end()
    if running.made and running.lasted_s >= LONG_S:
        long_import_done.send_robust(Running, workspace_id=workspace_id, person=user.get_username(), made=running.made)


def under_way(workspace_id: int) -> list[ImportUnderWay]:
    """The imports of a workspace, the oldest first; none where Valkey does not answer."""
    rows: dict[bytes, bytes] = _asked(lambda client: client.hgetall(_key(workspace_id))) or {}
    found = []
    for name, told in rows.items():
        if name.endswith(_STOP.encode()):
            continue
        each = ImportUnderWay(**json.loads(told), stopping=name + _STOP.encode() in rows)
        if time.time() - each.seen < SILENT_S:
            found.append(each)
    return sorted(found, key=lambda each: (each.began, each.id))


def ask_to_stop(workspace_id: int, id_: str) -> bool:
    """Has an import stop when it looks next; False if it is no longer there."""
    return bool(_asked(lambda client: client.eval(_ASK, 1, _key(workspace_id), id_, _STOP)))


def _key(workspace_id: int) -> str:
    return f"{settings.REDIS_PREFIX}:imports:{workspace_id}"


def _asked(ask: Callable[[Redis], Any]) -> Any:
    """What Valkey answers; None where it does not."""
    try:
        with valkey.asked() as client:
            return ask(client)
    except RedisError as error:
        log.info("Imports are not listed: %s", type(error).__name__)
        return None
