"""The tool by which a model has something generated: a run of its own, whose result a person decides on."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from django.utils.translation import gettext_lazy as _
from pydantic import Field

from chat.tools.tool import Arguments, ReadTool, ToolContext, ToolFailed
from graphs.objects.refs import RefText
from graphs.site.access import Forbidden, NotFound
from graphs.site.api.problems import Problem


class GenerateArguments(Arguments):
    prompt: Annotated[str, Field(max_length=28)] = Field(
        description="company_info, folder_name, use_case_list, use_case_detail or executive_summary."
    )
    object: RefText
    instructions: Annotated[str, Field(max_length=4_000)] | None = Field(None, description="What to mind besides.")
    model: Annotated[str, Field(max_length=100)] | None = Field(None, description="Only one that the person named.")


@dataclass(slots=True)
class Door:
    """`begin` begins a generation that a model asks for and gives its id; set as the program starts, from above."""

    begin: Callable[[ToolContext, GenerateArguments], str]


#: Told to the model.
ON_ITS_WAY = "It runs in the background; do not wait. Its result waits for the person on the page of the object."


def _nobody(_context: ToolContext, _arguments: GenerateArguments) -> str:
    raise ToolFailed("Nothing can be generated here.")


door = Door(_nobody)


class Generate(ReadTool[GenerateArguments]):
    name = "generate"
    badge = ("spark", _("Began a generation"))
    description = (
        "Has a managed prompt fill an object: facts of a company, name of a folder, new use cases in a folder, details "
        "of a use case, an executive_summary. Only when the person asks for it; they decide on the result on its page."
    )
    arguments = GenerateArguments
    for_editors = True

    def run(self, context: ToolContext, arguments: GenerateArguments) -> dict[str, Any]:
        try:
            context.object(arguments.object)
            if context.account is None:
                raise ToolFailed("Nothing can be generated outside of a conversation.")
            run_id = door.begin(context, arguments)
        except NotFound:
            raise ToolFailed(f'There is no "{arguments.object}", or no such prompt.') from None
        except Forbidden:
            raise ToolFailed("The person may not change this. Tell them.") from None
        except Problem as refused:
            raise ToolFailed(str(refused.detail)) from None
        return {"runId": run_id, "object": str(arguments.object), "note": ON_ITS_WAY}


GENERATE = Generate()
