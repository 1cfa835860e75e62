"""A PostgreSQL and a Valkey that nobody else uses, started as the product does, to be ended and begun at will."""

import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from config import local, postgres, valkey
from config.account import postgres_account
from config.children import Child, Program
from config.locks import ServersLock
from config.terminal import Terminal
from tests import prepared_site
from tests.chat.engine.driving import until

START_S = 60
#: Quick, and still nothing acknowledged is lost when PostgreSQL is ended at once (only when the machine is).
_SETTINGS = {"fsync": "off", "full_page_writes": "off", "max_connections": "80"}


class OwnServer:
    """One of them. Use it in the main thread."""

    def __init__(self, program: Program, ready: Callable[[], bool], terminal: Terminal) -> None:
        self._program = program
        self._ready = ready
        self._terminal = terminal
        self._child: Child | None = None

    def start(self) -> None:
        """Returns when it accepts connections."""
        self._child = Child(self._program, self._terminal)
        until(self._ready, START_S)

    def end(self, number: signal.Signals) -> None:
        """Sends the signal and waits for the end."""
        if self._child is not None:
            self._child.send(number)
            until(lambda: self._child is None or self._child.poll() is not None, START_S)
            self._child = None


@dataclass(frozen=True)
class OwnServers:
    postgres: OwnServer
    valkey: OwnServer
    where: local.ServerPaths


@contextmanager
def own_servers() -> Iterator[OwnServers]:
    """Both, ready, with the demo site in the database."""
    data_dir = Path(tempfile.mkdtemp(prefix="countersign-outage-", dir="/tmp"))
    data_dir.chmod(0o711)
    with ExitStack() as cleaning:
        cleaning.callback(shutil.rmtree, data_dir, ignore_errors=True)
        terminal = Terminal(["postgres", "valkey"], cleaning.enter_context((data_dir / "servers.log").open("w")))
        cleaning.callback(terminal.close)
        prepared_site.copy_to(data_dir)
        servers = _servers(local.server_paths(data_dir), terminal)
        cleaning.callback(servers.postgres.end, signal.SIGQUIT)
        cleaning.callback(servers.valkey.end, signal.SIGKILL)
        servers.postgres.start()
        servers.valkey.start()
        yield servers


def _servers(where: local.ServerPaths, terminal: Terminal) -> OwnServers:
    lock = ServersLock(where.data_dir).handle
    account = postgres_account(where.postgres_data)
    programs = postgres.programs_dir(account)
    postgres.make_folders(where, account)
    valkey.make_folders(where)
    # Who tests comes as the superuser, and over a network of its own as who runs.
    (where.postgres_data / "pg_hba.conf").write_text("local all all trust\n")
    return OwnServers(
        OwnServer(
            postgres.server(programs, where, account, lock, _SETTINGS),
            lambda: postgres.accepts_connections(where),
            terminal,
        ),
        OwnServer(valkey.server(where, lock), lambda: valkey.accepts_connections(where), terminal),
        where,
    )
