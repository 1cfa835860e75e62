"""What `manage.py check` says about the embedding model."""

from typing import Any

from django.core.checks import CheckMessage, Warning, register

from rag.embeddings import registry


@register()
def embedder_is_usable(**_options: Any) -> list[CheckMessage]:
    """Without one everything works, so nothing is stopped."""
    name = registry.configured()
    try:
        if name:
            registry.by_name(name)
    except registry.EmbedderUnavailable as problem:
        return [Warning(f"Questions find nodes by words alone: {problem}", id="rag.W001")]
    return []
