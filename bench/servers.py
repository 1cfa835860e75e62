"""PostgreSQL and Valkey of a benchmark's own, durable as in operation, in a folder of their own."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from config import embedded, local, roles
from config.supervisor import Supervisor
from config.terminal import Terminal

REFERENCE = "reference"
_KNOWN = "SELECT 1 FROM pg_database WHERE datname = %s"


@dataclass(frozen=True)
class Servers:
    """Where the product's database and Valkey are, and how the reference reaches its own on the same PostgreSQL."""

    database_url: str
    redis_url: str
    reference: str

    def another_database(self, name: str) -> str:
        """The address of a new, empty database on the same PostgreSQL."""
        with psycopg.connect(self.database_url, autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        parts = urlsplit(self.database_url)
        return urlunsplit(parts._replace(path=f"/{name}"))


@contextmanager
def servers(kept_in: Path | None = None) -> Iterator[Servers]:
    """In a folder that is kept, where one is named. Raises Problem when they do not start."""
    if kept_in:
        kept_in.mkdir(parents=True, exist_ok=True)
    data_dir = kept_in.resolve() if kept_in else Path(tempfile.mkdtemp(prefix="countersign-bench-", dir="/tmp"))
    data_dir.chmod(0o711)
    with (data_dir / "servers.log").open("w") as log:
        terminal = Terminal([], log)
        try:
            with Supervisor(terminal) as supervisor:
                embedded.start(embedded.Embedded(local.server_paths(data_dir)), supervisor)
                addresses = local.server_paths(data_dir)
                roles.make_all(addresses)
                with psycopg.connect(addresses.superuser_url, autocommit=True) as connection:
                    if not connection.execute(_KNOWN, [REFERENCE]).fetchone():
                        connection.execute(f"CREATE DATABASE {REFERENCE}")
                reference = make_conninfo(addresses.superuser_url, dbname=REFERENCE)
                yield Servers(addresses.superuser_url, addresses.redis_url, reference)
        finally:
            terminal.close()
            if not kept_in:
                shutil.rmtree(data_dir, ignore_errors=True)


def without_settings_of_people() -> dict[str, str]:
    """This process's environment without what would make the product another one."""
    kept = {"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV", "PYTHONPATH"}
    return {name: value for name, value in os.environ.items() if name in kept}
