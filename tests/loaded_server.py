"""A process that has loaded the product for one environment, as a web process does, and forks one for each request.

    python -m tests.loaded_server N django.setup      (N: as for `tests/fork_server.py`, which forks this one; then what
                                                       sets Django up)

What the product reads when it is loaded, it has read from the environment that those who are forked are given as well,
but for what each of them reads again.
"""

import os
import sys
from functools import partial
from importlib import import_module

from tests import fork_server

#: What tests vary of the environment and settings hold under the name that it has there: nothing of the product keeps
#: it anywhere else (`tests/test_forked.py`).
READ_AGAIN = (
    "DRAIN_S",
    "LIMIT_CHANGES",
    "LIMIT_FRAMES",
    "LIMIT_IMPORTS",
    "LIMIT_LOGIN",
    "LIMIT_MESSAGES",
    "LIMIT_ROLLBACKS",
    "LIMIT_SOCKETS",
    "LIMIT_UNKNOWN_SOCKETS",
    "LIMIT_WRITES",
    "LLM_PROVIDER",
    "MAX_IMPORT_BYTES",
    "PROCESS_SILENT_S",
    "REDIS_PREFIX",
    "STREAM_IDLE_TIMEOUT_S",
)


def load(begin: str) -> None:
    """What `chat.web.server` does before it waits, but for its event loop."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    module, _dot, name = begin.rpartition(".")
    getattr(import_module(module), name)()
    from django.conf import settings

    import_module(settings.ASGI_APPLICATION.rpartition(".")[0])
    import_module(settings.ROOT_URLCONF)
    import_module("rag.texts.tokens").count_tokens("")
    # What its first page looks up: addresses, words, and the frame of all pages.
    with import_module("django.utils.translation").override(settings.LANGUAGE_CODE):
        import_module("django.urls").reverse("login")
        import_module("django.template.loader").get_template("base.html")
    # What it imports at its first questions: of readiness, and of a model.
    import_module("django.db.migrations.loader").MigrationLoader(None)
    for provider in ("anthropic", "demo.provider", "openai"):
        import_module(f"chat.providers.{provider}")
    import_module("chat.prompts.versions").prompt_version()
    fork_server.keep(impurities())


def read_late() -> None:
    """Gives settings what this process was given of `READ_AGAIN`."""
    from django.conf import settings

    from config import environment

    found = environment.read()
    for name in READ_AGAIN:
        setattr(settings, name, getattr(found, name.lower()))


def impurities() -> list[str]:
    """What is here and must not be: what is at work, connections, and what somebody has looked up too early."""
    from django.conf import settings
    from django.db import connections

    found = [f"the database {each.alias}" for each in connections.all(initialized_only=True) if each.connection]
    # Settings keep what was looked up.
    found += [f"the setting {name}" for name in READ_AGAIN if name in vars(settings)]
    return found + fork_server.at_work()


if __name__ == "__main__":
    fork_server.fork_for(partial(load, sys.argv[2]), int(sys.argv[1]), read_late)
