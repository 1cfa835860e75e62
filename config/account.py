"""The user as whom the embedded PostgreSQL runs: ourselves, or an unprivileged one, because it refuses root."""

import os
import pwd
from dataclasses import dataclass
from pathlib import Path

from config.problem import Problem

#: In this order; the first that exists. An operator may create the first one.
NAMES = ("countersign", "postgres", "_postgres", "nobody")


@dataclass(frozen=True)
class Account:
    name: str
    uid: int
    gid: int


def postgres_account(postgres_data: Path) -> Account | None:
    """The owner of the data, else the first of `NAMES`; None if we are not root, and stay who we are."""
    if os.geteuid() != 0:
        _named(os.geteuid())
        return None
    if postgres_data.exists() and (owner := postgres_data.stat().st_uid) != 0:
        return _named(owner)
    for name in NAMES:
        try:
            return _account(pwd.getpwnam(name))
        except KeyError:
            continue
    raise Problem(
        "PostgreSQL does not run as root and none of the users "
        f"{', '.join(NAMES)} exists here. Create one (useradd --system countersign), start as an ordinary user, "
        "or set DATABASE_URL to a PostgreSQL of your own."
    )


def make_own(folder: Path, account: Account | None = None) -> None:
    """Makes a folder that only the account may enter, else only ourselves. Raises Problem if it is somebody else's."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if account:
        os.chown(folder, account.uid, account.gid)
    elif folder.stat().st_uid != os.geteuid():
        raise Problem(f"The folder {folder} belongs to another user. Remove it, or choose another DATA_DIR.")
    folder.chmod(0o700)


def _named(uid: int) -> Account:
    try:
        return _account(pwd.getpwuid(uid))
    except KeyError:
        raise Problem(
            f"The user id {uid} has no entry in /etc/passwd, and PostgreSQL wants one. "
            "Start as a user with a name, or set DATABASE_URL to a PostgreSQL of your own."
        ) from None


def _account(entry: pwd.struct_passwd) -> Account:
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)
