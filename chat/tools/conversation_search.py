"""The tool that searches conversations: those that the person may read, whatever they are about."""

import re
from collections.abc import Collection, Sequence
from datetime import date, datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from pydantic import Field

from chat.models import Message
from chat.rights.conversations import is_shared
from chat.searching.messages import Asked, around, found, texts_for
from chat.tools.object_reading import moment_of, object_of
from chat.tools.results import SHORT_CHARS, fitting
from chat.tools.tool import Arguments, ReadTool, ToolContext, ToolFailed
from chat.tools.written_by_people import written_by_people
from graphs.objects.refs import Ref, RefText
from rag.texts.shortening import cut

MAX_FOUND = 20
_DAYS = re.compile(r"(\d{1,5})d")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")

Text = Annotated[str, Field(min_length=1, max_length=200)]


class SearchArguments(Arguments):
    query: Annotated[str, Field(min_length=1, max_length=500, description="Words that one message has.")]
    object: RefText | None = Field(None, description="Only conversations about this object.")
    person: Text | None = Field(None, description="Only of the person with this name.")
    period: Text | None = Field(None, description='"7d" for the last 7 days, 2026-03-31, or 2026-03-01/2026-03-31.')


class SearchConversations(ReadTool[SearchArguments]):
    name = "search_conversations"
    badge = ("search", _("Searched conversations"))
    description = "Finds messages in the person's other conversations by their words, the latest first."
    arguments = SearchArguments
    shown_by_links = False

    def run(self, context: ToolContext, arguments: SearchArguments) -> dict[str, Any]:
        if context.session_id and is_shared(context.session_id):
            raise ToolFailed("Others read this conversation: what was said elsewhere is not told in it.")
        about = object_of(context, arguments.object) if arguments.object is not None else None
        ref = Ref(about.type, about.key) if about else None
        period = _period(arguments.period) if arguments.period is not None else (None, None)
        messages, complete = found(_others(context), Asked(arguments.query, ref, arguments.person or "", *period))
        rows = list(messages.order_by("-created_at", "-pk")[: MAX_FOUND + 1])
        by_people = _by_people(rows)
        me = context.member.user
        shown = fitting(rows[:MAX_FOUND], lambda message: _row(message, arguments.query, message.pk in by_people, me))
        if not shown:
            return {"messages": [], "note": "No other conversation of this person has a message with all these words."}
        note = "There are more: give more words, an object or a period."
        return {"messages": shown} | ({"note": note} if len(shown) < len(rows) or not complete else {})


def _others(context: ToolContext) -> QuerySet[Message]:
    """What a model may see of the conversations that the person may read, but of the one that is going on."""
    messages = texts_for(context.member).filter(exclude_from_prompt=False)
    return messages.exclude(in_prompt=Message.InPrompt.LEFT_OUT).exclude(session=context.session_id)


def _period(text: str) -> tuple[datetime, datetime]:
    """The first moment and the end of a period. Raises `ToolFailed`."""
    if days := _DAYS.fullmatch(text.strip()):
        now = timezone.now()
        return now - timedelta(days=min(int(days[1]), now.toordinal() - 1)), now + timedelta(days=1)
    first, _slash, last = text.strip().partition("/")
    begin, end = moment_of(first), moment_of(last or first)
    if begin is None or end is None or begin > end:
        raise ToolFailed("The period ends before it begins: write 7d, 2026-03-31, or 2026-03-01/2026-03-31.")
    is_day = _DATE.fullmatch(last or first) and end.date() < date.max
    return begin, end + (timedelta(days=1) if is_day else timedelta())


def _by_people(rows: Sequence[Message]) -> Collection[UUID]:
    """The keys of those that people wrote themselves."""
    return set(written_by_people(Message.objects.filter(pk__in=[row.pk for row in rows])).values_list("pk", flat=True))


def _row(message: Message, query: str, by_person: bool, me: User) -> dict[str, Any]:
    """A message with the words around the place that was found, and who wrote it, if that was somebody else.

    Of a conversation that read something nobody had looked through only what people wrote is told: the rest would get
    here unmarked.
    """
    session = message.session
    about = session.context
    told = by_person or session.untrusted_since is None
    writer = (message.author or session.owner) if message.role == Message.Role.USER else me
    return {
        "session": str(session.pk),
        "title": cut(session.title, SHORT_CHARS),
        **({"about": str(about)} if about else {}),
        "when": message.created_at.isoformat(timespec="seconds"),
        "from": "person" if message.role == Message.Role.USER else "assistant",
        **({"author": writer.get_username()} if writer != me else {}),
        "snippet": around(message.content, query) if told else "(not shown: it may rest on something from outside)",
    }


SEARCH_CONVERSATIONS = SearchConversations()
