"""The PostgreSQL and Valkey of a test session, and the environment that leads to them.

The first pytest process starts one of each with the product's own code and hands their addresses to its xdist
workers by the environment; each worker has databases and a Valkey prefix of its own. With DATABASE_URL and REDIS_URL
set, those servers are used instead.
"""

import fcntl
import os
import re
import shutil
import tempfile
import time
from pathlib import Path

import psycopg

from config import embedded, local, roles
from config.supervisor import Supervisor
from config.terminal import Terminal

PREFIX = "countersign-tests-"
VALKEY_DATABASES = 64
#: Nothing in a test may depend on what the machine of the person who runs it is set up for.
FOREIGN = re.compile(
    r"(?i)(.*_API_KEY|.*_BASE_URL|(https?|all|no)_proxy|CUSTOM_MODEL"
    r"|(LLM|EMBEDDING|AI|LIMIT|MAX|TOOL|SEARCH|FETCH)_.*|DEBUG|HTTPS|DEMO_PASSWORD|ALLOWED_HOSTS|CSRF_TRUSTED_ORIGINS"
    r"|DISCONNECT_GRACE_S|DRAIN_S|HEARTBEAT_S|PROCESS_SILENT_S)"
)
#: A person's own list of those whom clients trust is long, and read again for every client. Nobody here speaks TLS.
TRUSTED = Path(__file__).with_name("fixtures") / "authority.pem"
FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "shared_buffers": "128MB"}


class Servers:
    """What the session started; `stop` leaves nothing of it."""

    def __init__(self) -> None:
        remove_remains()
        self._data_dir = Path(tempfile.mkdtemp(prefix=PREFIX, dir="/tmp"))
        self._data_dir.chmod(0o711)
        self._log = (self._data_dir / "servers.log").open("w")
        fcntl.flock(self._log, fcntl.LOCK_EX)
        self._terminal = Terminal([], self._log)
        self._supervisor = Supervisor(self._terminal)

    def start(self) -> None:
        """Raises Problem. Afterwards the environment names the servers."""
        where = local.server_paths(self._data_dir)
        wanted = embedded.Embedded(
            where,
            postgres=not os.environ.get("DATABASE_URL"),
            valkey=not os.environ.get("REDIS_URL"),
            postgres_settings=FAST,
            valkey_databases=VALKEY_DATABASES,
        )
        embedded.start(wanted, self._supervisor)
        if wanted.postgres:
            roles.make_all(where)
        addresses = local.server_paths(self._data_dir)
        os.environ["DATA_DIR"] = str(self._data_dir)
        if wanted.postgres:
            # Tests make and fill what they please; the product's processes run in the role that they have on a site.
            os.environ["DATABASE_URL"] = addresses.superuser_url
            os.environ["TEST_OWN_POSTGRES"] = "1"
            with psycopg.connect(addresses.superuser_url, dbname="template1", autocommit=True) as connection:
                connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        if wanted.valkey:
            os.environ["REDIS_URL"] = addresses.redis_url
            os.environ["TEST_VALKEY_DATABASES"] = str(VALKEY_DATABASES)

    def stop(self) -> None:
        self._supervisor.__exit__()
        self._terminal.close()
        self._log.close()
        shutil.rmtree(self._data_dir, ignore_errors=True)


def remove_remains() -> None:
    """The folders of sessions that were killed: nobody holds their log any more."""
    for log in Path("/tmp").glob(f"{PREFIX}*/servers.log"):
        try:
            with log.open() as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if time.time() - log.stat().st_mtime > 3600:
                    shutil.rmtree(log.parent, ignore_errors=True)
        except OSError:
            continue


def is_worker() -> bool:
    return "PYTEST_XDIST_WORKER" in os.environ


def clean_environment() -> None:
    for name in list(os.environ):
        if FOREIGN.fullmatch(name):
            del os.environ[name]
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    os.environ["SSL_CERT_FILE"] = str(TRUSTED)
    os.environ["SECRET_KEY"] = "only-for-tests-" + "0123456789abcdef" * 4


def separate_worker() -> None:
    """Gives this xdist worker a Valkey prefix and, on our own Valkey, a database of its own."""
    worker = os.environ["PYTEST_XDIST_WORKER"]
    os.environ["REDIS_PREFIX"] = f"test-{worker}"
    if count := os.environ.get("TEST_VALKEY_DATABASES"):
        number = 1 + int(worker.removeprefix("gw")) % (int(count) - 1)
        os.environ["REDIS_URL"] = re.sub(r"db=\d+", f"db={number}", os.environ["REDIS_URL"])
