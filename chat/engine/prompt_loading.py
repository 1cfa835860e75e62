"""What a run's model is asked before the run's own rounds. Only reads: `enriching` stores it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

from django.db import connection

from chat.engine import kept_messages
from chat.engine.claims import HAS_ALWAYS_SENT, HAS_BUDGETS, ClaimedRun, Opening
from chat.engine.kept_messages import SERVER, STAMP, KeptMessages
from chat.models import Message, Summary
from chat.prompts import window
from chat.prompts.earlier import COLUMNS, EarlierMessage
from chat.providers.model_request import PromptMessage, ToolSpec
from chat.sent_requests.keeping import LastRequest
from chat.subjects import tools
from chat.subjects.object_loading import are_loaded
from chat.subjects.registered_subjects import subject_of
from chat.tools import authors
from chat.tools.tool import Tool, ToolContext
from graphs.models import Object
from graphs.objects.headers import model_of_header, object_for, seen, statement_by_key
from graphs.site import row_store
from graphs.site.access import Member, NotFound

#: Rounds in which a generation may search the web; then it has to fill in its form.
MOST_SEARCHES = 3
#: The messages that follow those that are kept, or all where these are no longer as they were. With each whether the
#: conversation has what is rare, with the first what it is about: one statement, because the first token waits for it.
#: Stamps are compared first, once: in a join PostgreSQL may compare them for each message.
_EARLIER = f"""
SELECT earlier.*{{columns}} FROM (
    WITH kept AS MATERIALIZED (
        SELECT CASE WHEN concat_ws(' ', {SERVER}, string_agg({STAMP}, ' ' ORDER BY m.sequence)) = %(stamps)s::text
            THEN %(kept_to)s::int ELSE -1 END AS up_to
        FROM chat_message AS m WHERE m.session_id = %(session)s AND m.sequence <= %(kept_to)s::int
    )
    SELECT {", ".join(f"m.{column}" for column in COLUMNS)}, {STAMP} AS stamp,
        {SERVER} AS server, (SELECT up_to FROM kept) AS up_to,
        {HAS_BUDGETS} AS has_budgets, {HAS_ALWAYS_SENT} AS has_always_sent,
        EXISTS (SELECT FROM chat_summary WHERE session_id = %(session)s) AS has_summary,
        row_number() OVER (ORDER BY m.sequence) = 1 AS is_first
    FROM chat_message AS m
    WHERE m.session_id = %(session)s AND m.sequence > (SELECT up_to FROM kept) AND m.sequence < %(position)s
) AS earlier{{about}} ORDER BY earlier.sequence
"""  # noqa: S608 - what is inserted are names of columns and functions
#: What stands behind the columns of a message.
_BESIDE = ("stamp", "server", "up_to", "has_budgets", "has_always_sent", "has_summary", "is_first")
_WIDTH = len(COLUMNS) + len(_BESIDE)


class ContextGone(Exception):
    """What the conversation is about was deleted."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What every call of a run begins with, and what its tools work on.

    `sent` are the messages of the history, `summary` what stands for those before them; of the run's own rounds the
    first `rounds_left_out` are summarised too. `left_out` are the positions of messages that the person left out.
    `budgeted`: a budget may concern the calls. `more_tools` are those once the model has loaded the tools for objects,
    of a generation once it has searched enough.
    `lengths` are logged: of the question and of the context that was looked up for it. `own_tools` are those that no
    conversation has, by their names.
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
    last_request: LastRequest = field(default_factory=LastRequest)
    lengths: dict[str, int] = field(default_factory=dict)
    own_tools: Mapping[str, Tool[Any]] = field(default_factory=dict)

    @property
    def form(self) -> str:
        """The tool that has to be called in a generation; "" in a conversation."""
        return next(iter(self.own_tools), "")

    def offered(self, rounds: int, said: Iterable[PromptMessage]) -> tuple[ToolSpec, ...]:
        """The tools of a call after so many rounds of the run's own, of which these messages were made."""
        more = rounds >= MOST_SEARCHES if self.form else are_loaded(said)
        return self.more_tools if more else self.tools


