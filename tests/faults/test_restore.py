"""A backup as docs/operations.md has it: dumped while the site runs, restored, and the first question is answered."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from chat.models import Message
from config import local, postgres
from graphs.objects.refs import Ref
from tests.cast import PASSWORD
from tests.chat.engine.driving import until
from tests.faults.caller import Caller
from tests.site import Api
from tests.vendors import VendorServer
from tests.whole_site import WholeSite, whole_site

pytestmark = [pytest.mark.processes, pytest.mark.faults, pytest.mark.timeout(600)]

PATIENCE_S = 150
QUESTION = 'SCRIPT={"text": "It fetches the games of the day."}'


@pytest.fixture
def vendor(django_db_blocker: DjangoDbBlocker) -> Iterator[VendorServer]:
    with django_db_blocker.unblock(), VendorServer() as found:
        yield found


def program(name: str, folder: Path, *arguments: str) -> None:
    """One of the server's own programs, at the address that docs/operations.md names."""
    path = postgres.programs_dir(None) / name
    where = ["-h", str(local.server_paths(folder).postgres_socket_dir), "-U", "countersign_owner"]
    env = os.environ | {"PGPASSWORD": (folder / "postgres_owner_password").read_text()}
    done = subprocess.run([str(path), *where, *arguments], capture_output=True, text=True, timeout=120, env=env)
    assert done.returncode == 0, done.stderr


def answered(here: WholeSite) -> None:
    caller = Caller(here, "alice", Api(here.url, "alice", PASSWORD).token, Ref("graph", "nba"), QUESTION, PATIENCE_S)
    caller.start()
    caller.served()
    assert caller.events[-1]["type"] == "ai:complete", caller.events[-1]
    assert caller.connections == 1, "it had to come again"


def restored(here: WholeSite, dump: Path) -> None:
    program("pg_restore", here.data_dir, "--clean", "--if-exists", "--no-owner", "--dbname=countersign", str(dump))


def test_the_first_question_after_a_restore_is_answered_by_a_process_that_stays(
    vendor: VendorServer, tmp_path: Path
) -> None:
    dump = tmp_path / "countersign.dump"
    with whole_site(vendor) as here:
        answered(here)
        arguments = ["--exclude-extension=vector", "--format=custom", f"--file={dump}", "countersign"]
        program("pg_dump", here.data_dir, *arguments)
    with whole_site(vendor, from_nothing=True, workers=0) as here:
        restored(here, dump)
        until(lambda: here.up.output.count("it is started again") >= 2, PATIENCE_S)  # they do not know these data
        here.up.end()
        here.workers = 1
        here.start_again()
        here.wait_until_ready()
        assert Message.objects.filter(role=Message.Role.USER).count() == 1
        answered(here)
        assert Message.objects.filter(role=Message.Role.USER).count() == 2
        here.up.end()
        assert "it is started again" not in here.up.output
        assert "Traceback" not in here.up.output
