"""The demo searches the person's other conversations, by words, person and period, and says where nothing is."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from chat.models import Message, Session, Stream
from tests.chat.providers.demo.conversing import Conversation
from tests.seeded import World, world

pytestmark = pytest.mark.django_db


@pytest.fixture
def here() -> World:
    return world()


def said(here: World, text: str, days: int = 0, **values: Any) -> Session:
    owner = values.pop("owner", here.alice.user)
    workspace = here.alice.workspace
    stream = Stream.objects.create(name=f"said-{Session.objects.count()}", workspace=workspace)
    session = Session.objects.create(workspace=workspace, owner=owner, stream=stream, title=f"Talk of {days}", **values)
    made = Message.objects.create(session=session, sequence=1, role=Message.Role.USER, content=text)
    Message.objects.filter(pk=made.pk).update(created_at=timezone.now() - timedelta(days=days))
    return session


@pytest.mark.parametrize(
    ("question", "arguments"),
    [
        ("Search my conversations for helium", {"query": "helium"}),
        ("Search my conversations for “helium balloon”", {"query": "helium balloon"}),
        ("Search my conversations about helium from last week", {"query": "helium", "period": "7d"}),
        ("Search my conversations for helium last week", {"query": "helium", "period": "7d"}),
        ("What did we say about helium yesterday?", {"query": "helium", "period": "2d"}),
        ("What did I say about helium since 2026-03-01?", {"query": "helium", "period": "2026-03-01/9998-12-31"}),
        ("What did we say about helium on 2026-03-31?", {"query": "helium", "period": "2026-03-31"}),
        ("What did we say about helium between 2026-03-01 and 2026-03-31?",
         {"query": "helium", "period": "2026-03-01/2026-03-31"}),
        ("Find conversations about helium with Alice", {"query": "helium", "person": "Alice"}),
        ("Find conversations about helium with Alice last month",
         {"query": "helium", "person": "Alice", "period": "31d"}),
        ("Cherche dans mes conversations hélium", {"query": "hélium"}),
        ("Cherche dans mes conversations ce qui parle de hélium cette semaine", {"query": "hélium", "period": "7d"}),
        ("Qu'avons-nous dit sur hélium hier ?", {"query": "hélium", "period": "2d"}),
        ("Qu'avons-nous dit sur hélium depuis le 2026-03-01 ?",
         {"query": "hélium", "period": "2026-03-01/9998-12-31"}),
        ("Y a-t-il des conversations sur hélium avec Alice ?", {"query": "hélium", "person": "Alice"}),
    ],
)  # fmt: skip
def test_words_person_and_period_are_taken_apart(here: World, question: str, arguments: dict[str, str]) -> None:
    talk = Conversation(here.alice, None)
    talk.ask(question)
    assert talk.calls == [("search_conversations", arguments)]


def test_what_was_said_is_told_with_its_conversation(here: World) -> None:
    said(here, "The helium balloon needs a permit.", context_type="graph", context_id="nba")
    said(here, "An old helium balloon.", days=20)
    talk = Conversation(here.alice, None)
    answer = talk.ask("Search my conversations for helium")
    assert "*Talk of 0*" in answer
    assert "{{graph:nba}}" in answer
    assert answer.index("needs a permit") < answer.index("An old helium")
    answer = talk.ask("What did we say about helium last week?")
    assert "needs a permit" in answer
    assert "old" not in answer


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Search my conversations for zeppelin last week", "no message with all these words: “zeppelin”, last week"),
        ("Cherche dans mes conversations zeppelin", "aucun message avec tous ces mots : « zeppelin »"),
        ("Search my conversations", "Say which words"),
        ("Cherche dans mes conversations", "Dites quels mots"),
    ],
)
def test_nothing_found_is_said(here: World, question: str, told: str) -> None:
    assert told in Conversation(here.alice, None).ask(question).replace("\u202f", " ")


def test_those_of_others_are_not_found(here: World) -> None:
    said(here, "Helium of somebody else.", owner=here.charlie.user)
    assert "no message" in Conversation(here.alice, None).ask("Search my conversations for helium")


def test_it_searches_from_a_conversation_about_a_graph(here: World) -> None:
    said(here, "The helium balloon.")
    talk = Conversation(here.alice, here.nba)
    assert "helium" in talk.ask("Search my conversations for helium")
    assert [name for name, _arguments in talk.calls] == ["load_object_tools", "search_conversations"]
