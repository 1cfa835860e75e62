"""Whether the password at hand is that of the user demo: found out as a start prepares, once for each stored one.

Without it the line that says a start is ready would tell a password that the login refuses: DEMO_PASSWORD counts for
an empty database only, and people change theirs.
"""

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path

USER = "demo"


def find_out(data_dir: Path, database_url: str, password: str) -> None:
    """Notes whether the password is right. Takes a third of a second where nothing is known of the stored one."""
    noted, stored = _noted(data_dir), _stored(database_url)
    if noted == {"stored": stored, "proof": _proof(stored, password)}:
        return
    right = bool(stored) and _fits(password, stored)
    with suppress(OSError):
        (data_dir / "demo_login").write_text(
            json.dumps({"stored": stored, "proof": _proof(stored, password)}) if right else "{}"
        )


def is_right(data_dir: Path, password: str) -> bool:
    """Whether the password is known to be right."""
    noted = _noted(data_dir)
    return bool(noted) and noted["proof"] == _proof(noted["stored"], password)


def _noted(data_dir: Path) -> dict[str, str]:
    with suppress(OSError, ValueError):
        noted = json.loads((data_dir / "demo_login").read_text())
        return noted if isinstance(noted, dict) and noted.keys() == {"stored", "proof"} else {}
    return {}


def _proof(stored: str, password: str) -> str:
    return hashlib.sha256(f"{stored}\0{password}".encode()).hexdigest()


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
