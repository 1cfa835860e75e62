"""The doors without a person: commands that name a workspace, a graph, a session or a user, and Celery's tasks."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command, get_commands

from config.celery import app
from graphs.models import Graph
from tests.doors.world import NOWHERE, World, canary

APPS = {"graphs", "rag", "chat", "config"}
#: Commands that name an object of a workspace: a foreign one is answered as an absent one.
NAMING: dict[str, list[list[str]]] = {
    "export_graph": [["{key}"]],
    "dump_context": [["Node", "--graph", "{key}"], ["Node", "--object", "graph:{key}"]],
    "dump_prompt": [["Node", "--graph", "{key}"], ["Node", "--object", "graph:{key}"]],
    "dump_tools": [["--graph", "{key}"], ["--object", "graph:{key}"]],
    "embed_nodes": [["--graph", "{key}"]],
    "stream_chat": [
        ["--message", "Hello", "--user", "person-editor", "--graph", "{key}"],
        ["--message", "Hello", "--user", "person-editor", "--object", "graph:{key}"],
        ["--message", "Hello", "--user", "person-editor", "--session", "{session}"],
        ["--message", "Hello", "--graph", "{own}", "--user", "{user}"],
    ],
}
#: Commands that name nothing of a workspace but the workspace itself, or nothing at all.
OTHERS = {
    *("import_graph", "seed_demo", "up", "compact_events", "migrate", "migrate_embeddings"),
    *("makemessages", "makemigrations"),
}
#: Commands of who owns the tables, for whom no workspace is foreign.
OWNERS = {"erase_conversation"}
#: No task takes an id: there is nothing foreign to name.
TASKS = {
    "chat.tasks.generate",
    "chat.tasks.take_over_generations",
    "chat.tasks.delete_leftovers",
    "chat.tasks.expire_proposals",
    "chat.tasks.settle_crashed_calls",
    "chat.tasks.compact_old_events",
    "chat.tasks.forget_old_requests",
    "rag.tasks.keep_embeddings",
    "rag.tasks.look_at_objects",
}


def test_every_command_has_a_rule() -> None:
    ours = {
        name for name, place in get_commands().items() if place.split(".")[0] in {"graphs", "rag", "chat", "config"}
    }
    assert ours == {*NAMING, *OTHERS, *OWNERS}


def test_every_task_has_a_rule_and_takes_nothing() -> None:
    app.loader.import_default_modules()
    ours = {name: task for name, task in app.tasks.items() if not name.startswith("celery.")}
    assert set(ours) == TASKS
    for task in ours.values():
        assert task.run.__code__.co_argcount == 0, task.name


@pytest.mark.parametrize("command", NAMING)
def test_what_is_foreign_is_answered_as_absent(everybody: World, command: str) -> None:
    keys, sessions = everybody.ids("editor", "key"), everybody.ids("editor", "session_id")
    for arguments in NAMING[command]:
        refusals = {}
        for kind in ("foreign", "deleted", "random"):
            user = {"foreign": "person-stranger", "deleted": "person-removed"}.get(kind, "person-nobody")
            names = {"own": keys["own"], "key": keys[kind], "session": sessions[kind], "user": user}  # type: ignore[index]
            refusals[kind] = _refusal(command, [each.format(**names) for each in arguments], list(names.values()))
        assert len(set(refusals.values())) == 1, refusals
        assert canary("other") not in str(refusals)


def test_a_colleagues_conversation_is_absent_for_the_command_too(everybody: World) -> None:
    sessions = everybody.ids("editor", "session_id")
    refusals = {
        _refusal("stream_chat", ["--message", "Hi", "--user", "person-editor", "--session", session], [session])
        for session in (sessions["colleague"], NOWHERE)
    }
    assert len(refusals) == 1


@pytest.mark.parametrize("command", [*NAMING, "import_graph"])
def test_a_workspace_that_is_not_there_is_refused(everybody: World, command: str) -> None:
    arguments = [each.format(own="a", key="a", session="a", user="a") for each in NAMING.get(command, [["file"]])[0]]
    before = Graph.objects.count()
    with pytest.raises(CommandError, match="no workspace"):
        call_command(command, *arguments, "--workspace", "nowhere", stdout=StringIO())
    assert Graph.objects.count() == before


def _refusal(command: str, arguments: list[str], names: list[str]) -> str:
    with pytest.raises(CommandError) as refused:
        call_command(command, *arguments, "--workspace", "demo", stdout=StringIO(), stderr=StringIO())
    text = str(refused.value)
    for name in names:
        text = text.replace(name, "NAME")
    return text
