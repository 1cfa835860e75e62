"""What `manage.py check` says about the embedding model and about who takes down events."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register
from django.utils.module_loading import import_string

from rag.embeddings import embedding_models


@register()
def embedder_is_usable(**_options: Any) -> list[CheckMessage]:
    """A warning if the embedding model is not usable; without one everything else works."""
    name = embedding_models.configured()
    try:
        if name:
            embedding_models.by_name(name)
    except embedding_models.EmbedderUnavailable as problem:
        return [Warning(f"Questions find nodes by words alone: {problem}", id="rag.W001")]
    return []


@register()
def log_sink_is_there(**_options: Any) -> list[CheckMessage]:
    try:
        usable = not settings.AI_LOG_SINK or callable(import_string(settings.AI_LOG_SINK))
    except ImportError:
        usable = False
    sentence = (
        f"AI_LOG_SINK names no function: {settings.AI_LOG_SINK!r}. Give the dotted path of one that takes a dict."
    )
    return [] if usable else [Error(sentence, id="rag.E001")]
