"""What a run's model is asked before the run's own rounds. Only reads: `enriching` stores it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import connection

from chat.engine.claims import ClaimedRun
from chat.models import Message, Summary
from chat.prompts import window
from chat.prompts.earlier import COLUMNS, EarlierMessage
from chat.providers.model_request import PromptMessage, ToolSpec
from chat.subjects import tools
from chat.subjects.object_loading import are_loaded
from chat.subjects.registered_subjects import subject_of
from chat.tools.tool import ToolContext
from graphs.models import Object
from graphs.objects.headers import object_for
from graphs.site.access import Member, NotFound

#: With each message whether the conversation has what is rare: one statement, because the first token waits for it.
_EARLIER = f"""
SELECT {", ".join(f"m.{column}" for column in COLUMNS)}, rare.* FROM chat_message AS m CROSS JOIN (
    SELECT EXISTS (SELECT FROM chat_budget WHERE workspace_id = %(workspace)s AND active) AS has_budgets,
        EXISTS (SELECT FROM chat_alwayssend WHERE workspace_id = %(workspace)s) AS has_always_sent,
        EXISTS (SELECT FROM chat_summary WHERE session_id = %(session)s) AS has_summary
) AS rare
WHERE m.session_id = %(session)s AND m.sequence < %(position)s ORDER BY m.sequence
"""  # noqa: S608 - what is inserted are names of columns


class ContextGone(Exception):
    """What the conversation is about was deleted."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What every call of a run begins with, and what its tools work on.

    `sent` are the messages of the history, `summary` what stands for those before them; of the run's own rounds the
    first `rounds_left_out` are summarised too. `left_out` are the positions of messages that the person left out.
    `budgeted`: a budget may concern the calls. `more_tools` are those once the model has loaded the tools for objects.
    """

    messages: tuple[PromptMessage, ...]
    tools: tuple[ToolSpec, ...]
    more_tools: tuple[ToolSpec, ...]
    tool_context: ToolContext
    version: str
    sent: tuple[window.SentMessage, ...] = ()
    summary: str = ""
    rounds_left_out: int = 0
    left_out: frozenset[int] = frozenset()
    budgeted: bool = True


@dataclass(frozen=True, slots=True)
class Earlier:
    """A conversation before a run's answer, and whether it has budgets, records always sent, or a summary."""

    about: Object | None
    messages: Sequence[EarlierMessage]
    budgets: bool
    always_sent: bool
    summary: bool

    @property
    def system_prompt(self) -> EarlierMessage | None:
        return next((message for message in self.messages if message.kind == Message.SYSTEM_PROMPT), None)

    @property
    def question(self) -> EarlierMessage | None:
        """The last message that a person wrote."""
        asked = (message for message in reversed(self.messages) if message.role == Message.Role.USER)
        return next((message for message in asked if message.kind != Message.NOTE), None)


def load_prompt(run: ClaimedRun, member: Member) -> Prompt:
    """The prompt of a conversation that was enriched. Raises `ContextGone`."""
    earlier = read_earlier(run, member)
    assert earlier.system_prompt is not None
    return prompt_of(run, member, earlier, earlier.system_prompt)


def read_earlier(run: ClaimedRun, member: Member) -> Earlier:
    """The conversation before the run's answer. Raises `ContextGone`."""
    try:
        about = object_for(member, run.context) if run.context else None
    except NotFound:
        raise ContextGone from None
    of_run: dict[str, Any] = {"workspace": run.account.workspace_id, "session": run.session_id}
    with connection.cursor() as cursor:
        cursor.execute(_EARLIER, of_run | {"position": run.position})
        rows = cursor.fetchall()
    *_, budgets, always_sent, summary = rows[0]  # There is one: the question that the run answers.
    messages = [EarlierMessage.of_row(row[: len(COLUMNS)]) for row in rows]
    return Earlier(about, messages, budgets, always_sent, summary)


def prompt_of(run: ClaimedRun, member: Member, earlier: Earlier, system_prompt: EarlierMessage | Message) -> Prompt:
    """The prompt as these messages give it; reads the summary if there is one."""
    summary = None
    if earlier.summary:
        summary = Summary.objects.filter(session_id=run.session_id, sequence__lte=run.position).last()
    sent = window.sent((message for message in earlier.messages if message.kind != Message.SYSTEM_PROMPT), summary)
    words = summary.content if summary else ""
    levels = (system_prompt.content, system_prompt.records)
    messages = window.prompt(levels, words, [entry for each in sent for entry in each.entries])
    offered = partial(
        tools.specs, member.role, subject_of(run.context.type if run.context else ""), summarised=summary is not None
    )
    more_tools = offered(loaded=True)
    return Prompt(
        messages=messages,
        tools=more_tools if are_loaded(messages) else offered(),
        more_tools=more_tools,
        tool_context=ToolContext(member, earlier.about, run.session_id, run.account),
        version=system_prompt.prompt_version,
        sent=tuple(sent),
        summary=words,
        rounds_left_out=window.rounds_left_out(run.position, summary),
        left_out=window.left_out(earlier.messages),
        budgeted=earlier.budgets,
    )
