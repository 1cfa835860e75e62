"""What people read about errors."""

import pytest
from django.utils import translation

from chat.engine import error_texts
from chat.providers.provider_error import ProviderError


def test_a_model_that_is_gone_is_named_with_those_that_can_be_asked() -> None:
    with translation.override("en"):
        told = error_texts.model_unavailable("gone:x", ["openai:gpt-4o", "demo:demo"])
    assert told == "The model “gone:x” is not available. Choose another one: openai:gpt-4o, demo:demo."


@pytest.mark.parametrize(("status", "words"), [(404, "does not know the model"), (400, "Something unexpected")])
def test_a_model_that_its_vendor_does_not_know_is_no_mystery(status: int, words: str) -> None:
    with translation.override("en"):
        assert words in error_texts.sentence_for(ProviderError("internal", "no such model", status=status))
