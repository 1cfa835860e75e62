"""`python -m config.prepared` prepares the database for `manage.py up`, unless nothing has changed since the last time.

It finds that out without Django, which takes seconds to load.
"""

import gc
import hashlib
import json
import os
import sys
import sysconfig
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import psycopg

from config import demo_login, local, roles

#: Where this program is: another version beside it has noted its own folders, which have not changed.
HERE = str(Path(__file__).resolve().parent.parent)
#: NULL where there is something to do whatever the code is: no extension, or nothing but an empty database.
STATE = """
SELECT string_agg(format('%s.%s %s', app, name, extract(epoch FROM applied)), ',' ORDER BY id) || (
    SELECT string_agg(format('%s %s', relname, relacl), ',' ORDER BY relname) FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
) FROM django_migrations
WHERE EXISTS (SELECT FROM pg_extension WHERE extname = 'vector')
AND (EXISTS (SELECT FROM auth_user) OR EXISTS (SELECT FROM graphs_workspace))
"""


def main() -> None:
    data_dir = Path(os.environ["DATA_DIR"])
    where = local.server_paths(data_dir)
    if not os.environ.get("DATABASE_URL"):
        roles.make(where)
    database_url = os.environ.get("DATABASE_URL") or where.database_url
    if not is_noted(data_dir, database_url):
        _prepare(data_dir, database_url)
    demo_login.find_out(data_dir, database_url, os.environ.get("DEMO_PASSWORD", ""))


def _prepare(data_dir: Path, database_url: str) -> None:
    gc.set_threshold(10_000)  # As in `manage.py`.
    import django

    from config import prepare

    django.setup()
    folders = folders_of_apps()
    digest = code(folders)  # Before the preparation: what changes meanwhile is looked at by the next one.
    prepare.main()
    note(data_dir, database_url, folders, digest)


def folders_of_apps() -> list[str]:
    """The folders with the code of the site, settings included; packages are known by their names."""
    from django.apps import apps
    from django.conf import settings

    settings_file = sys.modules[settings.SETTINGS_MODULE].__file__ or ""
    folders = {*(app.path for app in apps.get_app_configs()), str(Path(settings_file).parent)}
    return sorted(folder for folder in folders if not Path(folder).is_relative_to(_packages()))


def code(folders: Iterable[str]) -> str:
    """A digest of all that decides what has to be done to a database: code, installed packages, Python, settings."""
    packages = sorted(path.name for path in _packages().glob("*.dist-info"))
    digest = hashlib.sha256("\0".join([sys.version, os.environ.get("DJANGO_SETTINGS_MODULE", ""), *packages]).encode())
    for file in sorted(file for folder in folders for file in Path(folder).rglob("*.py")):
        digest.update(f"\0{file}\0".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def is_noted(data_dir: Path, database_url: str) -> bool:
    """Whether the last preparation was by this code, of this database, and neither has changed since."""
    try:
        noted = json.loads((data_dir / "prepared").read_text())
        if noted["here"] != HERE or noted["code"] != code(noted["folders"]):
            return False
    except (OSError, ValueError, LookupError):
        return False
    found = _state(database_url)
    return found is not None and noted["database"] == _digest(found)


def note(data_dir: Path, database_url: str, folders: list[str], digest: str) -> None:
    """Notes what the database is like after a preparation by this code; what cannot be noted is prepared again."""
    found = _state(database_url)
    if found is None:
        return
    with suppress(OSError):
        (data_dir / "prepared").write_text(
            json.dumps({"here": HERE, "folders": folders, "code": digest, "database": _digest(found)}, indent=1)
        )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _packages() -> Path:
    return Path(sysconfig.get_path("purelib"))


def _state(database_url: str) -> str | None:
    try:
        with psycopg.connect(database_url, connect_timeout=10) as connection:
            return state(connection)
    except psycopg.Error:
        return None


def state(connection: psycopg.Connection) -> str | None:
    """The migrations that a database has seen, and who has which rights; None where it is prepared in any case."""
    row = connection.execute(STATE).fetchone()
    return row[0] if row else None


if __name__ == "__main__":
    main()
