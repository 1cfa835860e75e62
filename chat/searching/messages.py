"""Messages found by their words, in the conversations that somebody may read: for the door, the page and the tool."""

import re
from dataclasses import dataclass
from datetime import datetime

from django.contrib.postgres.search import SearchQuery, SearchVector
from django.db.models import Q, QuerySet
from django.db.models.functions import Left

from chat.models import Message
from chat.rights.conversations import readable_by
from graphs.history.searching import CONFIG, MOST_SEARCHED, SEARCHED_CHARS
from graphs.objects.refs import Ref
from graphs.site.access import Member
from rag.texts.shortening import cut

#: Characters around the place that was found.
AROUND_CHARS = 120


@dataclass(frozen=True, slots=True)
class Asked:
    """What is looked for: all of these words, perhaps about one object, of one person, from `since` until `until`."""

    words: str
    about: Ref | None = None
    person: str = ""
    since: datetime | None = None
    until: datetime | None = None


def texts_for(member: Member) -> QuerySet[Message]:
    """What was written, by people and models, in the conversations of the workspace that the member may read."""
    readable = Message.objects.filter(session__in=readable_by(member.user), session__workspace=member.workspace)
    return readable.filter(kind=Message.TEXT)


def found(messages: QuerySet[Message], asked: Asked) -> tuple[QuerySet[Message], bool]:
    """Those of the messages that have the words, and whether all were looked through: the latest are, so many."""
    if asked.about is not None:
        messages = messages.filter(session__context_type=asked.about.type, session__context_id=asked.about.key)
    if asked.person:
        messages = messages.filter(_called(asked.person))
    if asked.since is not None:
        messages = messages.filter(created_at__gte=asked.since)
    if asked.until is not None:
        messages = messages.filter(created_at__lt=asked.until)
    latest = messages.order_by("-created_at", "-pk").values("pk")
    text = SearchVector(Left("content", SEARCHED_CHARS), config=CONFIG)
    words = SearchQuery(asked.words, config=CONFIG, search_type="websearch")
    rows = Message.objects.filter(pk__in=latest[:MOST_SEARCHED]).alias(told_words=text).filter(told_words=words)
    return rows.select_related("session__owner", "author"), not latest[MOST_SEARCHED:].exists()


def around(text: str, words: str) -> str:
    """What stands around the first of the words."""
    begin = max(place_of(text, words) - AROUND_CHARS, 0)
    return ("…" if begin else "") + cut(" ".join(text[begin:].split()), 2 * AROUND_CHARS)


def place_of(text: str, words: str) -> int:
    """Where the first of the words is in a text, 0 without any; a text in lower case may be longer."""
    wanted = "|".join(map(re.escape, re.findall(r"\w+", words)))
    found = re.search(wanted, text, re.IGNORECASE)
    return found.start() if found else 0


def words_in(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _called(name: str) -> Q:
    """Of whoever has this name, or all its words in their names: who wrote it, else whose conversation it is in."""
    return Q(author=None) & _all_words(name, "session__owner") | _all_words(name, "author")


def _all_words(name: str, person: str) -> Q:
    wanted = Q()
    for word in name.split():
        some = Q()
        for column in ("username", "first_name", "last_name"):
            some |= Q(**{f"{person}__{column}__icontains": word})
        wanted &= some
    return wanted
