"""What a run's model is asked before the run's own rounds: system prompt, history, the question's context, tools."""

from collections.abc import Sequence
from dataclasses import dataclass

from chat.engine import extras
from chat.engine.claims import ClaimedRun
from chat.models import Message, Summary
from chat.prompts import always_sent, history, window
from chat.prompts.question import context_block, workspace_block
from chat.providers.base import PromptMessage, ToolSpec
from chat.tools import registry
from chat.tools.base import ToolContext
from graphs.models import Graph
from graphs.site.access import Member, NotFound, graph_for
from rag.retrieval.retrieve import retrieve


class ContextGone(Exception):
    """What the conversation is about was deleted."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What every call of a run begins with, and what its tools work on.

    `sent` are the messages of the history, `summary` what stands for those before them; of the run's own rounds the
    first `rounds_left_out` are summarised too. `left_out` are the positions of messages that the person left out.
    `budgeted`: a budget may concern the calls.
    """

    messages: tuple[PromptMessage, ...]
    tools: tuple[ToolSpec, ...]
    tool_context: ToolContext
    version: str
    sent: tuple[window.Sent, ...] = ()
    summary: str = ""
    rounds_left_out: int = 0
    left_out: frozenset[int] = frozenset()
    budgeted: bool = True


def load_prompt(run: ClaimedRun, member: Member) -> Prompt:
    """System prompt, history and tools as they stand before this run's own rounds.

    The question's context is looked up and stored with the question, once. Raises `ContextGone`.
    """
    graph = _graph(run, member) if run.context_type == "graph" else None
    earlier = list(Message.objects.filter(session_id=run.session_id, sequence__lt=run.position).order_by("sequence"))
    asked = (message for message in reversed(earlier) if message.role == Message.Role.USER)
    question = next((message for message in asked if message.kind != Message.NOTE), None)
    block = "" if question is None or question.retrieved else _context(question, graph, run, member)
    found = extras.look(run.account)
    if question is not None and block:
        _enrich(question, block, member, earlier, found)
    levels = history.system_levels(run.session_id, graph, member, earlier, flagged=found.always_sent)
    summary = _summary(run) if found.summary else None
    sent = window.sent((message for message in earlier if message.kind != Message.SYSTEM_PROMPT), summary)
    told = summary.content if summary else ""
    return Prompt(
        messages=history.prompt(levels, told, [entry for each in sent for entry in each.entries]),
        tools=registry.specs(member.role, run.context_type),
        tool_context=ToolContext(member, graph, run.session_id),
        version=history.version_for(member),
        sent=tuple(sent),
        summary=told,
        rounds_left_out=window.rounds_left_out(run.position, summary),
        left_out=window.left_out(earlier),
        budgeted=found.budgets,
    )


def _summary(run: ClaimedRun) -> Summary | None:
    return Summary.objects.filter(session_id=run.session_id, sequence__lte=run.position).last()


def _graph(run: ClaimedRun, member: Member) -> Graph:
    try:
        return graph_for(member, run.context_id)
    except NotFound:
        raise ContextGone from None


def _context(question: Message, graph: Graph | None, run: ClaimedRun, member: Member) -> str:
    """What is looked up for a question; never empty."""
    if graph is None:
        return workspace_block(member.workspace)
    return context_block(retrieve(graph, question.content, run.account))


def _enrich(question: Message, block: str, member: Member, earlier: Sequence[Message], found: extras.Extras) -> None:
    """Stores with the question what stands with it from now on."""
    begun = earlier[0].kind == Message.SYSTEM_PROMPT
    changed = always_sent.since_then(member.workspace, earlier, flagged=found.always_sent) if begun else ""
    if Message.objects.filter(pk=question.pk, retrieved="").update(retrieved=block, records=changed):
        question.retrieved, question.records = block, changed
    else:  # another process was first: one of the two was taken for dead
        question.refresh_from_db(fields=["retrieved", "records"])
