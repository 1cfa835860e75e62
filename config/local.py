"""Paths and secrets of the embedded servers of a data folder, for all its processes; `manage.py up` starts them."""

import hashlib
import os
import re
import secrets
import stat
import string
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from config import full_disk
from config.problem import Problem

#: The database, and the role of what runs.
DATABASE = "countersign"
#: Who owns the tables and migrates, and PostgreSQL's own superuser (`config/roles.py`).
OWNER = "countersign_owner"
SUPERUSER = "postgres"
#: Where root keeps what PostgreSQL's own user must be able to enter, when the data folder is closed to others.
SYSTEM_DIR = Path("/var/lib/countersign")
#: The kernel's limit for a socket path is 107 bytes on Linux and 103 on macOS.
SOCKET_PATH_LIMIT = 103
ALPHABET = string.ascii_letters + string.digits


@dataclass(frozen=True)
class ServerPaths:
    """Folders, sockets and URLs of the embedded servers of one data folder, whether they run or not."""

    data_dir: Path
    postgres_home: Path
    postgres_socket_dir: Path
    valkey_socket_dir: Path

    @property
    def postgres_data(self) -> Path:
        return self.postgres_home / "postgres"

    @property
    def postgres_socket(self) -> Path:
        return self.postgres_socket_dir / ".s.PGSQL.5432"

    @property
    def valkey_data(self) -> Path:
        return self.data_dir / "valkey"

    @property
    def valkey_socket(self) -> Path:
        return self.valkey_socket_dir / "valkey.sock"

    @property
    def database_url(self) -> str:
        """For all that runs: rows are read and written, tables are not changed."""
        return self._url(f"{DATABASE}:{self.password}")

    @property
    def owner_url(self) -> str:
        """For who migrates."""
        return self._url(f"{OWNER}:{self.owner_password}")

    @property
    def superuser_url(self) -> str:
        """Refused, but while roles are made."""
        return self._url(SUPERUSER)

    @property
    def password(self) -> str:
        return secret(self.data_dir, "postgres_password")

    @property
    def owner_password(self) -> str:
        return secret(self.data_dir, "postgres_owner_password")

    def _url(self, login: str) -> str:
        return f"postgresql://{login}@/{DATABASE}?host={self.postgres_socket_dir}"

    @property
    def redis_url(self) -> str:
        return f"unix://{self.valkey_socket}?db=0"


def celery_url(redis_url: str) -> str:
    """Kombu's spelling of a Redis address: it knows unix sockets by another scheme and option."""
    parts = urlsplit(redis_url)
    if parts.scheme != "unix":
        return redis_url
    login = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    number = parse_qs(parts.query).get("db", ["0"])[0]
    return f"redis+socket://{login}{parts.path}?virtual_host={number}"


def server_paths(data_dir: Path) -> ServerPaths:
    """Where files and sockets of the servers are: in the data folder, unless PostgreSQL or a path cannot be there."""
    home = _postgres_home(data_dir)
    paths = ServerPaths(data_dir, home, home / "socket", data_dir / "valkey")
    if _fits(paths.postgres_socket) and _fits(paths.valkey_socket):
        return paths
    short = _system_dir(data_dir) if _is_root() else Path(f"/tmp/countersign-{os.geteuid()}-{_digest(data_dir)}")  # noqa: S108
    return ServerPaths(data_dir, home, short / "socket", short / "valkey")


def open_to_others(path: Path) -> bool:
    """Whether another user of this machine may enter every existing folder on the way to `path`, and use it."""
    for part in (path, *path.parents):
        try:
            if not part.stat().st_mode & stat.S_IXOTH:
                return False
        except FileNotFoundError:
            continue
        except OSError:
            return False
    return True


def secret(data_dir: Path, name: str, length: int = 64, first: str = "", *, closed: bool = True) -> str:
    """The secret of this name, readable by the owner only. At first use it is `first`, else letters and digits.

    Raises `Problem` for a file that others may read, unless that does not matter (`closed`).
    """
    path = data_dir / name
    try:
        make_data_dir(data_dir)
        if closed:
            _require_closed(path)
        return _read(path) or _create(path, first or "".join(secrets.choice(ALPHABET) for _ in range(length)))
    except OSError as error:
        raise Problem(no_access(data_dir, error)) from error


def make_data_dir(data_dir: Path) -> None:
    """Makes it, closed to others; as root they may pass through it, because PostgreSQL runs as another user."""
    if data_dir.is_dir():
        return
    data_dir.mkdir(parents=True, exist_ok=True)
    data_dir.chmod(0o711 if _is_root() else 0o700)


def require_metrics_folder(folder: Path) -> None:
    """Makes the folder in which processes count, if it is not there. Raises `Problem` where they could not."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    if not (folder.is_dir() and os.access(folder, os.R_OK | os.W_OK | os.X_OK)):
        raise Problem(
            f"The processes cannot count in the folder of PROMETHEUS_MULTIPROC_DIR, {folder}. Name one that your user "
            "may write to, or leave the variable out."
        )


def no_access(folder: Path, error: OSError) -> str:
    return full_disk.explain(str(error), folder) or (
        f"Cannot use the data folder {folder}: {error.strerror or error}. "
        "Give your user read and write access to it, or name another folder with DATA_DIR=/path."
    )


def _require_closed(path: Path) -> None:
    """Raises `Problem` for a file with a secret that others may read."""
    if path.exists() and path.stat().st_mode & 0o007:
        raise Problem(
            f"Others may read {path}, which holds a secret. Close it: chmod 600 {path}. If somebody may have read it, "
            "remove it instead; a new one is made (of secret_key everybody then has to log in again)."
        )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return ""


def _create(path: Path, value: str) -> str:
    """Creates a secret that nobody sees half written; two processes at once return one value."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(value)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(temporary, path)
        except FileExistsError:
            if existing := _read(path):
                return existing
            os.replace(temporary, path)
        return value
    finally:
        Path(temporary).unlink(missing_ok=True)


def _postgres_home(data_dir: Path) -> Path:
    """The folder of PostgreSQL's data; data that exist stay where they are, whatever the permissions on the way."""
    if not _is_root():
        return data_dir
    system_dir = _system_dir(data_dir)
    if (system_dir / "postgres").exists():
        return system_dir
    if (data_dir / "postgres").exists() or open_to_others(data_dir):
        return data_dir
    return system_dir


def _system_dir(data_dir: Path) -> Path:
    return SYSTEM_DIR / _digest(data_dir)


def _fits(socket: Path) -> bool:
    """Whether a socket's path is short enough for the kernel and needs no quoting in a URL."""
    return (
        len(os.fsencode(socket)) <= SOCKET_PATH_LIMIT and re.fullmatch(r"[\w./-]+", str(socket), re.ASCII) is not None
    )


def _digest(data_dir: Path) -> str:
    return hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:16]


def _is_root() -> bool:
    return os.geteuid() == 0
