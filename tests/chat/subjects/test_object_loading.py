"""What a model is told as it asks for the tools for objects of any kind, and what tells that it did."""

from dataclasses import replace

import pytest

from chat.prompts.window import prompt
from chat.providers.model_request import PromptMessage, ToolCall
from chat.subjects.object_loading import LOAD_OBJECT_TOOLS, OBJECT_TOOLS, LoadArguments, are_loaded
from chat.tools.tool import ToolContext
from graphs.models import Role
from graphs.site.access import Member
from tests.registered import pins
from tests.seeded import world

pytestmark = pytest.mark.django_db


def told(member: Member) -> dict[str, object]:
    return LOAD_OBJECT_TOOLS.run(ToolContext(member, None), LoadArguments())


def test_it_names_the_tools_that_come_and_the_kinds_there_are() -> None:
    here = world()
    with pins():
        found = told(here.alice)
    assert found["tools"] == [tool.name for tool in OBJECT_TOOLS]
    for line in ("- graph: ", "- nodeType: ", "- pin: "):
        assert line in str(found["kinds"])


def test_it_names_to_a_viewer_what_reads() -> None:
    here = world()
    assert told(replace(here.alice, role=Role.VIEWER))["tools"] == [
        "read_object",
        "list_objects",
        "search_objects",
        "read_history",
        "compare_versions",
        "search_conversations",
    ]


def test_a_conversation_has_them_from_the_call_on() -> None:
    asked = PromptMessage("user", "Which products are there? load_object_tools")
    call = PromptMessage("assistant", "", tool_calls=(ToolCall("c1", "load_object_tools", "{}"),))
    assert not are_loaded(prompt(["load_object_tools"], "", [asked]))
    assert are_loaded(prompt([""], "", [asked, call, PromptMessage("tool", "{}", tool_call_id="c1"), asked]))
