"""Which model the settings ask for, and what is said where it cannot be had."""

import pytest
from pytest_django import Settings

from graphs.models import Graph
from graphs.site.accounts import account_of
from rag.checks import embedder_is_usable
from rag.embeddings import embedding_models, serving_model
from rag.embeddings.embedding_models import EmbedderUnavailable
from rag.models import EmbeddingModel


@pytest.mark.parametrize(
    ("provider", "model", "name"),
    [
        ("", "", embedding_models.LOCAL_MODEL),
        ("local", "", embedding_models.LOCAL_MODEL),
        ("", "text-embedding-3-large", "openai/text-embedding-3-large"),
        ("openai", "", "openai/text-embedding-3-small"),
        ("custom", "nomic-embed-text", "custom/nomic-embed-text"),
        ("None", "text-embedding-3-large", ""),
    ],
)
def test_the_settings_name_a_model(settings: Settings, provider: str, model: str, name: str) -> None:
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_MODEL = provider, model
    assert embedding_models.configured() == name


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("local/other", "no local model"),
        ("openai/text-embedding-3-small", "OPENAI_API_KEY"),
        ("custom/tiny", "CUSTOM_BASE_URL"),
        ("custom/", "EMBEDDING_MODEL"),
        ("anthropic/claude", "makes no embeddings"),
        ("nowhere/x", "makes no embeddings"),
    ],
)
def test_what_is_missing_is_said(name: str, told: str) -> None:
    with pytest.raises(EmbedderUnavailable, match=told):
        embedding_models.by_name(name)


def test_a_key_completes_a_vendors_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    first = embedding_models.by_name("openai/text-embedding-3-large")
    assert (first.name, first.dimensions) == ("openai/text-embedding-3-large", 3072)
    assert embedding_models.by_name("openai/text-embedding-3-large") is first
    monkeypatch.setenv("OPENAI_API_KEY", "sk-2")
    assert embedding_models.by_name("openai/text-embedding-3-large") is not first


def test_an_endpoint_may_call_its_own_model_by_a_name_of_openais(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUSTOM_BASE_URL", "http://localhost:11434/v1")
    assert embedding_models.by_name("custom/text-embedding-ada-002").dimensions is None


@pytest.mark.django_db
def test_the_model_that_serves_answers_whatever_the_settings_ask_for(settings: Settings, nba: Graph) -> None:
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_MODEL = "custom", "tiny"
    serving_model.clear_cache()
    assert embedding_models.current() is None
    serving_model.ensure_model(embedding_models.by_name(embedding_models.LOCAL_MODEL), account_of(nba))
    serving_model.clear_cache()
    found = embedding_models.current()
    assert found is not None
    assert found.name == embedding_models.LOCAL_MODEL
    settings.EMBEDDING_PROVIDER = "none"
    assert embedding_models.current() is None
    serving_model.clear_cache()


@pytest.mark.django_db
def test_the_local_model_is_loaded_early_only_where_it_serves(settings: Settings, nba: Graph) -> None:
    embedding_models._local.cache_clear()
    serving_model.clear_cache()
    embedding_models.warm_up()
    assert embedding_models._local.cache_info().currsize == 0
    serving_model.ensure_model(embedding_models.by_name(embedding_models.LOCAL_MODEL), account_of(nba))
    embedding_models._local.cache_clear()
    serving_model.clear_cache()
    embedding_models.warm_up()
    assert "_loaded" in vars(embedding_models.by_name(embedding_models.LOCAL_MODEL))


@pytest.mark.django_db
def test_only_one_model_serves(settings: Settings) -> None:
    EmbeddingModel.objects.create(name="a", dimensions=1, serves=True)
    EmbeddingModel.objects.create(name="b", dimensions=1)
    serving_model.switch_to("b")
    assert serving_model.serving() == "b"
    assert list(EmbeddingModel.objects.filter(serves=True).values_list("name", flat=True)) == ["b"]
    serving_model.clear_cache()


def test_a_model_that_cannot_be_had_is_a_warning_and_stops_nothing(settings: Settings) -> None:
    settings.EMBEDDING_PROVIDER = "openai"
    (warning,) = embedder_is_usable()
    assert "by words alone" in warning.msg
    assert "OPENAI_API_KEY" in warning.msg
    settings.EMBEDDING_PROVIDER = "none"
    assert embedder_is_usable() == []


def test_a_model_that_is_named_for_nobody_is_a_warning(settings: Settings) -> None:
    for provider in ("", "local"):
        settings.EMBEDDING_PROVIDER, settings.EMBEDDING_MODEL = provider, "text-embedding-3-huge"
        (warning,) = embedder_is_usable()
        assert "EMBEDDING_MODEL" in warning.msg
        assert "EMBEDDING_PROVIDER" in warning.msg
    settings.EMBEDDING_PROVIDER = "none"
    assert embedder_is_usable() == []
