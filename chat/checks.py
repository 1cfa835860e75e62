"""What `manage.py check`, the log of a start and administrators' pages say about models that cannot work."""

from typing import Any

from django.core.checks import CheckMessage, Error, register

from chat.engine import available_models
from rag.checks import embedder_is_usable


@register()
def models_are_usable(**_options: Any) -> list[CheckMessage]:
    return [Error(sentence, id="chat.E001") for sentence in available_models.problems()]


def problems() -> list[str]:
    """Sentences about models that are asked for and cannot work, in English; none when all is well."""
    return [check.msg for check in (*models_are_usable(), *embedder_is_usable())]
