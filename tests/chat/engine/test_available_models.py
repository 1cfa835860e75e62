import asyncio

import pytest
from django.conf import settings
from django.test import override_settings

from chat.engine import available_models
from chat.providers.demo.provider import DemoProvider

KEYS = ("DEEPSEEK", "OPENAI", "ANTHROPIC", "CUSTOM")


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        for suffix in ("API_KEY", "BASE_URL", "MODEL"):
            monkeypatch.delenv(f"{name}_{suffix}", raising=False)


def test_it_falls_back_to_the_demo():
    with override_settings(LLM_PROVIDER="", LLM_MODEL=""):
        assert available_models.configured().resolve().name == "demo"


def test_it_reads_keys_from_the_environment_and_names_from_settings(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with override_settings(LLM_PROVIDER="anthropic", LLM_MODEL="m1", STREAM_IDLE_TIMEOUT_S=7):
        config = available_models.configured().resolve()
    assert (config.name, config.model, config.max_tokens, config.idle_timeout_s) == ("anthropic", "m1", 4096, 7)


@pytest.mark.parametrize("name", ["deepseek", "openai", "openai-mini", "anthropic", "demo"])
def test_it_has_the_providers_with_prices(name, monkeypatch):
    for key in KEYS:
        monkeypatch.setenv(f"{key}_API_KEY", "k")
    config = available_models.configured().resolve(name)
    assert config.price is not None
    assert config.model == settings.CHAT_PROVIDERS[name]["model"]


def test_it_keeps_one_provider_for_each_loop():
    async def twice():
        config = available_models.configured().resolve("demo")
        first, second = available_models.provider_for(config), available_models.provider_for(config)
        assert first is second
        await available_models.close_providers()
        assert available_models.provider_for(config) is not first
        return first

    first, other = asyncio.run(twice()), asyncio.run(twice())
    assert isinstance(first, DemoProvider)
    assert first is not other
