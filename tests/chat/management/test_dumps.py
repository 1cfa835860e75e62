from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.seeded import CANARY, World, world


@pytest.fixture
def here(db: None) -> World:
    return world()


def output(*command: str) -> str:
    out = StringIO()
    call_command(*command, "--workspace", "demo", stdout=out)
    assert CANARY not in out.getvalue()
    return out.getvalue()


def test_it_shows_the_context_of_a_question(here: World) -> None:
    text = output("dump_context", "Que fait le node fetch-api ?", "--graph", "nba")
    assert text.index("  fetch-api") < text.index("  filter-active")
    assert "fetch-api:R-1 -> error-handler:L-0  error" in text


def test_it_shows_every_tool_with_an_answer(here: World) -> None:
    text = output("dump_tools", "--graph", "order-to-cash")
    assert text.count("--- ") == 18
    assert '"error"' not in text
    assert "refused" not in text


def test_it_shows_the_whole_prompt_with_sizes(here: World) -> None:
    text = output("dump_prompt", "what does fetch-api do?", "--graph", "nba", "--role", "viewer")
    assert "The person is a viewer" in text
    assert "fetch-api,Fetch players" in text
    assert "tokens" in text


@pytest.mark.parametrize("command", [("dump_context", "x"), ("dump_tools",), ("dump_prompt", "x")])
def test_it_says_when_there_is_no_such_graph(here: World, command: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match='no graph "nowhere" in the workspace "demo"'):
        output(*command, "--graph", "nowhere")
