"""GET /healthz: this process answers. GET /readyz: it can also do its work."""

import logging
import os
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from graphs.site import valkey

logger = logging.getLogger("countersign.health")

#: How long the database may take to let us in.
PATIENCE_S = 2
#: For so long what was found is said again: however many ask, the database lets in one of them at a time.
KEPT_S = 1

#: With less free the next transaction, or what is queued, may find no room.
LEAST_FREE_BYTES = 16 * 2**20

_one_at_a_time = threading.Lock()
_found: tuple[float, dict[str, str]] | None = None


@csrf_exempt
@require_safe
def live(_request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "ok"}, headers={"Cache-Control": "no-store"})


@csrf_exempt
@require_safe
def ready(_request: HttpRequest) -> JsonResponse:
    """200 when the database is there, its migrations are applied and Valkey answers; else 503 with what is not."""
    parts = _parts()
    all_well = set(parts.values()) == {"ok"}
    return JsonResponse(
        {"status": "ok" if all_well else "not ready", **parts},
        status=200 if all_well else 503,
        headers={"Cache-Control": "no-store"},
    )


def _parts() -> dict[str, str]:
    """How each part does, as found less than a second ago."""
    global _found
    with _one_at_a_time:
        if _found is None or time.monotonic() - _found[0] >= KEPT_S:
            parts = _look()
            _found = time.monotonic(), parts
        return _found[1]


def _look() -> dict[str, str]:
    parts: dict[str, str] = {}
    for name, check in _CHECKS.items():
        if name == "disk" and not _written_folders():
            continue  # The servers have disks of their own.
        # Without a database nothing can be said about its migrations, and asking would take long.
        known = name != "migrations" or parts["database"] == "ok"
        try:
            parts[name] = "ok" if known and check() else "not ready"
        except Exception as error:  # Any: whatever a check raises, this process is not ready.
            logger.warning("%s is not ready: %s", name, type(error).__name__)
            parts[name] = "not ready"
    return parts


def _database() -> bool:
    """Whether a connection of its own can be opened; the pool would wait for a server that is away."""
    ours = {"connect_timeout": PATIENCE_S, "target_session_attrs": "read-write"}
    with psycopg.connect(**connection.get_connection_params() | ours):
        return True


_migrated = False


def _migrations() -> bool:
    """Whether all migrations are applied; once true, asked no more: nobody takes them back under a process."""
    global _migrated
    if not _migrated:
        executor = MigrationExecutor(connection)
        _migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    return _migrated


def _written_folders() -> list[Path]:
    """The folders in which this site keeps something, on this machine."""
    found = [] if settings.ENV.database_url and settings.ENV.redis_url else [settings.DATA_DIR]
    if settings.METRICS_TOKEN and (metrics := os.environ.get("PROMETHEUS_MULTIPROC_DIR")):
        found.append(Path(metrics))
    return found


def _disk() -> bool:
    """Whether there is room to write."""
    return all(shutil.disk_usage(folder).free >= LEAST_FREE_BYTES for folder in _written_folders())


_CHECKS: dict[str, Callable[[], bool]] = {
    "database": _database,
    "migrations": _migrations,
    "valkey": lambda: bool(valkey.client().ping()),
    "disk": _disk,
}
