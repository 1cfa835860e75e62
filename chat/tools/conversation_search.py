"""The tool that searches conversations: those of the person, whatever they are about."""

import re
from datetime import date, datetime, timedelta
from typing import Annotated, Any

from django.contrib.postgres.search import SearchQuery, SearchVector
from django.db.models import Q, QuerySet
from django.db.models.functions import Left
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from pydantic import Field

from chat.models import Message, SessionType
from chat.tools.object_reading import moment_of, object_of
from chat.tools.results import SHORT_CHARS, fitting
from chat.tools.tool import Arguments, ReadTool, ToolContext, ToolFailed
from graphs.objects.refs import RefText
from rag.texts.shortening import cut

MAX_FOUND = 20
#: Characters of a message that are searched, and around the place that was found.
SEARCHED_CHARS = 100_000
AROUND_CHARS = 120
#: How the words of messages are taken apart: in no language, as they are in several.
_CONFIG = "simple"
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

    def run(self, context: ToolContext, arguments: SearchArguments) -> dict[str, Any]:
        messages = _own(context)
        if arguments.object is not None:
            about = object_of(context, arguments.object)
            messages = messages.filter(session__context_type=about.type, session__context_id=about.key)
        if arguments.person is not None:
            messages = messages.filter(_called(arguments.person))
        if arguments.period is not None:
            begin, end = _period(arguments.period)
            messages = messages.filter(created_at__gte=begin, created_at__lt=end)
        words = SearchQuery(arguments.query, config=_CONFIG, search_type="websearch")
        text = SearchVector(Left("content", SEARCHED_CHARS), config=_CONFIG)
        found = messages.annotate(told_words=text).filter(told_words=words).select_related("session")
        rows = list(found.order_by("-created_at", "-pk")[: MAX_FOUND + 1])
        shown = fitting(rows[:MAX_FOUND], lambda message: _row(message, arguments.query))
        if not shown:
            return {"messages": [], "note": "No other conversation of this person has a message with all these words."}
        note = "There are more: give more words, an object or a period."
        return {"messages": shown} | ({"note": note} if len(shown) < len(rows) else {})


def _own(context: ToolContext) -> QuerySet[Message]:
    """What a model may see of the conversations of the person in this workspace, but of the one that is going on."""
    messages = Message.objects.filter(
        session__owner=context.member.user,
        session__workspace=context.member.workspace,
        session__hidden_at=None,
        session__workspace__memberships__user=context.member.user,
        kind=Message.TEXT,
        exclude_from_prompt=False,
    )
    messages = messages.exclude(session__type=SessionType.GENERATION)
    return messages.exclude(in_prompt=Message.InPrompt.LEFT_OUT).exclude(session=context.session_id)


def _called(name: str) -> Q:
    """Who has this name, or all its words in their names."""
    wanted = Q()
    for word in name.split():
        here = (f"session__owner__{column}__icontains" for column in ("username", "first_name", "last_name"))
        some = Q()
        for column in here:
            some |= Q(**{column: word})
        wanted &= some
    return wanted


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


def _row(message: Message, query: str) -> dict[str, Any]:
    """A message with the words around the place that was found.

    What a model answered in a conversation that read something nobody had looked through is not told: it would get
    here unmarked.
    """
    session = message.session
    by_person = message.role == Message.Role.USER
    about = session.context
    told = by_person or session.untrusted_since is None
    return {
        "session": str(session.pk),
        "title": cut(session.title, SHORT_CHARS),
        **({"about": str(about)} if about else {}),
        "when": message.created_at.isoformat(timespec="seconds"),
        "from": "person" if by_person else "assistant",
        "snippet": _around(message.content, query) if told else "(not shown: it may rest on something from outside)",
    }


def _around(text: str, query: str) -> str:
    """What stands around the first of the words."""
    lower = text.lower()
    places = [at for word in re.findall(r"\w+", query.lower()) if (at := lower.find(word)) >= 0]
    at = min(places, default=0)
    begin = max(at - AROUND_CHARS, 0)
    return ("…" if begin else "") + cut(" ".join(text[begin:].split()), 2 * AROUND_CHARS)


SEARCH_CONVERSATIONS = SearchConversations()
