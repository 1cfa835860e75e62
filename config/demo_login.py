"""Whether the password at hand is that of the user demo: found out as a start prepares, once for each stored one.

Without it the line that says a start is ready would tell a password that the login refuses: DEMO_PASSWORD counts for
an empty database only, and people change theirs.
"""

import hashlib
import hmac
import os
from contextlib import suppress
from pathlib import Path

from config import local

USER = "demo"


def find_out(data_dir: Path, database_url: str, password: str) -> None:
    """Notes that the password is right, or forgets it. Takes a third of a second where it is not known yet.

    The note is a digest under the site's key: it says nothing of the password, nor of what the database keeps of it.
    """
    note, stored = _note(data_dir), _stored(database_url)
    key = os.environ.get("SECRET_KEY") or local.secret(data_dir, "secret_key")
    proof = hmac.digest(key.encode(), f"{stored}\0{password}".encode(), hashlib.sha256).hex()
    with suppress(OSError):
        if note.exists() and note.read_text() == proof:
            return
        note.unlink(missing_ok=True)
        if stored and _fits(password, stored):
            note.touch(mode=0o600)
            note.write_text(proof)


def is_right(data_dir: Path) -> bool:
    """Whether the password is that of the database, as `find_out` found it in this start."""
    return _note(data_dir).exists()


def _note(data_dir: Path) -> Path:
    return data_dir / "demo_login"


def _stored(database_url: str) -> str:
    """What the database keeps of the password; "" where nobody of this name may sign in."""
    import psycopg

    with suppress(psycopg.Error), psycopg.connect(database_url, connect_timeout=10) as connection:
        asked = "SELECT password FROM auth_user WHERE username = %s AND is_active"
        row = connection.execute(asked, [USER]).fetchone()
        return str(row[0]) if row else ""
    return ""


def _fits(password: str, stored: str) -> bool:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.contrib.auth.hashers import check_password

    return check_password(password, stored)
