"""The version of a prompt is that of what is sent, not of the program that writes it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from chat.prompts import system, versions
from chat.subjects import tools
from chat.subjects import words as of_objects
from chat.subjects.graphs import words as of_graphs
from chat.subjects.graphs.subject import GraphSubject
from chat.subjects.subject import Subject
from graphs.models import Graph, Role
from graphs.site.access import member_of


@pytest.fixture(autouse=True)
def computed_anew() -> Iterator[None]:
    for cached in (versions._digest, tools._specs, tools._offered):
        cached.cache_clear()
    yield
    for cached in (versions._digest, tools._specs, tools._offered):
        cached.cache_clear()


@pytest.fixture
def version_of(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """The version with another source of the modules that write the prompt of a conversation about a graph."""

    def of(source: str) -> str:
        frame, of_graph = source.split(BETWEEN)
        module = ModuleType("chat.prompts.system")
        exec(compile(frame, "system.py", "exec"), module.__dict__)
        monkeypatch.setattr(versions, "prompt_text", module.prompt_text)
        exec(compile(of_graph, "words.py", "exec"), words := ModuleType("words").__dict__)
        for name in ("ROLES", "PROPOSING", "ADVICE", "CONVENTIONS"):
            monkeypatch.setattr(GraphSubject, name.lower(), words[name])
        for name in ("RULES", "graph_text"):
            monkeypatch.setattr(of_graphs, name, words[name])
        versions._digest.cache_clear()
        return versions.prompt_version()

    return of


BETWEEN = "\n# between the modules\n"
SOURCE = BETWEEN.join(Path(module.__file__).read_text() for module in (system, of_graphs))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import json\n", "import json  # a comment\n"),
        ("MAX_SHEETS", "MOST_SHEETS"),
        ("def _limits(which: str) -> str:\n", 'def _limits(which: str) -> str:\n    """Rules of tools."""\n'),
    ],
)
def test_a_comment_or_a_name_does_not_change_it(version_of: Callable[[str], str], old: str, new: str) -> None:
    assert old in SOURCE
    assert version_of(SOURCE.replace(old, new)) == versions.prompt_version() == version_of(SOURCE)


@pytest.mark.parametrize(
    "sentence",
    [
        "Be brief and concrete.",
        "they may change the graph themselves, on its page",
        "they may change the graph themselves and approve changes.",
        "What belongs together is one propose_batch",
        "You can only read at the moment",
        "read_subgraph reads several nodes in one call",
        "more: read_graph_overview",
        "and more: list_available_node_types",
        "- none",
        "{text} handles",
        "Nodes may also have types that nobody defined here",
    ],
)
def test_another_sentence_changes_it(version_of: Callable[[str], str], sentence: str) -> None:
    assert sentence in SOURCE
    assert version_of(SOURCE.replace(sentence, sentence + "!")) != version_of(SOURCE)


def test_another_sentence_about_objects_changes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {versions.prompt_version()}
    for owner, name in ((of_objects, "RULES"), (Subject, "proposing"), (Subject, "conventions")):
        monkeypatch.setattr(owner, name, "Another sentence.")
        versions._digest.cache_clear()
        found.add(versions.prompt_version())
    monkeypatch.setattr(of_objects, "about_text", lambda _about: "It is about something.")
    versions._digest.cache_clear()
    assert len(found | {versions.prompt_version()}) == 5


def test_another_description_or_argument_of_a_tool_changes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {versions.prompt_version()}
    for name, attribute, value in (
        ("search_nodes", "description", "Looks for nodes."),
        ("propose_batch", "description", "Proposes much."),
        ("read_tool_result", "arguments", tools.by_name()["read_earlier_messages"].arguments),
    ):
        monkeypatch.setattr(tools.by_name()[name], attribute, value)
        versions._digest.cache_clear()
        tools._specs.cache_clear()
        tools._offered.cache_clear()
        found.add(versions.prompt_version())
    assert len(found) == 4


def test_another_limit_that_the_model_is_told_changes_it(settings: Settings) -> None:
    before = versions.prompt_version()
    settings.TOOL_ROUNDS += 1
    versions._digest.cache_clear()
    assert versions.prompt_version() != before


@pytest.mark.django_db
def test_it_is_kept_with_the_role_in_few_characters(alice: User, nba: Graph) -> None:
    member = member_of(alice)
    assert versions.version_for(member) == f"{versions.prompt_version()}:{Role.EDITOR}"
    assert len(versions.version_for(member)) <= 40
