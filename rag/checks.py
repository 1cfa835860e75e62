"""What `manage.py check` says about the embedding model, the search engine, and who takes down events."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register
from django.utils.translation import gettext as _

from graphs.site.telemetry.log_lines import has_sink
from rag.embeddings import embedding_models
from rag.searching import configured


@register()
def embedder_is_usable(**_options: Any) -> list[CheckMessage]:
    """A warning if the embedding model is not usable; without one everything else works."""
    name = embedding_models.configured()
    if settings.EMBEDDING_MODEL and name == embedding_models.LOCAL_MODEL:
        sentence = _("EMBEDDING_MODEL names a model, but the local one serves: set EMBEDDING_PROVIDER to whose it is.")
        return [Warning(sentence, id="rag.W002")]
    try:
        if name:
            embedding_models.by_name(name)
    except embedding_models.EmbedderUnavailable as problem:
        sentence = _(
            "Questions find nodes by words alone, as EMBEDDING_PROVIDER and EMBEDDING_MODEL are set: %(problem)s"
        ) % {"problem": problem}
        return [Warning(sentence, id="rag.W001")]
    return []


@register()
def search_engine_is_usable(**_options: Any) -> list[CheckMessage]:
    """A warning if the search engine that is named cannot be asked; no model is offered the web then."""
    missing = configured.problem()
    sentence = _("No model is offered the web: SEARCH_PROVIDER=%(name)s needs %(variable)s.") % {
        "name": settings.SEARCH_PROVIDER, "variable": missing,
    }  # fmt: skip
    return [Warning(sentence, id="rag.W003")] if missing else []


@register()
def log_sink_is_there(**_options: Any) -> list[CheckMessage]:
    sentence = (
        f"AI_LOG_SINK names no function: {settings.AI_LOG_SINK!r}. Give the dotted path of one that takes a dict."
    )
    return [] if has_sink() else [Error(sentence, id="rag.E001")]