@dataclass(frozen=True, slots=True)
class Earlier:
    """A conversation before a run's answer, and whether it has budgets, records always sent, or a summary.

    `kept` are the messages before its question, for the next one.
    """

    about: Object | None
    messages: Sequence[EarlierMessage]
    kept: KeptMessages
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
    kept = kept_messages.get(run.session_id, run.position)
    try:
        about, rows = _read(run, member, kept)
    except NotFound:
        raise ContextGone from None
    _stamp, server, up_to, budgets, always_sent, summary, _is_first = rows[0][len(COLUMNS) : _WIDTH]
    if up_to < kept.to:
        kept = KeptMessages(last_request=kept.last_request)
    new = [EarlierMessage.of_row(row[: len(COLUMNS)]) for row in rows]
    earlier = Earlier(about, [*kept.messages, *new], kept, budgets, always_sent, summary)
    if earlier.question is not None:
        kept = kept.with_those_before(earlier.question.sequence, rows, new, server)
        kept_messages.put(run.session_id, kept)
    return replace(earlier, kept=kept)


def just_opened(run: ClaimedRun, opening: Opening) -> Earlier:
    """A conversation that holds no more than what was stored with its first run, as `read_earlier` would read it."""
    kept_messages.put(run.session_id, kept := KeptMessages())
    return Earlier(opening.about, [opening.question], kept, opening.budgets, opening.always_sent, summary=False)


def _read(run: ClaimedRun, member: Member, kept: KeptMessages) -> tuple[Object | None, list[Sequence[Any]]]:
    """What the conversation is about, and the rows of `_EARLIER`, of which there is one at least: its question.

    Raises `NotFound` if what it is about is gone, or may not be seen.
    """
    model = model_of_header(run.context) if run.context else None
    values: dict[str, Any] = {
        "workspace": run.account.workspace_id,
        "session": run.session_id,
        "position": run.position,
        "kept_to": kept.to,
        "stamps": kept.stamps,
        "key": run.context.key if run.context else "",
    }
    with connection.cursor() as cursor:
        cursor.execute(_statement(model), values)
        rows = cursor.fetchall()
    if model is not None:
        about = rows[0][_WIDTH:]
        return seen(member, row_store.row_of(model, about)[0] if about[0] is not None else None), rows
    return object_for(member, run.context) if run.context else None, rows


@cache
def _statement(model: type[Object] | None) -> str:
    """`_EARLIER`, with the row of an object that is its own header beside the first message."""
    if model is None:
        return _EARLIER.format(columns="", about="")
    named = statement_by_key(model) % ("%(workspace)s", "%(key)s")
    return _EARLIER.format(columns=", about.*", about=f" LEFT JOIN ({named}) AS about ON earlier.is_first")


def prompt_of(run: ClaimedRun, member: Member, earlier: Earlier, system_prompt: EarlierMessage | Message) -> Prompt:
    """The prompt as these messages give it; reads the summary if there is one, and names where several people write."""
    summary = None
    if earlier.summary:
        summary = Summary.objects.filter(session_id=run.session_id, sequence__lte=run.position).last()
    said = [message for message in earlier.messages if message.kind != Message.SYSTEM_PROMPT]
    names = authors.names_of(run.session_id, {message.author_id for message in said})
    sent = window.sent(said, summary, earlier.kept.sent, names)
    earlier.kept.sent.update((each.message.sequence, each) for each in sent if each.message.sequence <= earlier.kept.to)
    words = summary.content if summary else ""
    question = earlier.question
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
        tool_context=ToolContext(member, earlier.about, run.session_id, run.account, run.read),
        version=run.asked_with or system_prompt.prompt_version,
        sent=tuple(sent),
        summary=words,
        rounds_left_out=window.rounds_left_out(run.position, summary),
        left_out=window.left_out(earlier.messages),
        budgeted=earlier.budgets,
        last_request=earlier.kept.last_request,
        lengths={"message_length": len(question.content), "context_length": len(question.retrieved)}
        if question
        else {},
    )
