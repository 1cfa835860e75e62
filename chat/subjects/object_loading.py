"""The tools for objects of any kind where a model has to ask for them: there they would cost every request."""

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext_lazy as _

from chat.providers.model_request import PromptMessage
from chat.subjects import words
from chat.subjects.registered_subjects import subject_of
from chat.tools.comparing import COMPARE_VERSIONS
from chat.tools.conversation_search import SEARCH_CONVERSATIONS
from chat.tools.object_reading import READ_TOOLS
from chat.tools.proposing import WRITE_TOOLS
from chat.tools.tool import Arguments, ReadTool, Tool, ToolContext

OBJECT_TOOLS: tuple[Tool[Any], ...] = (
    *READ_TOOLS,
    *WRITE_TOOLS,
    COMPARE_VERSIONS,
    SEARCH_CONVERSATIONS,
)


class LoadArguments(Arguments): ...


class LoadObjectTools(ReadTool[LoadArguments]):
    name = "load_object_tools"
    badge = ("read", _("Looked beyond this workflow"))
    description = "Gives you tools for other objects of the workspace."
    arguments = LoadArguments

    def run(self, context: ToolContext, arguments: LoadArguments) -> dict[str, Any]:
        own = subject_of(context.about.type).loaded_tools if context.about else ()
        may_edit = context.member.role.may_edit
        return {
            "tools": [tool.name for tool in (*OBJECT_TOOLS, *own) if may_edit or not tool.writes],
            "kinds": words.kinds_text(),
            "note": "You have these tools now. Write an object as {{type:id}}, which becomes a link.",
        }


LOAD_OBJECT_TOOLS = LoadObjectTools()


def are_loaded(messages: Iterable[PromptMessage]) -> bool:
    """Whether a model that is sent these messages has asked for the tools."""
    return any(call.name == LoadObjectTools.name for message in messages for call in message.tool_calls)
