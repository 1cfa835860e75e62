"""A process that has loaded the product for one environment, as a web process does, and forks one for each request.

    python -m tests.loaded_server N      (as `tests/fork_server.py`, which forks this one)

What the product reads when it is loaded, it has read from the environment that those who are forked are given as well.
"""

import os
import sys
from importlib import import_module

from tests import fork_server


def load() -> None:
    """What `chat.web.server` does before it waits, but for its event loop."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import_module("django").setup()
    from django.conf import settings

    import_module(settings.ASGI_APPLICATION.rpartition(".")[0])
    import_module(settings.ROOT_URLCONF)
    import_module("rag.texts.tokens").count_tokens("")
    fork_server.keep(impurities())


def impurities() -> list[str]:
    """What is here and must not be: what is at work, and connections."""
    from django.db import connections

    found = [f"the database {each.alias}" for each in connections.all(initialized_only=True) if each.connection]
    return found + fork_server.at_work()


if __name__ == "__main__":
    fork_server.fork_for(load, int(sys.argv[1]))
