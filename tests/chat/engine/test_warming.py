import asyncio

import pytest
from django.db import OperationalError
from django.test import override_settings

from chat.engine import available_models, warming
from chat.prompts import versions
from rag.embeddings import embedding_models

pytestmark = pytest.mark.django_db(transaction=True)


def warmed() -> int:
    """How many providers the process has then."""

    async def run() -> int:
        await warming.warm_up()
        count = len(available_models._providers.get(asyncio.get_running_loop(), {}))
        await available_models.close_providers()
        return count

    return asyncio.run(run())


def test_it_builds_the_default_provider_unless_it_is_not_configured() -> None:
    with override_settings(LLM_PROVIDER="demo"):
        assert warmed() == 1
    with override_settings(LLM_PROVIDER="openai"):
        assert warmed() == 0


def test_it_describes_all_tools() -> None:
    versions._digest.cache_clear()
    warmed()
    assert versions._digest.cache_info().currsize == 1


def test_it_loads_what_embeds_questions_unless_the_database_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def away() -> None:
        asked.append(1)
        raise OperationalError

    monkeypatch.setattr(embedding_models, "warm_up", away)
    asyncio.run(warming.load_embedder())
    assert asked == [1]
