from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from chat.engine.claims import ClaimedRun
from chat.engine.enriching import enrich, store_system_prompt
from chat.engine.prompt_loading import load_prompt
from chat.models import AlwaysSend, Message, Session
from graphs.models import Graph
from graphs.site.access import member_of
from rag.sources.block import Block
from rag.sources.graphs.source import SourceOfGraphs
from tests.chat.admin.talk import talk
from tests.chat.engine.driving import Bystander, ask

pytestmark = pytest.mark.django_db


@pytest.fixture
def session(alice: User, nba: Graph) -> Session:
    return talk(alice, nba.workspace).session


def test_who_comes_late_does_not_bring_old_records_back(session: Session, alice: User, nba: Graph) -> None:
    """A process that slept read the messages before level 2 was there, and writes it after a summary was made."""
    late = {"is_new": True, "flagged": False}
    store_system_prompt(session.pk, nba, member_of(alice), **late)
    Message.objects.filter(session=session, sequence=0).update(records="Later records")
    system_prompt, _question = store_system_prompt(session.pk, nba, member_of(alice), **late)
    assert system_prompt.records == "Later records"
    assert Message.objects.get(session=session, sequence=0).records == "Later records"


def reads_only(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
    assert sql.lstrip().startswith("SELECT"), sql
    return execute(sql, *rest)


@pytest.mark.django_db(transaction=True)
def test_what_was_enriched_is_loaded_without_writing(bystander: Bystander, alice: User, nba: Graph) -> None:
    AlwaysSend.objects.create(workspace=nba.workspace, object_type="graph", object_key="nba")
    ask(alice, "What does it do?")
    run: ClaimedRun = bystander.adopted[0]
    enriched = enrich(run, member_of(alice))
    assert [message.role for message in enriched.messages] == ["system", "system", "user"]
    with connection.execute_wrapper(reads_only):
        loaded = load_prompt(run, member_of(alice))
    assert (loaded.messages, loaded.tools, loaded.version) == (enriched.messages, enriched.tools, enriched.version)
    assert enrich(run, member_of(alice)).messages == enriched.messages


@pytest.mark.django_db(transaction=True)
def test_who_comes_second_asks_with_the_context_that_is_stored(
    bystander: Bystander, alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(alice, "What does it do?")
    run: ClaimedRun = bystander.adopted[0]
    questions = Message.objects.filter(session=run.session_id, role=Message.Role.USER)
    retrieve = SourceOfGraphs.retrieve

    def as_another_stores(*given: Any) -> Block:
        questions.update(retrieved="Stored first.")
        return retrieve(*given)

    monkeypatch.setattr(SourceOfGraphs, "retrieve", as_another_stores)
    assert "Stored first." in enrich(run, member_of(alice)).messages[-1].content
    assert questions.get().retrieved == "Stored first."
