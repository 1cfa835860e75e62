"""Stores a question's context and the system prompt once: the prefix of every later request has the same bytes."""

import uuid
from collections.abc import Collection
from dataclasses import replace

from django.db import connection

from chat.engine import untrusted
from chat.engine.claims import ClaimedRun
from chat.engine.prompt_loading import Prompt, prompt_of, read_earlier
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

_RETRIEVED = f"""
WITH {untrusted.MARKED}
UPDATE chat_message SET retrieved = %(retrieved)s, records = %(records)s WHERE id = %(message)s AND retrieved = ''
"""  # noqa: S608 - what is inserted is a constant
_MESSAGE = row_store.columns(Message)
#: Another process may have been first, and a summary may have moved later records there since.
_STORE = f"""
WITH {untrusted.MARKED}
INSERT INTO chat_message ({_MESSAGE})
SELECT {_MESSAGE} FROM jsonb_populate_recordset(NULL::chat_message, %(rows)s::jsonb)
ON CONFLICT (session_id, sequence) DO UPDATE SET content = excluded.content, prompt_version = excluded.prompt_version
RETURNING id, records
"""  # noqa: S608 - what is inserted are names of columns


def enrich(run: ClaimedRun, member: Member) -> Prompt:
    """Stores what is not stored yet, and returns the prompt. Raises `ContextGone`."""
    earlier = read_earlier(run, member)
    question, about = earlier.question, earlier.about
    system_prompt: EarlierMessage | Message | None = earlier.system_prompt
    if question is not None and not question.retrieved:
        if about is None:
            block = workspace_block(member)
        else:
            block = source_of(about.type).retrieve(member, about, question.content, run.account)
        context, changed, read = context_text(block), "", set(block.read)
        if system_prompt is not None:
            changed = always_sent.since_then(member, earlier.messages, flagged=earlier.always_sent, read=read)
        asked = store_context(run, question, context, changed, read)
        earlier = replace(earlier, messages=[asked if each is question else each for each in earlier.messages])
    if system_prompt is None or system_prompt.prompt_version != version_for(member):
        is_new = system_prompt is None
        system_prompt = store_system_prompt(run.session_id, about, member, is_new=is_new, flagged=earlier.always_sent)
    return prompt_of(run, member, earlier, system_prompt)


def store_context(
    run: ClaimedRun, question: EarlierMessage, context: str, records: str, read: Collection[Ref]
) -> EarlierMessage:
    """Writes what was retrieved for a question, once, and returns the question with what is stored.

    The conversation is marked if some of what was `read` is untrusted.
    """
    stored = {"retrieved": context, "records": records, "message": question.id}
    with connection.cursor() as cursor:
        cursor.execute(_RETRIEVED, untrusted.values(run.account.workspace_id, run.session_id, read) | stored)
        if cursor.rowcount == 0:  # Another process was first: one of the two was taken for dead.
            context, records = Message.objects.values_list("retrieved", "records").get(pk=question.id)
    return question._replace(retrieved=context, records=records)


def store_system_prompt(
    session_id: uuid.UUID, about: Object | None, member: Member, *, is_new: bool, flagged: bool
) -> Message:
    """Writes levels 1 and 2; only level 1 unless it `is_new`. `flagged`: some records are always sent."""
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
    with connection.cursor() as cursor:
        cursor.execute(
            _STORE, untrusted.values(member.workspace.pk, session_id, read) | {"rows": row_store.as_json([message])}
        )
        message.pk, message.records = cursor.fetchone()
    return message
