"""What a model is sent about the demo's graph stays within its targets."""

import pytest

from bench import sent_tokens
from bench.table import table
from tests.chat.providers.demo.conversing import Conversation
from tests.seeded import World, world


@pytest.fixture
def here(db: None) -> World:
    return world()


def test_the_levels_and_the_tools_are_those_that_the_commands_show(here: World) -> None:
    assert 0 < sent_tokens.levels() <= sent_tokens.TARGETS[sent_tokens.LEVELS]
    assert 0 < sent_tokens.tools(*sent_tokens.GRAPH) <= sent_tokens.TARGETS[sent_tokens.EDITOR]
    assert 0 < sent_tokens.tools(*sent_tokens.GRAPH, "--role", "viewer") <= sent_tokens.TARGETS[sent_tokens.VIEWER]


def test_a_rename_through_approval_takes_two_requests(here: World) -> None:
    conversation = Conversation(
        here.alice, here.nba, lambda _name, _arguments: {"proposalId": "p", "status": "applied", "changes": 1}
    )
    assert "changes recorded: 1" in conversation.ask(sent_tokens.RENAME)
    assert [name for name, _arguments in conversation.calls] == ["propose_update_node"]
    assert len(conversation.recorded) == 2
    assert 0 < sum(conversation.recorded) <= sent_tokens.TARGETS[sent_tokens.RENAMED]


def test_figures_are_held_against_their_targets() -> None:
    text = " ".join(table(list(sent_tokens.rows({sent_tokens.EDITOR: 2_501, sent_tokens.VIEWER: 900}))).split())
    assert "2501 | <= 2500 | MISSED" in text
    assert "900 | <= 900 | met" in text
