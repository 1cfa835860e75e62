"""Whether `config.prepare` would find nothing to do, known without Django, which takes seconds to load."""

import hashlib
import os
import sys
import sysconfig
from pathlib import Path

import psycopg

BASE_DIR = Path(__file__).resolve().parent.parent
#: What is ours: `code` knows it file by file, and everything else by the names of the installed packages.
OURS = ("config", "graphs", "rag", "chat")
#: NULL where there is something to do whatever the code is: no extension, or nothing but an empty database.
STATE = """
SELECT string_agg(format('%s.%s %s', app, name, extract(epoch FROM applied)), ',' ORDER BY id) FROM django_migrations
WHERE EXISTS (SELECT FROM pg_extension WHERE extname = 'vector')
AND (EXISTS (SELECT FROM auth_user) OR EXISTS (SELECT FROM graphs_workspace))
"""


def code() -> str:
    """A digest of all that decides what has to be done to a database: our files, installed packages, Python, settings.

    It is taken before the preparation, so that what changes meanwhile is looked at by the next one.
    """
    packages = sorted(path.name for path in Path(sysconfig.get_path("purelib")).glob("*.dist-info"))
    digest = hashlib.sha256("\0".join([sys.version, os.environ.get("DJANGO_SETTINGS_MODULE", ""), *packages]).encode())
    for file in sorted(file for name in OURS for file in (BASE_DIR / name).rglob("*.py")):
        digest.update(f"\0{file.relative_to(BASE_DIR)}\0".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def is_noted(data_dir: Path, digest: str, database_url: str) -> bool:
    """Whether the last preparation was that of this code, of this database, and neither has changed since."""
    try:
        noted = (data_dir / "prepared").read_text()
    except OSError:
        return False
    found = _state(database_url)
    return found is not None and noted == _note(digest, found)


def note(data_dir: Path, digest: str, database_url: str) -> None:
    """Notes what the database is like after a preparation by this code."""
    found = _state(database_url)
    if found is not None:
        (data_dir / "prepared").write_text(_note(digest, found))


def _note(digest: str, found: str) -> str:
    return f"{digest} {hashlib.sha256(found.encode()).hexdigest()}\n"


def _state(database_url: str) -> str | None:
    try:
        with psycopg.connect(database_url, connect_timeout=10) as connection:
            return state(connection)
    except psycopg.Error:
        return None


def state(connection: psycopg.Connection) -> str | None:
    """The migrations that a database has seen, and when; None where it has to be prepared in any case."""
    row = connection.execute(STATE).fetchone()
    return row[0] if row else None
