"""The product on servers of its own that fail when a test says so: two web processes, with a crowd of people on them.

The first process reaches PostgreSQL and Valkey directly, the second over a network that can fail too.
"""

import urllib.error
import urllib.request
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

import psycopg
from django.conf import settings

from config import local
from tests.cast import PASSWORD
from tests.fault_proxy import FaultProxy, fault_proxy
from tests.faults.crowd import Crowd, crowd
from tests.faults.own_servers import OwnServer, own_servers
from tests.site import Api, of_the_vendor
from tests.vendors import VendorServer
from tests.web_process import WebProcess

#: After an outage each process has half of this to show that it lives: twice what it has elsewhere in tests.
SILENT_S = 6
#: People write as fast as they can, and all of them are Alice; the vendor is well, but shares a busy machine with them.
UNLIMITED = {
    "LIMIT_MESSAGES": "100000/min",
    "LIMIT_SOCKETS": "1000",
    "STREAM_IDLE_TIMEOUT_S": "30",
    "PROCESS_SILENT_S": str(SILENT_S),
}


class Outage:
    """What can fail, and the web processes that must stand it."""

    def __init__(
        self,
        postgres: OwnServer,
        valkey: OwnServer,
        database_url: str,
        ways: list[dict[str, str]],
        proxies: tuple[FaultProxy, FaultProxy],
    ) -> None:
        """`database_url` is the superuser's."""
        self.postgres = postgres
        self.valkey = valkey
        self.way_to_postgres, self.way_to_valkey = proxies
        self.database_url = database_url
        self.redis_url = ways[0]["REDIS_URL"]
        self._ways = ways
        self._said_before: dict[WebProcess, int] = {}
        self._ended: list[WebProcess] = []
        self.processes = [WebProcess(way) for way in ways]
        for process in self.processes:
            process.wait_until_ready()

    def replace(self, place: int) -> None:
        """A new web process on the port of one that ended."""
        old = self.processes[place]
        self.processes[place] = WebProcess(self._ways[place], port=old.port)
        self.processes[place].wait_until_ready()
        old.close()
        self._ended.append(old)

    def execute(self, *statements: str) -> None:
        """Beside the pool of Django, as a superuser, each by itself."""
        with psycopg.connect(self.database_url, autocommit=True) as own:
            for statement in statements:
                own.execute(statement)

    def empty(self) -> None:
        """Forgets what earlier tests talked about and logged, and mends the network."""
        self._said_before = {process: len(process.log()) for process in self._known()}
        self.way_to_postgres.mend()
        self.way_to_valkey.mend()
        self.execute(
            "SET session_replication_role = replica; TRUNCATE chat_session, chat_stream, chat_streamevent CASCADE"
        )

    @property
    def urls(self) -> list[str]:
        return [process.url for process in self.processes]

    def alice(self) -> Api:
        """She signed in at the first process."""
        return Api(self.urls[0], "alice", PASSWORD)

    def statuses(self, path: str) -> list[int]:
        """What each process answers there."""
        return [_status(f"{url}{path}") for url in self.urls]

    def crowd(self, ends: Collection[str] = frozenset({"finished"})) -> AbstractContextManager[Crowd]:
        """People on both processes, whose answers come to one of these ends."""
        return crowd(self, self.urls, ends)

    def logs(self) -> str:
        """What was said in this test."""
        return "\n".join(process.log()[self._said_before.get(process, 0) :] for process in self._known())

    def _known(self) -> list[WebProcess]:
        return [*self._ended, *self.processes]

    @property
    def secrets(self) -> set[str]:
        return {value for name, value in self._ways[0].items() if name.endswith("_KEY")} | {settings.SECRET_KEY}

    def close(self) -> None:
        for process in self.processes:
            process.close()


@contextmanager
def outage() -> Iterator[Outage]:
    """Everything, ready, with the demo site in the database."""
    with ExitStack() as stack:
        servers = stack.enter_context(own_servers())
        vendor = stack.enter_context(VendorServer())
        proxies = [
            stack.enter_context(fault_proxy(str(path)))
            for path in (servers.where.postgres_socket, servers.where.valkey_socket)
        ]
        here = local.server_paths(servers.where.data_dir)
        common = {**of_the_vendor(vendor), **UNLIMITED, "DATA_DIR": str(servers.where.data_dir)}
        ways = [
            {**common, "DATABASE_URL": here.database_url, "REDIS_URL": here.redis_url},
            {
                **common,
                "DATABASE_URL": f"postgresql://{local.DATABASE}@127.0.0.1:{proxies[0].port}/{local.DATABASE}",
                "REDIS_URL": f"redis://127.0.0.1:{proxies[1].port}/0",
            },
        ]
        started = Outage(servers.postgres, servers.valkey, here.superuser_url, ways, (proxies[0], proxies[1]))
        stack.callback(started.close)
        yield started


def _status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return int(refused.code)
