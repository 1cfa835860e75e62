"""Which models can make vectors, and which one serves questions (docs/embeddings.md); keys are those for chat."""

import os
from contextlib import suppress
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from django.conf import settings
from django.utils.translation import gettext as _

from rag.embeddings.embedder import HARMLESS, Embedder, EmbeddingFailed
from rag.embeddings.serving_model import serving

if TYPE_CHECKING:
    from rag.embeddings.local import LocalEmbedder

OFF = "none"
LOCAL = "local"
LOCAL_MODEL = "local/wordllama-256"
OPENAI = "openai"
OPENAI_DEFAULT = "text-embedding-3-small"


class EmbedderUnavailable(ValueError):
    """There is no such model, or it is not configured; the text says what to do."""


def configured() -> str:
    """The name of the model that the settings ask for; "" if they switch embeddings off.

    A key for chat alone sends no node to its vendor: that takes EMBEDDING_PROVIDER, or a vendor's EMBEDDING_MODEL.
    """
    provider, model = settings.EMBEDDING_PROVIDER.lower(), settings.EMBEDDING_MODEL
    if provider == OFF:
        return ""
    if not provider:
        provider = OPENAI if model in settings.EMBEDDING_MODELS else LOCAL
    if provider == LOCAL:
        return LOCAL_MODEL
    if provider == OPENAI:
        model = model or OPENAI_DEFAULT
    return f"{provider}/{model}"


def current() -> Embedder | None:
    """The embedder of questions, or None now. Asks the database once in a few seconds which model serves."""
    wanted = configured()
    try:
        return by_name(serving() or wanted) if wanted else None
    except EmbedderUnavailable:
        return None


def warm_up() -> None:
    """Loads the local model where it serves: the first question would take several times as long as the next."""
    if configured() and serving() == LOCAL_MODEL:
        with suppress(EmbeddingFailed, EmbedderUnavailable):
            by_name(LOCAL_MODEL).embed([HARMLESS], "question")


def load() -> None:
    """Reads the local model where the settings ask for it, without using it: that would start threads."""
    if configured() == LOCAL_MODEL and _comes_along():
        with suppress(EmbeddingFailed):
            _local().load()


def by_name(name: str) -> Embedder:
    """The embedder of a name such as "openai/text-embedding-3-small". Raises `EmbedderUnavailable`."""
    provider, _slash, model = name.partition("/")
    if provider == LOCAL:
        if name != LOCAL_MODEL:
            text = _("There is no local model '%(name)s': the one that comes along is '%(local)s'.")
            raise EmbedderUnavailable(text % {"name": name, "local": LOCAL_MODEL})
        if not _comes_along():
            raise EmbedderUnavailable(_("The package wordllama is not installed: there is no wheel for this platform."))
        return _local()
    entry = settings.CHAT_PROVIDERS.get(provider)
    if entry is None or not str(entry.get("wire")).startswith("openai"):
        text = _("The provider '%(name)s' makes no embeddings. Use local, openai or custom.")
        raise EmbedderUnavailable(text % {"name": provider})
    if not model:
        text = _("The provider '%(name)s' needs the name of a model: set EMBEDDING_MODEL.")
        raise EmbedderUnavailable(text % {"name": provider})
    base_url = _value(provider, "BASE_URL") or str(entry.get("base_url") or "")
    key = _value(provider, "API_KEY")
    if not base_url:
        text = _("The provider '%(name)s' needs an address: set %(variable)s.")
        raise EmbedderUnavailable(text % {"name": provider, "variable": _variable(provider, "BASE_URL")})
    if entry.get("base_url") and not key:
        text = _("The provider '%(name)s' needs a key: set %(variable)s.")
        raise EmbedderUnavailable(text % {"name": provider, "variable": _variable(provider, "API_KEY")})
    return _remote(name, base_url, key)


def price(name: str) -> float | None:
    """US dollars per million tokens; None if nobody knows them. The local model costs nothing."""
    provider, _slash, model = name.partition("/")
    if provider == LOCAL:
        return 0.0
    known = settings.EMBEDDING_MODELS.get(model) if provider == OPENAI else None
    return float(known["price"]) if known else None


@cache
def _comes_along() -> bool:
    """Whether the local model is installed; to look for it takes longer than all else here."""
    return find_spec("wordllama") is not None


@lru_cache(maxsize=1)
def _local() -> "LocalEmbedder":
    from rag.embeddings.local import LocalEmbedder

    return LocalEmbedder(LOCAL_MODEL)


@lru_cache(maxsize=8)
def _remote(name: str, base_url: str, key: str) -> Embedder:
    from rag.embeddings.openai import OpenAIEmbedder

    provider, _slash, model = name.partition("/")
    # Another endpoint may call its own model by the name of one of OpenAI's.
    known = settings.EMBEDDING_MODELS.get(model) if provider == OPENAI else None
    return OpenAIEmbedder(name, base_url, key, int(known["dimensions"]) if known else None)


def _variable(provider: str, suffix: str) -> str:
    return f"{provider.partition('-')[0].upper()}_{suffix}"


def _value(provider: str, suffix: str) -> str:
    return os.environ.get(_variable(provider, suffix), "").strip()
