"""The calls of a reply: checked, shown, and run side by side if they only read."""

import asyncio
import logging
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chat.concurrency import outgoing
from chat.concurrency.database import in_tool_thread
from chat.concurrency.outgoing import Asker, NoPlace
from chat.engine import telemetry, untrusted
from chat.engine.answer import LiveAnswer
from chat.proposals import WriteCall
from chat.providers.model_request import ToolCall
from chat.subjects import tools
from chat.tools.named_addresses import source_read
from chat.tools.proposing import Proposer
from chat.tools.tool import Tool, ToolContext

log = logging.getLogger("countersign.tools")

#: A tool that takes longer is given up on; the model is told.
TOOL_TIMEOUT_S = 30
BUSY = (
    "Too much is being read of the internet at this moment: {tool} found no place to wait in. Nothing was asked. Go on "
    "with what you have, or call it again, for one at a time."
)
NO_MORE_ROUNDS = {"error": "No more tool calls are possible in this turn. Answer with what you have found."}


@dataclass(frozen=True, slots=True)
class CheckedCall:
    """A call of a model, and what it was found to be: one that may run, or one that is refused.

    `asks`: it only reads, and a person has to let it through before. `knows` is the source from outside that its model
    had read as it called; None where nobody asked.
    """

    id: str
    name: str
    found: tools.ParsedCall | tools.CallRefused
    asks: bool = False
    knows: str | None = None

    @property
    def refusal(self) -> str:
        """Why it may not run; "" if it may."""
        return self.found.message if isinstance(self.found, tools.CallRefused) else ""

    @property
    def writes(self) -> bool:
        return isinstance(self.found, tools.ParsedCall) and self.found.tool.writes

    @property
    def proposes(self) -> bool:
        """Whether it becomes a proposal."""
        return self.writes or self.asks

    @property
    def goes_out(self) -> bool:
        """Whether it waits for others on the internet."""
        return isinstance(self.found, tools.ParsedCall) and tools.places_of(self.found) is not None

    def proposals(self) -> Sequence[WriteCall]:
        """What a call that writes proposes. Raises `ChangeRefused`."""
        assert isinstance(self.found, tools.ParsedCall)
        tool = self.found.tool
        assert isinstance(tool, Proposer)
        return tool.proposals(self.id, self.found.arguments)

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments that readers see; none of a refused call."""
        return {} if isinstance(self.found, tools.CallRefused) else self.found.arguments.model_dump(exclude_none=True)


def check_calls(
    calls: tuple[ToolCall, ...], offered: Collection[str], loadable: Collection[str], own: Mapping[str, Tool[Any]]
) -> list[CheckedCall]:
    """The calls, checked: malformed JSON, tools that are not offered and extra keys are refused with the reason.

    `own` are tools that only this run has.
    """
    found = [tools.parse(call.name, call.arguments, offered, loadable, own) for call in calls]
    checked = [CheckedCall(call.id, call.name, each) for call, each in zip(calls, found, strict=True)]
    telemetry.refused(checked, calls)
    return checked


async def with_asking(calls: list[CheckedCall], context: ToolContext) -> list[CheckedCall]:
    """The calls, with those marked before which a person is asked. What one of them reads no other one knows."""
    if context.session_id is None or not any(call.goes_out for call in calls):
        return calls
    return await in_tool_thread(_with_asking, calls, context, context.session_id)


def _with_asking(calls: list[CheckedCall], context: ToolContext, session_id: uuid.UUID) -> list[CheckedCall]:
    knows = source_read(session_id)
    knowing = replace(context, knows=knows)
    return [replace(call, knows=knows, asks=_asks(call, knowing)) for call in calls]


def _asks(call: CheckedCall, context: ToolContext) -> bool:
    return isinstance(call.found, tools.ParsedCall) and tools.asks_first(call.found, context)


async def run_calls(calls: list[CheckedCall], context: ToolContext, answer: LiveAnswer) -> None:
    """Shows the calls, runs those that read, and shows their results; a refused one gets its reason, with no effect."""
    for call in calls:
        await answer.show_call(call.id, call.name, call.arguments)
    await asyncio.gather(*(_run(call, context, answer) for call in calls if not call.proposes))


def failure_of(calls: list[CheckedCall]) -> str:
    """What was wrong when no call was usable, else ""."""
    return calls[0].refusal if all(call.refusal for call in calls) else ""


async def refuse_all(calls: tuple[ToolCall, ...], answer: LiveAnswer, why: dict[str, Any]) -> None:
    """Gives the model this result of each of its calls, none of which is run."""
    for call in calls:
        await answer.show_call(call.id, call.name, {})
        await answer.emit("tool_call_result", {"toolCallId": call.id, "result": why})


async def _run(call: CheckedCall, context: ToolContext, answer: LiveAnswer) -> None:
    if isinstance(call.found, tools.CallRefused):
        result: dict[str, Any] = {"error": call.found.message}
    else:
        with telemetry.of_tool(call) as returned:
            result = await _result(call.found, replace(context, knows=call.knows))
            returned(result)
    await answer.emit("tool_call_result", {"toolCallId": call.id, "result": result})


async def _result(call: tools.ParsedCall, context: ToolContext) -> dict[str, Any]:
    places = tools.places_of(call)
    try:
        async with asyncio.timeout(TOOL_TIMEOUT_S + (outgoing.WAIT_S if places else 0)):
            if places is None:
                return await in_tool_thread(_read, call, context)
            asker = Asker(context.member.workspace.pk, context.member.user.pk)
            return await places.call(asker, _read, call, context)
    except NoPlace:
        return {"error": BUSY.format(tool=call.tool.name)}
    except TimeoutError:
        return {"error": f"{call.tool.name} took longer than {TOOL_TIMEOUT_S} s and was given up on."}
    except Exception:  # Any: the model can go on without one result.
        log.exception("tool %s failed", call.tool.name)
        return {"error": f"{call.tool.name} failed unexpectedly; go on without it."}


def _read(call: tools.ParsedCall, context: ToolContext) -> dict[str, Any]:
    """What the tool tells. What it read has marked the conversation before the log has that.

    Who dies before the round is stored leaves in the log what somebody else then stores, and knows not of what it is.
    """
    own = replace(context, read=set())
    result = tools.run(call, own)
    if context.session_id is not None and not own.read <= context.read:
        untrusted.mark(context.member.workspace.pk, context.session_id, own.read)
    context.read.update(own.read)
    return result
