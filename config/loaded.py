"""What web processes and workers need, loaded for both: `config.fork_server` imports this, and forks them."""

import os
from contextlib import suppress
from importlib import import_module

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

from django.conf import settings  # noqa: E402

from chat.engine import generation_worker, runtime  # noqa: E402, F401 - what drives generations and answers
from chat.engine.available_models import configured  # noqa: E402
from chat.providers.building import build  # noqa: E402
from chat.providers.configured_models import ModelUnavailableError  # noqa: E402
from config.celery import app  # noqa: E402
from rag.embeddings import embedding_models  # noqa: E402
from rag.texts.tokens import count_tokens  # noqa: E402


def _load() -> None:
    for module in ("celery.bin.celery", "celery.apps.worker", "kombu.transport.redis", settings.ROOT_URLCONF):
        import_module(module)
    import_module(settings.ASGI_APPLICATION.rpartition(".")[0])
    app.loader.import_default_modules()
    with suppress(ModelUnavailableError):
        build(configured().resolve())  # Imports the SDK of the vendor that is asked by default.
    count_tokens("")
    embedding_models.load()


_load()
