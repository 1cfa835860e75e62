"""Whether rows of registered models are where they may be: in their workspace, and in no other one beside it."""

from collections.abc import Collection
from typing import Any

from django.core.exceptions import ImproperlyConfigured, ObjectDoesNotExist
from django.db import models
from django.utils.translation import gettext as _

from graphs.models import Object, Workspace
from graphs.objects.actions import ChangeRefused
from graphs.objects.headers import parent_of, rows_with
from graphs.objects.kinds import Kind
from graphs.objects.model_rows import row_of
from graphs.objects.operations import Record

#: Workspaces that are asked for a row in one statement.
AT_ONCE = 200


def require_here(kind: Kind, of: Object, changed: Record) -> None:
    """Raises `ChangeRefused` if the row has left its workspace, or was given a parent of another one."""
    holder, key = parent_of(kind), changed.get("parent")
    foreign = holder is not None and key and not rows_with(holder, of.workspace_id, [key]).exists()
    if foreign or row_of(of) is None:
        raise ChangeRefused(_("{object} would leave its workspace, or the one of its parent.").format(object=of))


def require_nowhere_else(kind: Kind, of: Object, before: Collection[int] = ()) -> None:
    """Raises `ChangeRefused` if the row is in another workspace, too, than in those that it was in `before`."""
    if not elsewhere(kind, of) <= set(before):
        raise ChangeRefused(_("{object} would be in another workspace, too.").format(object=of))


def elsewhere(kind: Kind, of: Object) -> set[int]:
    """The other workspaces that the application gives the row to."""
    if kind.chosen is None:  # foreign keys lead to one workspace
        return set()
    found: set[int] = set()
    others = list(Workspace.objects.exclude(pk=of.workspace_id))
    for start in range(0, len(others), AT_ONCE):
        some = [rows for each in others[start : start + AT_ONCE] if (rows := _row_in(kind, of, each)) is not None]
        if some:
            found.update(workspace for _key, workspace in some[0].union(*some[1:], all=True))
    return found


def _row_in(kind: Kind, of: Object, workspace: Workspace) -> Any:
    """The key of the row with that of the workspace, if it is there; None where the application has no rows yet."""
    assert kind.chosen is not None
    try:
        rows = kind.chosen(workspace)
    except ObjectDoesNotExist:
        return None
    except ImproperlyConfigured:
        raise
    except Exception as error:
        message = _("{object} stays as it was: the rows of another workspace cannot be told.")
        raise ChangeRefused(message.format(object=of)) from error
    key = kind.model._meta.pk.to_python(of.key)
    return rows.filter(pk=key).order_by().values_list("pk", models.Value(workspace.pk))
