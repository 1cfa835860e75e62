"""Stores what a conversation is asked with, before its model is asked: the context of the question, the system prompt.

Both stay as they were stored, so that the prefix of every later request has the same bytes.
"""

import uuid

from chat.engine.claims import ClaimedRun
from chat.engine.prompt_loading import Earlier, Prompt, prompt_needs, prompt_of, read_earlier
from chat.models import Message
from chat.prompts import always_sent
from chat.prompts.question import context_text
from chat.prompts.system import system_prompt as system_prompt_for
from chat.prompts.versions import version_for
from graphs.models import Object
from graphs.site.access import Member
from rag.sources.registry import source_of
from rag.sources.workspace import workspace_block


def enrich(run: ClaimedRun, member: Member) -> Prompt:
    """Stores what is not stored yet, and returns the prompt. Raises `ContextGone`."""
    earlier = read_earlier(run, member)
    question, context = earlier.question, ""
    if question is not None and not question.retrieved:
        context = _context(question, earlier.about, run, member)
    needs = prompt_needs(run.account)
    if question is not None and context:
        _store_context(question, context, member, earlier, flagged=needs.always_sent)
    system_prompt = earlier.system_prompt
    if system_prompt is None or system_prompt.prompt_version != version_for(member):
        system_prompt = store_system_prompt(
            run.session_id, earlier.about, member, is_new=system_prompt is None, flagged=needs.always_sent
        )
    return prompt_of(run, member, earlier, system_prompt, needs)


def _context(question: Message, about: Object | None, run: ClaimedRun, member: Member) -> str:
    """What is looked up for a question; never empty."""
    if about is None:
        return context_text(workspace_block(member))
    return context_text(source_of(about.type).retrieve(member, about, question.content, run.account))


def _store_context(question: Message, context: str, member: Member, earlier: Earlier, *, flagged: bool) -> None:
    """Stores the context with the question, once, and the records always sent if they have changed.

    `flagged`: the workspace may have such records.
    """
    changed = ""
    if earlier.system_prompt is not None:
        changed = always_sent.since_then(member, earlier.messages, flagged=flagged)
    if Message.objects.filter(pk=question.pk, retrieved="").update(retrieved=context, records=changed):
        question.retrieved, question.records = context, changed
    else:  # another process was first: one of the two was taken for dead
        question.refresh_from_db(fields=["retrieved", "records"])


def store_system_prompt(
    session_id: uuid.UUID, about: Object | None, member: Member, *, is_new: bool, flagged: bool
) -> Message:
    """Writes levels 1 and 2 of a conversation; only level 1 if the version or the role has changed since.

    `flagged`: the workspace may have records that are always sent.
    """
    written = {
        "role": Message.Role.SYSTEM,
        "kind": Message.SYSTEM_PROMPT,
        "content": system_prompt_for(about, member),
        "prompt_version": version_for(member),
        "exclude_from_prompt": True,
    }
    records = {"records": always_sent.at_the_beginning(member, flagged=flagged)} if is_new else {}
    # Another process may have been first, and a summary may have moved later records there since.
    message, _created = Message.objects.update_or_create(
        session_id=session_id, sequence=0, defaults=written, create_defaults=written | records
    )
    return message
