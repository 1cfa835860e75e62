"""The models this site may use, as Django's settings name them. Asked by the engine, the API and the system checks."""

import asyncio
import os
from collections import ChainMap
from collections.abc import Mapping
from weakref import WeakKeyDictionary

from django.conf import settings

from chat.providers import configured_models
from chat.providers.building import build
from chat.providers.circuit import Circuit
from chat.providers.configured_models import ConfiguredModels
from chat.providers.provider import Provider, ProviderConfig
from chat.spending import entered_prices

_providers: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[ProviderConfig, Provider]] = WeakKeyDictionary()
_circuits: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, int], Circuit]] = WeakKeyDictionary()


def configured() -> ConfiguredModels:
    """The models that are configured now; keys and addresses are read from the environment each time."""
    return ConfiguredModels(
        settings.CHAT_PROVIDERS,
        _environ(),
        entered_prices.present(),
        idle_timeout_s=settings.STREAM_IDLE_TIMEOUT_S,
        total_timeout_s=settings.MODEL_CALL_TIMEOUT_S,
    )


def problems() -> list[str]:
    """What is wrong with the settings, in sentences that say what to do."""
    return configured_models.problems(settings.CHAT_PROVIDERS, _environ())


def addresses() -> dict[str, str]:
    """The addresses of vendors that the environment gives, by their variables."""
    return configured_models.addresses(settings.CHAT_PROVIDERS, _environ())


def _environ() -> Mapping[str, str]:
    named = ("LLM_PROVIDER", "LLM_MODEL", "EMBEDDING_PROVIDER")
    return ChainMap({name: getattr(settings, name) for name in named}, os.environ)


def provider_for(config: ProviderConfig) -> Provider:
    """The one provider of this event loop for a configuration. Call it within the loop that will use it."""
    of_this_loop = _providers.setdefault(asyncio.get_running_loop(), {})
    if config not in of_this_loop:
        of_this_loop[config] = build(config)
    return of_this_loop[config]


def circuit_for(provider: str, workspace_id: int) -> Circuit:
    """What this event loop's runs of a workspace have seen of a provider."""
    return _circuits.setdefault(asyncio.get_running_loop(), {}).setdefault((provider, workspace_id), Circuit())


async def close_providers() -> None:
    """Gives back the HTTP clients of this event loop; a process calls it when it stops."""
    for provider in _providers.pop(asyncio.get_running_loop(), {}).values():
        await provider.close()
