"""The version of a prompt is that of what is sent, not of the program that writes it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from chat.prompts import object_system, system, versions
from chat.tools import registry
from graphs.models import Graph, Role
from graphs.site.access import member_of


@pytest.fixture(autouse=True)
def computed_anew() -> Iterator[None]:
    for cached in (versions.prompt_version, registry.specs):
        cached.cache_clear()
    yield
    for cached in (versions.prompt_version, registry.specs):
        cached.cache_clear()


@pytest.fixture
def version_of(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """The version with another source of the module that writes the prompt."""

    def of(source: str) -> str:
        module = ModuleType("chat.prompts.system")
        exec(compile(source, "system.py", "exec"), module.__dict__)
        monkeypatch.setattr(versions, "prompt_text", module.prompt_text)
        versions.prompt_version.cache_clear()
        return versions.prompt_version()

    return of


SOURCE = Path(system.__file__).read_text()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import json\n", "import json  # a comment\n"),
        ("_CONVENTIONS", "_HOW_IT_IS_BUILT"),
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
        "Do not offer to change anything.",
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
    for name in ("RULES", "PROPOSING"):
        monkeypatch.setattr(object_system, name, "Another sentence.")
        versions.prompt_version.cache_clear()
        found.add(versions.prompt_version())
    monkeypatch.setattr(object_system, "about_text", lambda _about: "It is about something.")
    versions.prompt_version.cache_clear()
    assert len(found | {versions.prompt_version()}) == 4


def test_another_description_or_argument_of_a_tool_changes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {versions.prompt_version()}
    for name, attribute, value in (
        ("search_nodes", "description", "Looks for nodes."),
        ("propose_batch", "description", "Proposes much."),
        ("read_tool_result", "arguments", registry.TOOLS["read_earlier_messages"].arguments),
    ):
        monkeypatch.setattr(registry.TOOLS[name], attribute, value)
        versions.prompt_version.cache_clear()
        registry.specs.cache_clear()
        found.add(versions.prompt_version())
    assert len(found) == 4


def test_another_limit_that_the_model_is_told_changes_it(settings: Settings) -> None:
    before = versions.prompt_version()
    settings.TOOL_ROUNDS += 1
    versions.prompt_version.cache_clear()
    assert versions.prompt_version() != before


@pytest.mark.django_db
def test_it_is_kept_with_the_role_in_few_characters(alice: User, nba: Graph) -> None:
    member = member_of(alice)
    assert versions.version_for(member) == f"{versions.prompt_version()}:{Role.EDITOR}"
    assert len(versions.version_for(member)) <= 40
