"""GET /healthz: this process answers. GET /readyz: it can also do its work."""

import logging
from collections.abc import Callable
from functools import lru_cache

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe
from redis import Redis

logger = logging.getLogger("countersign.health")


@require_safe
def live(_request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "ok"}, headers={"Cache-Control": "no-store"})


@require_safe
def ready(_request: HttpRequest) -> JsonResponse:
    """200 when the database is there, its migrations are applied and Valkey answers; else 503 with what is not."""
    parts = {name: "ok" if _works(name, check) else "not ready" for name, check in _CHECKS.items()}
    all_well = set(parts.values()) == {"ok"}
    return JsonResponse(
        {"status": "ok" if all_well else "not ready", **parts},
        status=200 if all_well else 503,
        headers={"Cache-Control": "no-store"},
    )


def _works(name: str, check: Callable[[], bool]) -> bool:
    try:
        return check()
    except Exception:
        logger.exception("%s is not ready", name)
        return False


def _database() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return True


_migrated = False


def _migrations() -> bool:
    """Asked only until it was true once: nobody takes migrations back under a running process."""
    global _migrated
    if not _migrated:
        executor = MigrationExecutor(connection)
        _migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    return _migrated


def _valkey() -> bool:
    return bool(_client(settings.REDIS_URL).ping())


@lru_cache
def _client(url: str) -> Redis:
    return Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2)


_CHECKS: dict[str, Callable[[], bool]] = {"database": _database, "migrations": _migrations, "valkey": _valkey}
