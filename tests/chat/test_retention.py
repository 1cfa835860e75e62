"""What docs/operations.md says about what is kept: it survives a backup, and may be deleted for good."""

import shutil
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from psycopg.conninfo import make_conninfo

from chat.engine.runtime import conninfo
from chat.events import compaction
from chat.models import Message, Run, Session, Stream, StreamEvent
from config import postgres
from config.problem import Problem
from graphs.models import Workspace
from tests.chat.events.old_runs import a_run

pytestmark = pytest.mark.django_db(transaction=True)

_LOG = """
SELECT (SELECT md5(string_agg(e::text, ',' ORDER BY stream_id, sequence)) FROM chat_streamevent e),
       (SELECT md5(string_agg(r::text, ',' ORDER BY id)) FROM chat_run r),
       (SELECT md5(string_agg(m::text, ',' ORDER BY id)) FROM chat_message m)
"""


@pytest.fixture
def session(alice: User, demo_workspace: Workspace) -> Session:
    stream = Stream.objects.create(name=f"session_{uuid.uuid4()}", workspace=demo_workspace)
    found = Session.objects.create(workspace=demo_workspace, owner=alice, stream=stream, title="Old")
    a_run(found)
    a_run(found, days_ago=1)
    assert sum(step.rows for step in compaction.steps(30)) > 0
    return found


def test_a_conversation_is_deleted_for_good(session: Session, alice: User) -> None:
    stream = Stream.objects.create(name="session_other", workspace=session.workspace)
    other = Session.objects.create(workspace=session.workspace, owner=alice, stream=stream, title="Kept")
    a_run(other)
    kept = StreamEvent.objects.filter(stream=stream).count()
    call_command("erase_conversation", str(session.pk))
    assert list(Session.objects.all()) == [other]
    assert StreamEvent.objects.count() == kept > 0
    assert (Message.objects.count(), Run.objects.count()) == (2, 1)


def program(name: str) -> str:
    try:
        return str(postgres.programs_dir(None) / name)
    except Problem:
        found = shutil.which(name)
        if found is None:
            pytest.skip(f"{name} is not installed")
        return found


@pytest.fixture
def restored() -> Iterator[str]:
    """An empty database beside the test's."""
    name = f"restored_{uuid.uuid4().hex}"
    with psycopg.connect(conninfo(), autocommit=True) as database:
        database.execute(f"CREATE DATABASE {name}")
    yield make_conninfo(conninfo(), dbname=name)
    with psycopg.connect(conninfo(), autocommit=True) as database:
        database.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_a_backup_holds_the_whole_log(session: Session, restored: str, tmp_path: Path) -> None:
    dump = str(tmp_path / "countersign.dump")
    subprocess.run([program("pg_dump"), "--format=custom", f"--file={dump}", f"--dbname={conninfo()}"], check=True)
    subprocess.run([program("pg_restore"), f"--dbname={restored}", dump], check=True)
    with psycopg.connect(conninfo()) as original, psycopg.connect(restored) as copy:
        found = copy.execute(_LOG).fetchone()
        assert found is not None
        assert None not in found
        assert found == original.execute(_LOG).fetchone()
