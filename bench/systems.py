"""What is compared, as processes: the vendor, the product and the reference; and the readers' process beside them."""

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import psutil

from bench.client import Plan, Result
from bench.servers import REFERENCE, Servers, without_settings_of_people

ROOT = Path(__file__).resolve().parent.parent
READY_WITHIN_S = 60
#: A process at rest uses less than this share of a core for so long.
_QUIET_S, _QUIET_CPU = 0.5, 0.04
PASSWORD = secrets.token_hex(12)
#: The entry of a web process, now and before "objects first".
_WEB_MODULES = ("chat.web.server", "chat.server")
#: More sockets and messages of one person than anybody has.
_RATES = ("LIMIT_MESSAGES", "LIMIT_LOGIN", "LIMIT_WRITES", "LIMIT_IMPORTS", "LIMIT_ROLLBACKS")
_LIMITS = {**dict.fromkeys(("LIMIT_SOCKETS", "LIMIT_UNKNOWN_SOCKETS"), "10000"), **dict.fromkeys(_RATES, "999999/s")}


@dataclass(frozen=True)
class System:
    """A process that serves: `name` for tables, where it listens, and how much CPU and memory it uses.

    `database` is the name of its own. `signed_in` is a token that another process of it gave.
    """

    name: str
    process: psutil.Popen
    port: int
    database: str = ""
    signed_in: str = ""

    @property
    def url(self) -> str:
        path = "ws/socket.io/?EIO=4&transport=websocket" if self.name == "chainlit" else "ws/chat/"
        return f"ws://127.0.0.1:{self.port}/{path}"

    @property
    def product(self) -> bool:
        """Whether it knows people and conversations: the product, in this state or the one of before."""
        return self.name in {"product", "before"}

    def cpu_s(self) -> float:
        """CPU seconds of all its threads so far."""
        used = self.process.cpu_times()
        return float(used.user + used.system)

    def rss_kib(self) -> float:
        return float(self.process.memory_info().rss / 1024)

    def token(self) -> str:
        """What signs the demo person in; empty for the reference, which knows nobody."""
        if self.signed_in or not self.product:
            return self.signed_in
        body = json.dumps({"username": "demo", "password": PASSWORD}).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/v1/auth/token", body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return str(json.load(answer)["access"])


def environment(servers: Servers, vendor: str) -> dict[str, str]:
    """The product's variables: durable servers, the mock vendor as its only model, and events that nobody reads."""
    return {
        **without_settings_of_people(),
        **_LIMITS,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": servers.database_url,
        "REDIS_URL": servers.redis_url,
        "REDIS_PREFIX": "bench",
        "SECRET_KEY": secrets.token_hex(32),
        "DEMO_PASSWORD": PASSWORD,
        "LLM_PROVIDER": "custom",
        "CUSTOM_API_KEY": "none",
        "CUSTOM_MODEL": "mock",
        "CUSTOM_BASE_URL": vendor,
        "AI_LOG_SINK": "bench.unread_log.unread",
    }


def with_long_memory(variables: Mapping[str, str], vendor: str) -> dict[str, str]:
    """The mock vendor as a model whose window holds hundreds of questions."""
    named = {"LLM_PROVIDER": "deepseek", "DEEPSEEK_API_KEY": "none", "DEEPSEEK_BASE_URL": vendor}
    return {**variables, **named}


def prepare(variables: Mapping[str, str], root: Path = ROOT) -> None:
    """Tables and demo people of the product."""
    for command in ("migrate", "seed_demo"):
        manage(variables, command, root=root)


def manage(variables: Mapping[str, str], *arguments: str, root: Path = ROOT) -> None:
    """A command of the product in this folder."""
    subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=root, env=variables, check=True, stdout=subprocess.DEVNULL
    )


@contextmanager
def vendor() -> Iterator[str]:
    """The mock vendor; its base URL."""
    port = free_port()
    with started("bench.vendor", ["--port", str(port)], without_settings_of_people()):
        wait_for(port)
        yield f"http://127.0.0.1:{port}"


@contextmanager
def product(variables: Mapping[str, str], root: Path = ROOT) -> Iterator[System]:
    """The product in this folder, "before" where it is another one than that of the benchmark."""
    with products(variables, 1, root) as (system,):
        yield system


