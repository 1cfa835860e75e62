"""Locks on a data folder, held by open files: the kernel frees them when the last holder is gone, however it ends."""

import fcntl
import os
from pathlib import Path

from config.problem import Problem


def lock_for_this_process(data_dir: Path) -> None:
    """Locks the data folder for this `manage.py up`; raises `Problem` with the process that holds it."""
    handle = os.open(data_dir / "up.lock", os.O_RDWR | os.O_CREAT, 0o600)
    if not _try(handle):
        holder = os.read(handle, 20).decode(errors="replace").strip() or "unknown"
        raise Problem(
            f"Countersign already runs on the data folder {data_dir} (process {holder}). "
            f"Stop it first (kill {holder}), or name another folder and port: DATA_DIR=/path PORT=8001."
        )
    os.ftruncate(handle, 0)
    os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)


class ServersLock:
    """Inherited by the embedded servers, so that the next start can see when the last of them is gone."""

    def __init__(self, data_dir: Path) -> None:
        self.handle = os.open(data_dir / "servers.lock", os.O_RDWR | os.O_CREAT, 0o600)

    def free(self) -> bool:
        """Tries to take the lock and keeps it; False if others hold it."""
        return _try(self.handle)


def _try(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
