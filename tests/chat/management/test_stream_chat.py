"""`manage.py stream_chat`, in this process, with the demo's model."""

import asyncio
import json
import os
import signal
import uuid
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from io import StringIO
from threading import Thread
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from chat.actions import conversations
from chat.engine import doorbell
from chat.engine.runtime import Runtime
from chat.models import Message, Process, Run, RunStatus, Session
from chat.providers.demo.provider import DemoProvider
from chat.providers.provider_error import ProviderError
from graphs.models import Graph, Role, Workspace
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from tests.cast import member
from tests.chat.inprocess import PATIENCE_S, Model

pytestmark = pytest.mark.django_db(transaction=True)
#: Between two words: whoever stops it at the first one comes before the last.
SLOWLY_S = 0.5


class Interrupting(StringIO):
    """Presses Ctrl-C when the answer begins."""

    pressed = False

    def write(self, text: str) -> int:
        if not self.pressed:
            self.pressed = True
            os.kill(os.getpid(), signal.SIGINT)
        return super().write(text)


@contextmanager
def site_running() -> Iterator[uuid.UUID]:
    """The runner of a site beside this command, in a thread; gives the id of its process."""
    ready: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, uuid.UUID]] = Future()

    async def serve() -> None:
        runtime, over = Runtime(lambda: None), asyncio.Event()
        await runtime.start()
        doorbell.local = None  # that of the command's process
        ready.set_result((asyncio.get_running_loop(), over, runtime.process_id))
        await over.wait()
        await runtime.close(drain_s=0)

    thread = Thread(target=asyncio.run, args=[serve()])
    thread.start()
    loop, over, process_id = ready.result(timeout=PATIENCE_S)
    try:
        yield process_id
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()


@pytest.fixture
def admin(demo_workspace: Workspace, nba: Graph) -> User:
    return member("admin", demo_workspace, Role.ADMIN)


def stream_chat(message: str = "what happens after fetch-api?", out: StringIO | None = None, **options: Any) -> Any:
    """What the command writes: the answer, and the notes beside it."""
    out, notes = out or StringIO(), StringIO()
    if "session" not in options:
        options.setdefault("graph", "nba")
    call_command("stream_chat", message=message, stdout=out, stderr=notes, **options)
    return out.getvalue(), notes.getvalue()


def test_it_streams_the_answer_and_tells_what_it_did(alice: User, admin: User) -> None:
    answer, notes = stream_chat()
    stored = Message.objects.get(role="assistant")
    assert answer.strip() == stored.content.strip()
    assert "{{node:return}}" in answer
    for told in (f"session {stored.session_id}, as admin", "→ ", "← ", "tokens", "done: finished"):
        assert told in notes
    assert Run.objects.get().author == admin
    assert not Process.objects.exists()


def test_it_goes_on_with_a_session_as_its_owner(alice: User, admin: User) -> None:
    stream_chat(user="alice")
    session = Session.objects.get(owner=alice)
    stream_chat("what is in this graph?", session=str(session.pk), user="alice")
    assert session.messages.filter(role="user").count() == 2
    with pytest.raises(CommandError, match="admin has no conversation"):
        stream_chat("let me in", session=str(session.pk))
    assert session.messages.filter(role="user").count() == 2


def test_ctrl_c_stops_the_run(admin: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DemoProvider.__init__, "__defaults__", (SLOWLY_S,))
    with pytest.raises(CommandError, match="Stopped") as stopped:
        stream_chat(out=Interrupting())
    assert stopped.value.returncode == 130
    run = Run.objects.get()
    assert (run.status, run.outcome) == (RunStatus.CANCELLED, "stopped")
    assert run.message.content


def test_an_error_ends_it_with_one(admin: User, model: Model) -> None:
    model.say("Half an ans", ProviderError("server_error", "away", retryable=True))
    notes = StringIO()
    with pytest.raises(CommandError, match="not available") as failed:
        call_command("stream_chat", graph="nba", message="Hello?", stdout=StringIO(), stderr=notes)
    assert failed.value.returncode == 1
    assert "error: server_error" in notes.getvalue()
    assert Run.objects.get().status == RunStatus.FAILED


def test_what_a_model_writes_does_not_command_the_terminal(admin: User, model: Model) -> None:
    model.say("red \x1b[31m text\n")
    model.end()
    answer, _notes = stream_chat()
    assert answer == "red \ufffd[31m text\n"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"graph": "absent"}, 'no graph "absent"'),
        ({"workspace": "absent"}, 'no workspace "absent"'),
        ({"user": "charlie"}, '"charlie" is no member'),
        ({"user": "nobody"}, '"nobody" is no member'),
        ({"workspace": "other"}, "has no admin"),
        ({"message": " "}, "Write a message first"),
        ({"session": "nonsense"}, "has no conversation"),
    ],
)
def test_what_cannot_be_asked_is_explained(options: dict[str, str], told: str, admin: User, charlie: User) -> None:
    with pytest.raises(CommandError, match=told):
        stream_chat(**{"workspace": "demo", **options})
    assert not Run.objects.exists()


def test_each_event_is_a_line_of_json_where_programs_read(admin: User, model: Model) -> None:
    model.say("Hello")
    model.end()
    answer, notes = stream_chat(json=True)
    note, *told = [json.loads(line) for line in answer.splitlines()]
    assert note["type"] == "note"
    assert [event["data"]["delta"] for event in told if event["type"] == "content_delta"] == ["Hello"]
    assert (told[-1]["type"], told[-1]["data"]["reason"]) == ("done", "finished")
    assert notes == ""


def test_a_proposal_ends_it_with_three(admin: User) -> None:
    with pytest.raises(CommandError, match="waits for a decision") as waiting:
        stream_chat("rename fetch-api to Load the games")
    assert waiting.value.returncode == 3


def test_it_drives_its_answer_itself_beside_a_site(admin: User, monkeypatch: pytest.MonkeyPatch) -> None:
    with site_running() as site:
        stream_chat()
        monkeypatch.setattr(DemoProvider.__init__, "__defaults__", (SLOWLY_S,))
        with pytest.raises(CommandError, match="Stopped"):
            stream_chat("what is in this graph?", session=str(Session.objects.get().pk), out=Interrupting())
    first, second = Run.objects.order_by("created_at")
    assert (first.outcome, second.outcome) == ("finished", "stopped")
    assert None not in (first.process, second.process)
    assert site not in (first.process, second.process)
    assert first.process != second.process


def test_it_leaves_to_the_site_what_others_asked(alice: User, admin: User, nba: Graph, model: Model) -> None:
    waiting = conversations.post_message(member_of(alice, "demo"), "Hello?", context=Ref("graph", "nba"))
    model.say("Hello")
    model.end()
    assert stream_chat()[0].strip() == "Hello"
    run = Run.objects.get(pk=waiting.run_id)
    assert (run.status, run.process) == (RunStatus.QUEUED, None)


def test_what_would_have_to_wait_is_not_asked(alice: User, admin: User) -> None:
    accepted = conversations.post_message(member_of(alice, "demo"), "Hello?", context=Ref("graph", "nba"))
    with pytest.raises(CommandError, match="An answer is being written"):
        stream_chat("and?", session=str(accepted.session_id), user="alice")
    assert Run.objects.count() == 1
    assert not Process.objects.exists()


def test_a_model_that_is_not_there_is_refused(admin: User) -> None:
    with pytest.raises(CommandError):
        stream_chat(model="nonsense")
    assert not Run.objects.exists()