@contextmanager
def products(variables: Mapping[str, str], count: int, root: Path = ROOT) -> Iterator[list[System]]:
    """So many web processes that listen at one port, as the supervisor starts them."""
    module = next(name for name in _WEB_MODULES if (root / f"{name.replace('.', '/')}.py").exists())
    name = "product" if root == ROOT else "before"
    with _listening() as listening, ExitStack() as stack:
        arguments = ["--fd", str(listening.fileno()), "daphne"]
        processes = [stack.enter_context(started(module, arguments, variables, listening, root)) for _ in range(count)]
        port = listening.getsockname()[1]
        wait_for(port, "/readyz")
        yield [System(name, process, port, _database(variables)) for process in processes]


def wait_until_quiet(running: Sequence[System]) -> None:
    """Until none of them has anything to do: a process that is ready may still load what questions need."""
    deadline = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < deadline:
        before = sum(system.cpu_s() for system in running)
        time.sleep(_QUIET_S)
        if sum(system.cpu_s() for system in running) - before <= _QUIET_CPU * _QUIET_S * len(running):
            return
    raise RuntimeError("the product does not come to rest")


@contextmanager
def reference(variables: Mapping[str, str], *arguments: str) -> Iterator[System]:
    """The bare relay; with `--echo` the bare echo."""
    with _listening() as listening:
        arguments = ("--fd", str(listening.fileno()), *arguments)
        with started("bench.relay", list(arguments), variables, listening) as process:
            port = listening.getsockname()[1]
            wait_for(port)
            yield System("reference", process, port, REFERENCE)


@contextmanager
def counted(variables: Mapping[str, str], log: Path) -> Iterator[System]:
    """The product in a process that counts what it does, and writes its log there."""
    with _listening() as listening, log.open("w") as written:
        arguments = ["--fd", str(listening.fileno()), "daphne"]
        with started("bench.counted_server", arguments, variables, listening, log=written) as process:
            port = listening.getsockname()[1]
            wait_for(port, "/readyz")
            yield System("product", process, port, _database(variables))


@contextmanager
def view(variables: Mapping[str, str], vendor: str, database: str) -> Iterator[System]:
    """The minimal Django view."""
    with _listening() as listening:
        arguments = ["--fd", str(listening.fileno()), "--vendor", vendor, "--database", database]
        with started("bench.view", arguments, variables, listening) as process:
            port = listening.getsockname()[1]
            wait_for(port)
            yield System("view", process, port, REFERENCE)


class Readers:
    """The readers' process, under way with its plan."""

    def __init__(self, plan: Plan) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.client", json.dumps(asdict(plan))],
            cwd=ROOT,
            env=without_settings_of_people(),
            stdout=subprocess.PIPE,
            text=True,
        )

    def wait_for(self, line: str) -> None:
        """Raises RuntimeError when the readers failed."""
        if self._line() != line:
            raise RuntimeError("the readers failed; what they wrote above says why")

    def result(self) -> Result:
        found: dict[str, Any] = json.loads(self._line() or "{}")
        if self._process.wait(30) != 0:
            raise RuntimeError("the readers failed; what they wrote above says why")
        return Result(**found)

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().rstrip("\n")


@contextmanager
def started(
    module: str,
    arguments: list[str],
    variables: Mapping[str, str],
    listening: socket.socket | None = None,
    root: Path = ROOT,
    log: IO[str] | None = None,
    python: str = sys.executable,
) -> Iterator[psutil.Popen]:
    """Runs a module until the context ends. What it says stands among what is printed, or in `log`."""
    process = psutil.Popen(
        [python, "-m", module, *arguments],
        cwd=root,
        env=dict(variables),
        pass_fds=[listening.fileno()] if listening else [],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=log,
    )
    try:
        yield process
    finally:
        process.terminate()
        with suppress(psutil.TimeoutExpired):
            process.wait(10)
        if process.is_running():
            process.kill()


def _database(variables: Mapping[str, str]) -> str:
    return urlsplit(variables["DATABASE_URL"]).path.lstrip("/")


@contextmanager
def _listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listening:
        yield listening


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def wait_for(port: int, path: str = "/") -> None:
    """Until something answers there, whatever it says (`/readyz` says 200 when it may be used)."""
    deadline = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < deadline:
        with suppress(OSError):
            if path == "/":
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=2):
                return
        time.sleep(0.05)
    raise RuntimeError(f"nothing answered on port {port} within {READY_WITHIN_S} seconds")


def load() -> str:
    """How busy the machine is: `cores, load of the last minute`."""
    return f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
