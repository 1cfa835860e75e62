"""The objects of a workspace whose kinds have no source of their own, as a collection.

Vectors point to headers, so rows get theirs here. Each change that Django tells of sets `updated_at` there; all others
are found when everything is looked at (`rag.tasks.look_at_objects`).
"""

import logging
from collections.abc import Iterator
from typing import Any

from django.db import connection, transaction
from django.db.models import BigIntegerField, CharField, Exists, Func, Max, Model, OuterRef, QuerySet, TextField, Value
from django.db.models.functions import Cast, Concat
from django.dispatch import receiver

from graphs.history.recording import Applied, changed, saved_outside
from graphs.models import Object, Workspace
from graphs.objects.headers import ref_of, rows_of
from graphs.objects.kinds import KINDS, Kind, of_models
from graphs.objects.model_values import record_of
from graphs.objects.operations import Record
from graphs.site.accounts import Account
from graphs.site.database_away import AWAY
from rag.embeddings.collections import MAX_CHARS, Targets, TargetText, in_pages
from rag.embeddings.waking import wake
from rag.sources.registered_sources import kinds_without_source
from rag.texts.words import named_values, plain

FAMILY = "objects"

log = logging.getLogger("countersign.embeddings")

#: A change that is not committed yet may be older than one that is: what is younger than the oldest transaction under
#: way is looked at again.
_SETTLED = """
SELECT coalesce(least(
    (extract(epoch FROM max(updated_at)) * 1000000)::bigint,
    (
        SELECT (extract(epoch FROM min(xact_start)) * 1000000)::bigint - 1 FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
    )
), 0)
FROM graphs_object WHERE workspace_id = %s AND type = ANY(%s)
"""
_MAKE_HEADERS = """
INSERT INTO graphs_object (workspace_id, type, key, version, created_at, updated_at)
SELECT %s, %s, key, 1, statement_timestamp(), statement_timestamp() FROM unnest(%s::text[]) AS key
ON CONFLICT DO NOTHING
"""


def collection_of(workspace_id: int) -> str:
    """The name of the collection of a workspace's objects."""
    return f"{FAMILY}:{workspace_id}"


def object_text(kind: Kind, record: Record) -> str:
    """Title and fields in plain words; minor fields come last, and are the first to be cut."""
    fields = sorted((field for field in kind.fields if field.form != "key"), key=lambda field: field.minor)
    parts = [plain(kind.name_of(record))]
    for field in fields:
        if field.name != kind.title:
            parts.extend(named_values(record[field.name], field.name))
    return ". ".join(filter(None, parts))[:MAX_CHARS]


class WorkspaceObjects:
    """The objects of one workspace. Its version is the moment of the last change, in microseconds."""

    table = Object._meta.db_table

    def __init__(self, workspace: Workspace) -> None:
        self.name = collection_of(workspace.pk)
        self.label = str(workspace)
        self.account = Account(workspace.pk)
        self._headers = _headers().filter(workspace=workspace)
        self._workspace_id = workspace.pk

    def settled_version(self) -> int:
        """The moment of the last change, or before that the beginning of the oldest transaction under way."""
        with connection.cursor() as cursor:
            cursor.execute(_SETTLED, [self._workspace_id, kinds_without_source()])
            return int(cursor.fetchone()[0])

    def size(self) -> int:
        """How many objects have a header."""
        return self._headers.count()

    def all_targets(self, most: int) -> Iterator[Targets]:
        """All objects that have a header, kind by kind."""
        for type_ in kinds_without_source():
            yield from in_pages(self._headers.filter(type=type_), type_, most)

    def changed_since(self, version: int, most: int) -> Iterator[Targets]:
        """The objects whose headers were changed since that moment, kind by kind."""
        later = self._headers.annotate(moment=_microseconds("updated_at")).filter(moment__gt=version)
        for type_ in kinds_without_source():
            yield from in_pages(later.filter(type=type_), type_, most)

    def read(self, targets: Targets) -> list[TargetText]:
        """The texts of objects."""
        kind = KINDS[targets.type]
        headers = {each.key: each for each in self._headers.filter(type=targets.type, pk__in=targets.ids)}
        column = "key__in" if issubclass(kind.model, Object) else "pk__in"
        rows = rows_of(kind, self._workspace_id).filter(**{column: list(headers)})
        found = ((headers[ref_of(kind, row).key], row) for row in rows)
        return [TargetText(header.pk, header.version, object_text(kind, record_of(kind, row))) for header, row in found]

    def fit(self, *, wait: bool) -> bool:
        """Does nothing: fields are searched as they are."""
        return True


def _make_headers(kind: Kind) -> None:
    unknown = _without_header(kind.model._default_manager.all(), Object.objects.filter(type=kind.name))
    for workspace_id in _workspaces_of(kind, unknown):
        known = Object.objects.filter(type=kind.name, workspace=workspace_id)
        keys = _without_header(rows_of(kind, workspace_id), known).values_list("header_key", flat=True)
        with connection.cursor() as cursor:
            cursor.execute(_MAKE_HEADERS, [workspace_id, kind.name, list(keys)])


class ObjectFamily:
    """The objects of each workspace are a collection."""

    def discover(self) -> None:
        """Gives rows of registered models that have no header one."""
        for kind in of_models():
            try:
                _make_headers(kind)
            except AWAY:
                raise
            except Exception:  # Any: a function of an application says which rows there are; the other kinds go on.
                log.exception("rows of the kind %s cannot be found", kind.name)

    def versions(self, workspace_id: int | None) -> QuerySet[Any, tuple[str, int]]:
        """The versions of the objects of all workspaces that have any, or of one."""
        headers = _headers() if workspace_id is None else _headers().filter(workspace=workspace_id)
        name = Concat(Value(f"{FAMILY}:"), Cast("workspace", CharField()))
        latest = headers.order_by().values("workspace").annotate(moment=_microseconds(Max("updated_at")))
        return latest.values_list(name, "moment")

    def open(self, number: int) -> WorkspaceObjects | None:
        """The objects of the workspace with this primary key."""
        workspace = Workspace.objects.filter(pk=number).first()
        return WorkspaceObjects(workspace) if workspace else None

    def drop_forgotten(self) -> None:
        """Does nothing: nothing was built."""


@receiver(changed)
def wake_for_change(change: Applied, **_kwargs: Any) -> None:
    if not {kind for kind, _field in change.touched}.isdisjoint(kinds_without_source()):
        transaction.on_commit(wake)


@receiver(saved_outside)
def wake_for_save(**_kwargs: Any) -> None:
    transaction.on_commit(wake)


def _headers() -> QuerySet[Object]:
    return Object.objects.filter(type__in=kinds_without_source())


def _microseconds(moment: Any) -> Func:
    return Func(
        moment, template="(extract(epoch FROM %(expressions)s) * 1000000)::bigint", output_field=BigIntegerField()
    )


def _without_header(rows: QuerySet[Any], headers: QuerySet[Object]) -> QuerySet[Any]:
    """The rows whose key none of the headers has."""
    keyed = rows.order_by().annotate(header_key=Cast("pk", TextField()))
    return keyed.exclude(Exists(headers.filter(key=OuterRef("header_key"))))


def _workspaces_of(kind: Kind, rows: QuerySet[Model]) -> list[int]:
    """The workspaces that the rows belong to; all if only a function knows them."""
    if kind.workspace:
        column = f"{kind.workspace}__pk"
        return list(rows.exclude(**{column: None}).values_list(column, flat=True).distinct())
    return list(Workspace.objects.values_list("pk", flat=True)) if rows.exists() else []
