"""The role that owns the tables. What runs may have another one, which can neither change them nor rewrite history."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import dj_database_url
import psycopg
from django.conf import settings
from django.db import connection
from django.utils.translation import gettext as _

_RIGHTS = """
SELECT rolsuper, EXISTS (
    SELECT FROM pg_class WHERE oid = to_regclass('graphs_changeset') AND pg_has_role(relowner, 'MEMBER')
) FROM pg_roles WHERE rolname = current_user
"""


@contextmanager
def as_owner() -> Iterator[bool]:
    """Makes Django's connection the owner's, and says whether that is another role. For commands: threads share it."""
    url = str(settings.DATABASE_OWNER_URL)
    if not url:
        yield False
        return
    there, own = dj_database_url.parse(url, engine="django.db.backends.postgresql"), dict(connection.settings_dict)
    options = own["OPTIONS"] | there.get("OPTIONS", {})
    _disconnect()
    connection.settings_dict.update({name: there[name] for name in ("NAME", "USER", "PASSWORD", "HOST", "PORT")})
    connection.settings_dict["OPTIONS"] = options
    try:
        yield True
    finally:
        _disconnect()
        connection.settings_dict.update(own)


@contextmanager
def owners_cursor() -> Iterator[Any]:
    """A cursor for what only the owner may do, outside transactions; of Django's connection if there is one role."""
    url = str(settings.DATABASE_OWNER_URL)
    if not url:
        with connection.cursor() as cursor:
            yield cursor
        return
    with connection.wrap_database_errors, psycopg.connect(url, autocommit=True, connect_timeout=5) as own:
        yield own.cursor()


def may_change_tables() -> bool:
    """Whether `owners_cursor` gives somebody who may. What nobody here may waits for a process that may."""
    return bool(str(settings.DATABASE_OWNER_URL)) or any(_rights())


@cache
def _rights() -> tuple[bool, bool]:
    """Whether the role that runs is a superuser, and whether it owns the tables."""
    with connection.cursor() as cursor:
        cursor.execute(_RIGHTS)
        superuser, owns = cursor.fetchone()
    return bool(superuser), bool(owns)


def rights_to_rewrite() -> str:
    """What the role that runs can do to the history past its triggers, as a sentence; "" where it can do nothing.

    A process asks once. Raises what Django raises while the database is away.
    """
    superuser, owns = _rights()
    if superuser:
        return _(
            "The role of DATABASE_URL is a superuser of PostgreSQL: it can switch off what keeps the history from "
            "being changed. Let another one run, and name the owner's in DATABASE_OWNER_URL (docs/operations.md, "
            "Two roles)."
        )
    if owns:
        return _(
            "The role of DATABASE_URL owns the tables: it can switch off what keeps the history from being changed. "
            "Let another one run, and name the owner's in DATABASE_OWNER_URL (docs/operations.md, Two roles)."
        )
    return ""


def _disconnect() -> None:
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]
