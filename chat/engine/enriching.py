"""Stores a question's context and the system prompt once: the prefix of every later request has the same bytes."""

import uuid
from dataclasses import dataclass, replace
from typing import Any

from django.db import connection

from chat.engine import untrusted
from chat.engine.claims import ClaimedRun
from chat.engine.prompt_loading import Earlier, Prompt, just_opened, prompt_of, read_earlier
from chat.models import Message
from chat.prompts import always_sent
from chat.prompts.earlier import EarlierMessage
from chat.prompts.fencing import context_text
from chat.prompts.system import system_prompt as system_prompt_for
from chat.prompts.versions import version_for
from graphs.models import Object
from graphs.objects.refs import Ref
from graphs.site import row_store
from graphs.site.access import Member
from rag.sources.registered_sources import source_of, workspace_block

_TOLD = """
UPDATE chat_message SET retrieved = %(retrieved)s, records = %(changed)s WHERE id = %(question)s AND retrieved = ''
"""
_STORE_CONTEXT = f"WITH {untrusted.MARKED} {_TOLD}"
_MESSAGE = row_store.columns(Message)
#: Another process may have been first, and a summary may have moved later records there since.
_STORE_SYSTEM_PROMPT = f"""
WITH {untrusted.MARKED}, told AS ({_TOLD} RETURNING id)
INSERT INTO chat_message ({_MESSAGE})
SELECT {_MESSAGE} FROM jsonb_populate_recordset(NULL::chat_message, %(rows)s::jsonb)
ON CONFLICT (session_id, sequence) DO UPDATE SET content = excluded.content, prompt_version = excluded.prompt_version
RETURNING id, records, EXISTS (SELECT FROM told)
"""  # noqa: S608 - what is inserted are names of columns


@dataclass(frozen=True, slots=True)
class Told:
    """What a question is told with: what was retrieved for it, records that changed, and the objects both are of."""

    question: EarlierMessage
    retrieved: str
    changed: str
    read: frozenset[Ref]

    @property
    def values(self) -> dict[str, Any]:
        """The parameters of `_TOLD`."""
        return {"question": self.question.id, "retrieved": self.retrieved, "changed": self.changed}

    def stored(self, *, first: bool) -> EarlierMessage:
        """The question with what is stored: another process's, if this was not the `first`."""
        stored = self.retrieved, self.changed
        if not first:  # One of the two was taken for dead.
            stored = Message.objects.values_list("retrieved", "records").get(pk=self.question.id)
        return self.question._replace(retrieved=stored[0], records=stored[1])


def enrich(run: ClaimedRun, member: Member) -> Prompt:
    """Stores what is not stored yet, and returns the prompt. Raises `ContextGone`."""
    earlier = just_opened(run, run.opening) if run.opening else read_earlier(run, member)
    system_prompt: EarlierMessage | Message | None = earlier.system_prompt
    told = _told(run, member, earlier)
    if system_prompt is None or system_prompt.prompt_version != version_for(member):
        is_new = system_prompt is None
        system_prompt, asked = store_system_prompt(
            run.session_id, earlier.about, member, is_new=is_new, flagged=earlier.always_sent, told=told
        )
    else:
        asked = store_context(run, told) if told else None
    if asked is not None:
        question = earlier.question
        earlier = replace(earlier, messages=[asked if each is question else each for each in earlier.messages])
    return prompt_of(run, member, earlier, system_prompt)


def _told(run: ClaimedRun, member: Member, earlier: Earlier) -> Told | None:
    """What the question is to be told with; None if that is stored, or there is no question."""
    question, about = earlier.question, earlier.about
    if question is None or question.retrieved:
        return None
    if about is None:
        block = workspace_block(member)
    else:
        block = source_of(about.type).retrieve(member, about, question.content, run.account)
    changed, read = "", set(block.read)
    if earlier.system_prompt is not None:
        changed = always_sent.since_then(member, earlier.messages, flagged=earlier.always_sent, read=read)
    return Told(question, context_text(block), changed, frozenset(read))


def store_context(run: ClaimedRun, told: Told) -> EarlierMessage:
    """Writes what a question is told with, once, and returns the question with what is stored.

    The conversation is marked if some of what was read is untrusted.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            _STORE_CONTEXT, untrusted.values(run.account.workspace_id, run.session_id, told.read) | told.values
        )
        return told.stored(first=cursor.rowcount == 1)


def store_system_prompt(
    session_id: uuid.UUID,
    about: Object | None,
    member: Member,
    *,
    is_new: bool,
    flagged: bool,
    told: Told | None = None,
) -> tuple[Message, EarlierMessage | None]:
    """Writes levels 1 and 2, only level 1 unless it `is_new`, and what the question is `told` with; returns both.

    `flagged`: some records are always sent.
    """
    read = {Ref(about.type, about.key)} if about is not None else set()
    message = Message(
        session_id=session_id,
        sequence=0,
        role=Message.Role.SYSTEM,
        kind=Message.SYSTEM_PROMPT,
        content=system_prompt_for(about, member),
        records=always_sent.at_the_beginning(member, flagged=flagged, read=read) if is_new else "",
        prompt_version=version_for(member),
        exclude_from_prompt=True,
    )
    of_question = told.values if told else dict.fromkeys(("question", "retrieved", "changed"))
    values = untrusted.values(member.workspace.pk, session_id, read | (told.read if told else set()))
    with connection.cursor() as cursor:
        cursor.execute(_STORE_SYSTEM_PROMPT, values | of_question | {"rows": row_store.as_json([message])})
        message.pk, message.records, first = cursor.fetchone()
        return message, told.stored(first=first) if told else None
