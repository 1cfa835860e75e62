"""`manage.py up`, step by step: lock, port, servers, database, processes, the line that says it is ready."""

import os
import shutil
import socket
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from config import demo_login, embedded, listening, local, processes
from config.children import last_words
from config.forking import ForkServer
from config.locks import lock_for_this_process
from config.problem import Problem
from config.supervisor import TICK_S, Stopped, Supervisor
from config.terminal import Terminal

#: After this long without an answer of /readyz a sentence says that it takes long.
SLOW_S = 60
#: Until it is ready, or for so long, workers leave the processor to the web processes.
LATE_S = 10
NOT_FORKED_WITH = ("METRICS_TOKEN", "OTEL_EXPORTER_OTLP_ENDPOINT")


@dataclass(frozen=True)
class Site:
    """What to start. An empty URL means: start our own server."""

    data_dir: Path
    host: str
    port: int
    web: int
    workers: int
    database_url: str
    redis_url: str
    demo_password: str
    host_header: str
    drain_s: float
    #: Whether logs may say what people and models wrote (AI_LOG_TEXT).
    logs_text: bool = False
    #: Stop when the process that started us ends.
    with_parent: bool = False


def run(site: Site) -> None:
    """Returns after an orderly stop. Raises Problem with a sentence; in both cases nothing is left running."""
    names = ["postgres", "valkey", "prepare", *(f"web-{i + 1}" for i in range(site.web))]
    terminal = Terminal([*names, *(f"worker-{i + 1}" for i in range(site.workers))])
    parent = os.getppid()
    try:
        try:
            local.make_data_dir(site.data_dir)
            lock_for_this_process(site.data_dir)
        except OSError as error:
            raise Problem(local.no_access(site.data_dir, error)) from error
        with listening.listen(site.host, site.port) as shared, Supervisor(terminal) as supervisor:
            supervisor.heed_signals()
            ready = _start(site, shared, supervisor)
            while True:
                supervisor.pause(0.2 if ready.announced else TICK_S)
                ready.announce(supervisor)
                if site.with_parent and os.getppid() != parent:
                    supervisor.stop_on_request()
    except Stopped:
        terminal.say("Stopped.")
    finally:
        terminal.close()


def _start(site: Site, shared: socket.socket, supervisor: Supervisor) -> "Ready":
    env = processes.environment(site.data_dir, site.demo_password) | _room_for_metrics(site.data_dir)
    where = local.server_paths(site.data_dir)
    if site.redis_url:
        _check_redis(site.redis_url)
    servers = embedded.Embedded(
        where, postgres=not site.database_url, valkey=not site.redis_url, logs_text=site.logs_text
    )
    embedded.begin(servers, supervisor)
    # They load meanwhile, and serve when this pipe is closed.
    waited_on, closed_when_prepared = os.pipe()
    web_env = processes.without_owner(env)
    forks = _fork_server(web_env, (shared.fileno(), waited_on), supervisor)
    ready = Ready(site, shared, supervisor.terminal, forks)
    supervisor.keep(*processes.workers(site.workers, site.data_dir, env, forks), once=ready.or_late)
    supervisor.keep(*processes.web(site.web, shared.fileno(), waited_on, site.drain_s, web_env, forks))
    embedded.wait(servers, supervisor)
    _prepare(env, supervisor)
    os.close(closed_when_prepared)
    supervisor.has_begun = True
    ready.start()
    return ready


def _fork_server(env: Mapping[str, str], files: Sequence[int], supervisor: Supervisor) -> ForkServer | None:
    """Where web processes and workers are forked, so that they share what they load; not on macOS, which does not
    bear it, and not where what counts or traces has files or a thread."""
    if sys.platform != "linux" or any(env.get(name) for name in NOT_FORKED_WITH):
        return None
    forks = ForkServer(env)
    with forks.asked:
        supervisor.begin(processes.fork_server(forks, files), forks.has_ended)
    return forks


def _prepare(env: Mapping[str, str], supervisor: Supervisor) -> None:
    """Returns when the database is prepared. Raises Problem with what to do, or with what was said."""
    program = processes.prepare(env)
    code, tail = supervisor.run(program)
    if code != 0:
        raise Problem(
            program.explain(tail)
            or f"The database could not be prepared: {last_words(tail)}\nThe lines of prepare above say more."
        )


def _room_for_metrics(data_dir: Path) -> dict[str, str]:
    """A folder in which all processes count, where metrics are asked for; what was counted before is gone."""
    if not os.environ.get("METRICS_TOKEN"):
        return {}
    if given := os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        local.require_metrics_folder(Path(given))
        return {}
    folder = data_dir / "metrics"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        folder.mkdir()
    except OSError as error:
        raise Problem(local.no_access(data_dir, error)) from error
    return {"PROMETHEUS_MULTIPROC_DIR": str(folder)}


def _check_redis(url: str) -> None:
    import redis

    client = redis.Redis.from_url(url, socket_timeout=10, socket_connect_timeout=10)
    try:
        client.ping()
    except (redis.RedisError, ValueError) as error:
        raise Problem(
            f"Cannot reach the Valkey or Redis of REDIS_URL: {error}. Is it running, and the URL right?"
        ) from error
    finally:
        client.close()


class Ready(threading.Thread):
    """Asks until the site is ready; ends with the process."""

    def __init__(self, site: Site, shared: socket.socket, terminal: Terminal, forks: ForkServer | None = None) -> None:
        super().__init__(name="ready", daemon=True)
        self._site, self._shared, self._terminal, self._forks = site, shared, terminal, forks
        self._late_at = float("inf")
        self._yes = threading.Event()
        self.announced = False

    def run(self) -> None:
        self._late_at = time.monotonic() + LATE_S
        slow_at = time.monotonic() + SLOW_S
        while not listening.is_ready(self._shared, self._site.host_header):
            time.sleep(0.05)
            if time.monotonic() > slow_at:
                slow_at = float("inf")
                self._terminal.say(f"Not ready after {SLOW_S} seconds: {listening.url(self._shared)}/readyz says why.")
        self._yes.set()

    def or_late(self) -> bool:
        """Whether it is ready, or nobody should wait for that any longer."""
        return self._yes.is_set() or time.monotonic() > self._late_at

    def announce(self, supervisor: Supervisor) -> None:
        """Says so once, when it is and what waited for that has been started."""
        if self._yes.is_set() and not self.announced:
            supervisor.pause()
            if self._forks:
                self._forks.close()
            self._terminal.say(f"Ready: {listening.url(self._shared)}  login: {self._login()}")
            self.announced = True

    def _login(self) -> str:
        if demo_login.is_right(self._site.data_dir):
            return f"{demo_login.USER} / {self._site.demo_password}"
        return f"{demo_login.USER}, with the password it has (DEMO_PASSWORD counts for an empty database only)"
