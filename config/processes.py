"""The processes of the site itself: web and workers."""

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from config import full_disk, local
from config.children import Program
from config.forking import ForkServer

BASE_DIR = Path(__file__).resolve().parent.parent
WEB_MODULE = "chat.web.server"
#: What is loaded before web processes and workers are forked.
LOADED = "config.loaded"
THREADS = 4
QUEUES = "default,embeddings,generations"
#: Who loads Celery's tasks would look at the whole site, which takes 12 MB and says nothing.
_WITHOUT_CHECKS = {"CELERY_SKIP_CHECKS": "1"}


def environment(data_dir: Path, demo_password: str) -> dict[str, str]:
    """The environment of our Python processes: modules and data are found wherever we were started."""
    return {
        **os.environ,
        "DATA_DIR": str(data_dir),
        "DEMO_PASSWORD": demo_password,
        "DJANGO_SETTINGS_MODULE": os.environ.get("DJANGO_SETTINGS_MODULE", "config.settings"),
        "PYTHONPATH": python_path(),
        "PYTHONUNBUFFERED": "1",
    }


def without_owner(env: Mapping[str, str]) -> dict[str, str]:
    """An environment that does not tell how the owner of the tables connects: who answers requests needs no tables."""
    return {name: value for name, value in env.items() if name != "DATABASE_OWNER_URL"}


def python_path() -> str:
    return os.pathsep.join([str(BASE_DIR), *filter(None, [os.environ.get("PYTHONPATH")])])


def prepare(env: Mapping[str, str]) -> Program:
    return _python("prepare", ["config.prepared"], env)


def fork_server(forks: ForkServer, files: Sequence[int]) -> Program:
    """What forks web processes and workers, some of which keep these of its open files."""
    asked = forks.asked.fileno()
    module = ["config.fork_server", str(asked), LOADED, *map(str, files)]
    return _python("fork-server", module, {**forks.env, **_WITHOUT_CHECKS}, pass_fds=(asked, *files))


def web(
    count: int, listening: int, after: int, drain_s: float, env: Mapping[str, str], forks: ForkServer | None = None
) -> list[Program]:
    """Web processes that share the socket `listening`. They serve when the pipe `after` is closed at its other end."""
    module = [WEB_MODULE, "--fd", str(listening), "--after", str(after), "daphne"]
    fds = (listening, after)
    return [
        _python(f"web-{i}", module, env, stop_s=drain_s + 5, pass_fds=fds, forked_by=forks) for i in range(1, count + 1)
    ]


def workers(count: int, data_dir: Path, env: Mapping[str, str], forks: ForkServer | None = None) -> list[Program]:
    """The first one is beat too.

    Those that know how the owner of the tables connects are not forked by a process that does not.
    """
    celery = ["celery", "--quiet", "-A", "config", "worker", "-P", "threads", "-c", str(THREADS), "-Q", QUEUES]
    return [
        _python(
            f"worker-{i}",
            [*celery, "-n", f"worker-{i}@%h"],
            {
                **env,
                "BEAT_SCHEDULE": str(data_dir / "beat-schedule") if i == 1 else "",
                **_WITHOUT_CHECKS,
            },
            forked_by=None if env.get("DATABASE_OWNER_URL") else forks,
        )
        for i in range(1, count + 1)
    ]


def _python(
    name: str,
    module: Sequence[str],
    env: Mapping[str, str],
    stop_s: float = 10,
    pass_fds: tuple[int, ...] = (),
    forked_by: ForkServer | None = None,
) -> Program:
    return Program(
        name,
        [sys.executable, "-W", "ignore:You're running the worker", "-m", *module],
        env=env,
        pass_fds=pass_fds,
        stop=((signal.SIGTERM, stop_s),),
        explain=partial(_explain, env=env),
        passes=lambda tail: bool(full_disk.reason(tail)),
        forked_by=forked_by,
        module=module,
    )


def _explain(tail: str, env: Mapping[str, str]) -> str | None:
    """What to do where it ended because a disk is full: as the system told it, or as the database did."""
    data_dir, said = Path(env["DATA_DIR"]), full_disk.reason(tail)
    if not said or "[Errno " in said:
        return full_disk.explain(tail, data_dir)
    if env.get("DATABASE_URL"):
        return f"The disk of the database in DATABASE_URL is full ({said}). Free some space there."
    return full_disk.explain(tail, local.server_paths(data_dir).postgres_home)
