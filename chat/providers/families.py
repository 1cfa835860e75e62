"""Whether an author is the vendor or model that is asked: signed thinking is for the model that wrote it only."""

import re

from chat.providers.provider import ProviderConfig

#: A snapshot of a model is of its family: claude-haiku-4-5-20251001, gpt-5-2025-08-07.
_SNAPSHOT = re.compile(r"-(20\d{6}|20\d\d-\d\d-\d\d)$")


def same_vendor(config: ProviderConfig, author: str) -> bool:
    """Whether `author`, "provider:model", is of the vendor (and key) of `config`; ":model" counts as such."""
    provider = author.partition(":")[0]
    return not provider or provider.partition("-")[0] == config.name.partition("-")[0]


def same_family(config: ProviderConfig, author: str) -> bool:
    """Whether `author` is the model of `config`, perhaps another snapshot of it."""
    model = author.partition(":")[2]
    return same_vendor(config, author) and _SNAPSHOT.sub("", model) == _SNAPSHOT.sub("", config.model)
