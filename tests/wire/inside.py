"""All that the story takes from inside the product: the model that answers, and what it may be made to say.

Everything else goes through doors.
"""

from collections.abc import AsyncGenerator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from chat.concurrency import database
from chat.engine import calling
from chat.engine.available_models import configured
from chat.providers.demo.provider import DemoProvider
from chat.providers.model_request import ModelRequest
from chat.providers.pieces import Piece, ReasoningDelta, Retrying, TextDelta
from chat.providers.provider_error import ProviderError
from tests.chat.inprocess import Model

DOWN = ProviderError("server_error", "down", retryable=True)
TRIED_AGAIN = Retrying(2, 0.5, DOWN)


class Voice(Model):
    """The demo's model, or, once a test says something, what that says.

    The demo's words come in one piece, so that no event is merged with another one by chance.
    """

    scripted = False

    def says(self, *pieces: Piece | Exception | str) -> None:
        self.scripted = True
        self.say(*pieces)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        if self.scripted:
            async for piece in super().stream(request):
                yield piece
            return
        for piece in _joined([piece async for piece in DemoProvider(self.config, delay_s=0).stream(request)]):
            yield piece


def _joined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    last: Piece | None = None
    for piece in pieces:
        if isinstance(piece, TextDelta | ReasoningDelta) and type(last) is type(piece):
            last = type(piece)(last.text + piece.text)  # type: ignore[union-attr]
            continue
        if last is not None:
            yield last
        last = piece
    if last is not None:
        yield last


def voice(monkeypatch: pytest.MonkeyPatch) -> Voice:
    """The model that every run in this process asks. The tools that it calls answer one after the other."""
    monkeypatch.setattr(database.in_tool_thread, "_pool", ThreadPoolExecutor(1))
    found = Voice(configured().resolve())
    monkeypatch.setattr(calling, "provider_for", lambda _config: found)
    return found
