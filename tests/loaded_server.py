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


def load(begin: str) -> None:
    """What `chat.web.server` does before it waits, but for its event loop."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    module, _dot, name = begin.rpartition(".")
    getattr(import_module(module), name)()
    from django.conf import settings

    import_module(settings.ASGI_APPLICATION.rpartition(".")[0])
    import_module(settings.ROOT_URLCONF)
    import_module("rag.texts.tokens").count_tokens("")
    fork_server.keep(impurities())


def read_late() -> None:
    """What settings hold and tests vary: nothing of the product keeps it anywhere else."""
    from django.conf import settings

    from config import environment

    settings.REDIS_PREFIX = environment.read().redis_prefix


def impurities() -> list[str]:
    """What is here and must not be: what is at work, and connections."""
    from django.db import connections

    found = [f"the database {each.alias}" for each in connections.all(initialized_only=True) if each.connection]
    return found + fork_server.at_work()


if __name__ == "__main__":
    fork_server.fork_for(partial(load, sys.argv[2]), int(sys.argv[1]), read_late)
