"""A data folder as the first versions left it: everybody may enter, and all is the superuser's, who ran the site."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from config import local, postgres
from config.account import Account, postgres_account
from tests.config.running import ROOT

#: The last migrations that knew one role only.
LAST = ("graphs 0003", "rag 0001", "chat 0003")
#: One process for all of them.
MIGRATE = """
import sys, django
from django.core.management import call_command
django.setup()
for last in sys.argv[1:]:
    call_command("migrate", *last.split(), verbosity=0)
"""


def make(data_dir: Path) -> None:
    """With the tables of then, and somebody who signed up."""
    where = local.server_paths(data_dir)
    account = postgres_account(where.postgres_data)
    postgres.make_folders(where, account)
    programs, folder = postgres.programs_dir(account), postgres.unfinished_data(where, account)
    arguments = [
        each.replace(f"--username={local.SUPERUSER}", f"--username={local.DATABASE}")
        for each in postgres.initdb(programs, folder, account).argv
    ]
    subprocess.run(arguments, env=postgres.ENVIRONMENT, check=True, stdout=subprocess.DEVNULL, **_as(account))
    folder.rename(where.postgres_data)
    url = f"postgresql://{local.DATABASE}@/{local.DATABASE}?host={where.postgres_socket_dir}"
    with _server(where, account):
        with psycopg.connect(url.replace(f"/{local.DATABASE}?", "/postgres?"), autocommit=True) as server:
            server.execute(f"CREATE DATABASE {local.DATABASE}")
        with psycopg.connect(url, autocommit=True) as database:
            database.execute("CREATE EXTENSION vector")
            own = {"DATABASE_URL": url, "DATA_DIR": str(data_dir), "DJANGO_SETTINGS_MODULE": "config.settings"}
            subprocess.run([sys.executable, "-c", MIGRATE, *LAST], cwd=ROOT, env=os.environ | own, check=True)
            database.execute("INSERT INTO graphs_workspace (slug, name, created_at) VALUES ('kept', 'Kept', now())")


@contextmanager
def _server(where: local.ServerPaths, account: Account | None) -> Iterator[None]:
    program = postgres.server(postgres.programs_dir(account), where, account, lock=0)
    running = subprocess.Popen(program.argv, env=program.env, stderr=subprocess.DEVNULL, cwd="/", **_as(account))
    try:
        while not postgres.accepts_connections(where):
            assert running.poll() is None
            time.sleep(0.05)
        yield
    finally:
        running.send_signal(signal.SIGINT)
        running.wait(60)


def _as(account: Account | None) -> dict[str, Any]:
    return {"user": account.uid, "group": account.gid, "extra_groups": []} if account else {}
