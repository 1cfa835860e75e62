"""The most that a call can take: no text that could be sent has more tokens than its bound."""

import base64
import random

import pytest

from chat.providers.estimating import prompt_bound, tokens_of
from chat.providers.model_request import ModelRequest, PromptMessage
from chat.spending.calls import counted
from rag.texts.tokens import count_tokens

WORDS = "Fetches the games of today and writes what is new into the table. " * 30
_noise = random.Random(5).randbytes(3_000)
DENSE = {
    "base64": base64.b64encode(_noise).decode(),
    "hex": _noise.hex(),
    "signs": "".join(chr(33 + byte % 15) for byte in _noise),
    "controls": "".join(chr(1 + byte % 8) for byte in _noise),
    "emoji": "".join(chr(0x1F300 + byte) for byte in _noise),
    "chinese": "".join(chr(0x4E00 + 7 * byte) for byte in _noise),
}


@pytest.mark.parametrize("text", [WORDS, *DENSE.values()], ids=["words", *DENSE])
def test_no_text_has_more_tokens_than_its_bound(text: str) -> None:
    request = ModelRequest((PromptMessage("user", text),), (), "any", 100)
    assert prompt_bound(request) >= prompt_bound(request, counted) >= count_tokens(text)


def test_what_is_counted_lets_words_through_that_their_bytes_would_not() -> None:
    assert counted(WORDS) <= len(WORDS) / 2
    assert counted(DENSE["signs"]) == len(DENSE["signs"])


@pytest.mark.parametrize(
    "text",
    [WORDS, "它每天读取比赛并把新的写入表格。" * 30, "Он читает игры дня и пишет новое. " * 30],
    ids=["en", "zh", "ru"],
)
def test_an_estimate_is_near_what_is_counted_in_any_writing(text: str) -> None:
    estimate = tokens_of(ModelRequest((PromptMessage("user", text),), (), "any", 100))
    assert 0.6 < estimate / count_tokens(text) < 1.7
