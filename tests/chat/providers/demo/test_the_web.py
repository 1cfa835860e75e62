"""The demo searches the web and reads pages of it, where there is an engine: here those in the repository."""

import re
from typing import Any

import pytest

from chat.providers.demo.provider import _outcome
from chat.providers.demo.sentences import Phrases
from tests.chat.providers.demo.conversing import Conversation
from tests.seeded import world

pytestmark = pytest.mark.django_db


@pytest.fixture
def talk(settings: Any) -> Conversation:
    settings.SEARCH_PROVIDER = "demo"
    return Conversation(world().alice, None)


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("Search the web for picking routes", "picking routes"),
        ("Look up picking routes on the internet", "picking routes"),
        ("What does the web say about picking routes?", "picking routes"),
        ("Cherche sur le web picking routes", "picking routes"),
        ("Recherche picking routes sur internet", "picking routes"),
    ],
)
def test_it_searches_and_cites(talk: Conversation, question: str, query: str) -> None:
    answer = talk.ask(question)
    assert talk.calls == [("web_search", {"query": query})]
    assert "[Shorter picking routes in warehouses](<https://pages.example/picking-routes>)" in answer
    assert "<data" not in answer


@pytest.mark.parametrize(
    "question",
    ["Read https://pages.example/delivery-times", "Please open the page https://pages.example/delivery-times.",
     "What does https://pages.example/delivery-times say?", "Lis la page https://pages.example/delivery-times"],
)  # fmt: skip
def test_it_reads_a_page(talk: Conversation, question: str) -> None:
    answer = talk.ask(question)
    assert talk.calls == [("web_extract", {"url": "https://pages.example/delivery-times"})]
    assert re.search(r"\[Telling customers when a parcel comes\]\(<https://pages.example/delivery-times>\)", answer)
    assert "A window of two hours" in answer


def test_it_says_what_is_not_there(talk: Conversation, settings: Any) -> None:
    assert "nothing about “zeppelins”" in talk.ask("Search the web for zeppelins")
    assert "cannot be done" in talk.ask("Read http://localhost/")
    settings.SEARCH_PROVIDER = ""
    assert "names no search engine" in talk.ask("Search the web for zeppelins")


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ({"proposalId": "1", "status": "applied", "note": "A person lets this address be read."}, "may be read"),
        ({"proposalId": "1", "status": "rejected"}, "rejected"),
        ({"proposalId": "1", "status": "applied", "changes": 2}, "changes recorded: 2"),
    ],
)
def test_it_tells_late_decisions(result: dict[str, Any], said: str) -> None:
    assert said in _outcome(result, Phrases("en"))
