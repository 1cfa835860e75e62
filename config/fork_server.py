"""Loads what web processes and workers need, and forks them, so that they share it. It ends when nobody can ask.

python -m config.fork_server SOCKET MODULE FD...     (what to load, and the open files that some of them keep)

Who asks is in `config/forking.py`. Nothing that is loaded may have begun a thread or a connection.
"""

import ctypes
import gc
import json
import os
import runpy
import signal
import socket
import stat
import sys
import threading
import time
from collections.abc import Collection, Sequence
from importlib import import_module
from typing import Any

from config.exec_wrapper import PR_SET_PDEATHSIG

PR_SET_NAME = 15
LONGEST = 2**16


def main(arguments: Sequence[str]) -> None:
    number, module, *files = arguments
    supervisor = os.getppid()
    gc.disable()  # Nothing of what is loaded is garbage.
    import_module(module)
    if has := _not_to_be_forked({int(number), *map(int, files)}):
        sys.exit(f"Nothing is forked, since what is loaded has {has}")
    _leave_in_place()
    with socket.socket(fileno=int(number)) as asked:
        wanted = _serve(asked, supervisor)
    if wanted is None:
        return
    message, output, tells = wanted
    for unneeded in set(map(int, files)) - set(message["keeps"]):
        os.close(unneeded)
    _become(message, output, tells)
    sys.argv = message["module"]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


def _not_to_be_forked(given: Collection[int]) -> str:
    """What forks would lose or share: threads, and sockets beside those that the server was given. "" for nothing."""
    if threads := threading.enumerate()[1:]:
        return f"begun threads: {', '.join(map(str, threads))}"
    sockets = [file for file in map(int, os.listdir("/proc/self/fd")) if file not in given and _is_socket(file)]
    return f"opened {len(sockets)} sockets" if sockets else ""


def _is_socket(file: int) -> bool:
    try:
        return stat.S_ISSOCK(os.fstat(file).st_mode)
    except OSError:  # The list of open files, which has itself in it, has been closed.
        return False


def _leave_in_place() -> None:
    """What is shared stays shared while nobody writes there: neither garbage collection nor who needs some memory."""
    gc.collect()
    gc.freeze()
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)


def _serve(asked: socket.socket, supervisor: int) -> tuple[dict[str, Any], int, socket.socket] | None:
    """Forks until nobody can ask. Returns in each process that was forked: what was asked for, where its output goes,
    and where it says that it is there."""
    while True:
        message, handles, *_ = socket.recv_fds(asked, LONGEST, 2)
        if not message:
            return None
        output, tells = handles[0], socket.socket(fileno=handles[1])
        if _fork_for(supervisor):
            return json.loads(message), output, tells
        os.close(output)
        tells.close()


def _fork_for(supervisor: int) -> bool:
    """Forks a child of the supervisor, which adopts it from a process between, and dies with it. Whether this is it."""
    if between := os.fork():
        os.waitpid(between, 0)
        return False
    between = os.getpid()
    try:
        if os.fork():
            os._exit(0)
    except OSError:  # Nobody says that it is there, so it is executed.
        os._exit(1)
    while os.getppid() == between:
        time.sleep(0.001)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != supervisor:
        os._exit(1)
    return True


def _become(asked: dict[str, Any], output: int, tells: socket.socket) -> None:
    """Makes this fork a process of its own, with its output, environment and name, and says so."""
    os.setsid()
    for handle in (sys.stdout.fileno(), sys.stderr.fileno()):
        os.dup2(output, handle)
    os.close(output)
    try:
        with tells:
            tells.sendall(str(os.getpid()).encode())
    except BrokenPipeError:  # Nobody wants it any more.
        os._exit(0)
    ctypes.CDLL(None).prctl(PR_SET_NAME, asked["name"].encode(), 0, 0, 0)
    os.environ.update(asked["env"])
    gc.enable()


if __name__ == "__main__":
    main(sys.argv[1:])
