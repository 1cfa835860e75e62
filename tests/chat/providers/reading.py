"""Reads answers in tests: requests, configurations for the scripted vendor, and pieces folded to replies."""

import asyncio
from collections.abc import Iterable
from contextlib import aclosing
from typing import Any

from chat.providers.building import build
from chat.providers.decoding import Decoder
from chat.providers.model_request import ModelRequest, PromptMessage
from chat.providers.pieces import Piece, Reply, fold
from chat.providers.provider import ProviderConfig
from chat.providers.provider_error import ProviderError
from tests.vendors import VendorServer

KEY = "sk-test-4f9d2c7b1a"
KINDS = ("openai", "anthropic", "openai-responses")


def request_of(text: str = "Hello", **fields: Any) -> ModelRequest:
    whole = {"messages": (PromptMessage("user", text),), "tools": (), "model": "scripted", "max_tokens": 1000}
    return ModelRequest(**{**whole, **fields})


def config_for(kind: str, vendor: VendorServer, **fields: Any) -> ProviderConfig:
    base_url = vendor.anthropic_url if kind == "anthropic" else vendor.openai_url
    return ProviderConfig("scripted", kind, base_url, "scripted", 1000, None, api_key=KEY, **fields)  # type: ignore[arg-type]


def folded(pieces: Iterable[Piece]) -> Reply:
    reply = Reply()
    for piece in pieces:
        reply = fold(reply, piece)
    return reply


def decode(decoder: Decoder, chunks: Iterable[bytes]) -> tuple[Reply, str]:
    """The reply as far as it came, and the code of the error that ended it, or ""."""
    reply = Reply()
    try:
        for chunk in chunks:
            for piece in decoder.feed(chunk):
                reply = fold(reply, piece)
            if decoder.done:
                break
        for piece in decoder.close():
            reply = fold(reply, piece)
    except ProviderError as error:
        return reply, error.code
    return reply, ""


def ask(config: ProviderConfig, request: ModelRequest | None = None) -> list[Piece]:
    """All pieces of one answer, with a provider of its own."""
    return asyncio.run(_ask(config, request or request_of()))


async def _ask(config: ProviderConfig, request: ModelRequest) -> list[Piece]:
    provider = build(config)
    try:
        async with aclosing(provider.stream(request)) as pieces:
            return [piece async for piece in pieces]
    finally:
        await provider.close()
