"""How a run begins: stored with its empty answer, and driven at once if nothing else is on its way."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils import timezone

from chat.engine import claims, doorbell
from chat.engine.states import Phase, knows
from chat.events.append import STORED, EventBatch
from chat.events.presence import READ_ON
from chat.events.vocabulary import NewEvent
from chat.models import Message, PromptVersion, Run, RunStatus, Session, Stream
from chat.prompts.earlier import EarlierMessage
from graphs.models import Object
from graphs.site import row_store
from graphs.site.access import Member

_MESSAGE, _RUN = row_store.columns(Message), row_store.columns(Run, "epoch", "first_sequence", "started_at")
_STREAM, _SESSION = row_store.columns(Stream, "id"), row_store.columns(Session, "stream_id")
#: The first number of a run that is driven at once is that of its `status: started`, the last of these events.
_START = f"""
WITH {{conversation}}{{read_on}}, messages AS (
    INSERT INTO chat_message ({_MESSAGE})
    SELECT {_MESSAGE} FROM jsonb_populate_recordset(NULL::chat_message, %(messages)s::jsonb)
), run AS (
    INSERT INTO chat_run ({_RUN}, epoch, first_sequence, started_at)
    SELECT {", ".join(f"r.{column}" for column in _RUN.split(", "))},
        CASE WHEN %(drives)s THEN raised.epoch ELSE 0 END, CASE WHEN %(drives)s THEN raised.last_sequence END,
        CASE WHEN %(drives)s THEN statement_timestamp() END
    FROM jsonb_populate_recordset(NULL::chat_run, %(run)s::jsonb) AS r CROSS JOIN raised
), {STORED}
SELECT id, last_sequence, epoch, statement_timestamp(){{rare}} FROM raised
"""  # noqa: S608 - what is inserted are names of columns
#: Of a conversation that is there, and of one that begins: its stream with as many events more.
_GOES_ON = """
raised AS (
    UPDATE chat_stream SET last_sequence = last_sequence + %(count)s, epoch = epoch + %(drives)s::int
    WHERE id = %(stream)s RETURNING id, last_sequence, epoch
), session AS (
    UPDATE chat_session SET phase = %(phase)s, updated_at = %(now)s WHERE id = %(session)s
)
"""
_OPENS = f"""
raised AS (
    INSERT INTO chat_stream ({_STREAM})
    SELECT {_STREAM} FROM jsonb_populate_recordset(NULL::chat_stream, %(stream)s::jsonb)
    RETURNING id, last_sequence, epoch
), session AS (
    INSERT INTO chat_session ({_SESSION}, stream_id)
    SELECT {row_store.columns(Session, "stream_id", of="s")}, raised.id
    FROM raised CROSS JOIN jsonb_populate_recordset(NULL::chat_session, %(session)s::jsonb) AS s
)
"""  # noqa: S608 - what is inserted are names of columns


@dataclass(frozen=True, slots=True)
class Accepted:
    """What doors answer about a stored run. `after` is the number to read the stream from to see all about it.

    `last` is the number that the stream ended at.
    """

    session_id: uuid.UUID
    user_message_id: uuid.UUID
    message_id: uuid.UUID
    run_id: uuid.UUID
    stream_id: int
    after: int
    last: int

    @property
    def stream(self) -> str:
        return f"session_{self.session_id}"

    def to_json(self) -> dict[str, Any]:
        """The answer of the doors; `after` is for the door that subscribes."""
        return {
            "sessionId": str(self.session_id),
            "userMessageId": str(self.user_message_id),
            "messageId": str(self.message_id),
            "runId": str(self.run_id),
            "stream": self.stream,
            "after": self.after,
        }


def new_run(
    session: Session,
    author: User,
    position: int,
    trigger: dict[str, Any],
    *,
    model: str = "",
    asked_with: PromptVersion | None = None,
    reads_only: bool = False,
) -> Run:
    """A run and the empty answer it will fill; neither is stored yet. `model` is for this answer only."""
    reply = Message(session=session, sequence=position, role=Message.Role.ASSISTANT, status=Message.Status.QUEUED)
    return Run(
        session=session,
        message=reply,
        author=author,
        trigger=trigger,
        asked_model=model,
        prompt_version=asked_with,
        reads_only=reads_only,
    )


def start(
    run: Run,
    member: Member | None,
    events: Sequence[NewEvent],
    *,
    resting: bool,
    question: Message | None = None,
    about: Object | None = None,
    reads_in: uuid.UUID | None = None,
) -> Accepted:
    """Stores a run and its first events, last in the transaction, with its `question` and conversation if new.

    Without `question` it belongs to the last one that a person asked. A process that drives it takes the stream. What a
    new conversation is `about` is not read again where it is given. Who asks reads on in the process `reads_in`, unless
    that is None.
    """
    session, runner = run.session, doorbell.local
    drives = runner is not None and resting and knows(session) and runner.takes()
    if question is None:
        question = session.messages.filter(role=Message.Role.USER, kind=Message.TEXT).order_by("-sequence")[0]
    new = [question, run.message] if question._state.adding else [run.message]
    if runner and drives:
        run.status, run.process, run.attempts = RunStatus.RUNNING, runner.process_id, 1
        run.message.status, session.phase = Message.Status.STREAMING, Phase.EXECUTING_ENRICHMENTS
        events = [*events, NewEvent("status", {"state": "started"}, run.message_id, run.pk)]
    batch = EventBatch(events)
    values: dict[str, Any] = {
        "messages": row_store.as_json(new),
        "run": row_store.as_json([run]),
        "drives": drives,
        "reads_in": reads_in,
        **batch.values,
    }
    opens = session._state.adding
    with connection.cursor() as cursor:
        statement = _statement(opens=opens, reads=reads_in is not None)
        cursor.execute(statement, values | _of_conversation(session, len(events), drives=drives))
        session.stream_id, last, epoch, at, *rare = cursor.fetchone()
    session._state.adding = False
    known = opens and (about is not None or session.context is None)
    opening = claims.Opening(EarlierMessage.of(question), about, *rare) if known else None
    batch.wake_readers(session.stream_id, last, at)
    if runner and drives:
        run.epoch, run.first_sequence = epoch, last
        claimed = claims.claimed(run, member, opening=opening)
        transaction.on_commit(lambda: runner.adopt(claimed), robust=True)
    else:
        transaction.on_commit(doorbell.ring)
    return Accepted(session.pk, question.pk, run.message_id, run.pk, session.stream_id, last - len(events), last)


@cache
def _statement(*, opens: bool, reads: bool) -> str:
    """What stores a run in a conversation, or with it, and perhaps that somebody reads it."""
    return _START.format(
        conversation=_OPENS if opens else _GOES_ON,
        read_on=f", {READ_ON}" if reads else "",
        rare=f", {claims.HAS_BUDGETS}, {claims.HAS_ALWAYS_SENT}" if opens else "",
    )


def _of_conversation(session: Session, count: int, *, drives: bool) -> dict[str, Any]:
    """The parameters of `_GOES_ON`, of `_OPENS` for a new conversation, in whose stream so many events will stand."""
    if not session._state.adding:
        named = {"stream": session.stream_id, "session": session.pk}
        return {**named, "phase": session.phase, "now": timezone.now()}
    session.stream.last_sequence, session.stream.epoch = count, int(drives)
    return {
        "stream": row_store.as_json([session.stream]),
        "session": row_store.as_json([session]),
        "workspace": session.workspace_id,
    }


def queued(run: Run) -> NewEvent:
    deepens = {"deepens": str(run.message.deepens_id)} if run.message.deepens_id else {}
    return NewEvent("status", {"state": "queued", "jobId": str(run.pk), **deepens}, run.message_id, run.pk)
