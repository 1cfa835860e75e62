"""Tries a version of a prompt on an object: a conversation of the person, asked once, in which nothing is changed."""

from django.conf import settings
from django.db import transaction
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from chat.actions.conversations import new_session, require_model
from chat.actions.managing_prompts import usable_prompt_for
from chat.actions.refusals import Refused
from chat.engine import untrusted
from chat.engine.runs import Accepted, new_run, queued, start
from chat.events.vocabulary import NewEvent
from chat.managed_prompts import versions
from chat.managed_prompts.values import values_for
from chat.managed_prompts.variables import ASKS
from chat.models import Message
from graphs.objects.kinds import KINDS
from graphs.objects.refs import Ref
from graphs.site.access import Member


def try_version(member: Member, key: str, number: int, about: Ref, model: str = "") -> Accepted:
    """Asks a model with the version, filled with the values of an object. Raises `NotFound`, `Forbidden`, `Refused`."""
    version = versions.version_for(member.workspace, key, number)
    usable_prompt_for(member, key)
    wanted = ASKS[version.prompt.type].about
    if about.type != wanted:
        sentence = _("This prompt is about objects of the kind “{kind}”.")
        raise Refused("validation", sentence.format(kind=KINDS[wanted].label), field="context.type")
    values = values_for(member, about, version.variables)
    text = versions.render(version, get_language() or "en", values.texts).text
    asked_model = model or version.model
    require_model(member, asked_model)
    if len(text) > settings.MAX_MESSAGE_CHARS:
        raise Refused("validation", _("With its values this prompt is too long to be sent. Shorten its text."))
    with transaction.atomic():
        title = _("Try of {prompt}").format(prompt=version)
        session = new_session(member, about, asked_model, title)
        question = Message(
            session=session, sequence=1, role=Message.Role.USER, content=text, prompt_version=str(version)
        )
        trigger = {"event": "UserMessageSent"}
        run = new_run(session, member.user, 2, trigger, asked_with=version, reads_only=True)
        events = [
            NewEvent("user_message", {"content": text}, question.pk, run.pk),
            queued(run),
            NewEvent("session_updated", {"title": session.title, "model": session.model}),
        ]
        accepted = start(run, member, events, resting=True, question=question)
        untrusted.mark(member.workspace.pk, session.pk, values.read)
        return accepted
