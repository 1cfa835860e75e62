"""A web process in which searching for `explode` fails with an exception that holds every secret of the process.

    python -m tests.faults.leaking --fd N daphne      (arguments of `chat.web.server`, which it runs)

So a tool can fail, a step of the engine before the model is asked, and a page.
"""

import os
import sys
from typing import Any

import django


class Leaked(Exception):
    """Holds the values of all variables of the environment that a test made a canary."""

    def __init__(self) -> None:
        super().__init__([value for value in os.environ.values() if "canary" in value])


def exploding(search: Any) -> Any:
    def explode(*args: Any, **kwargs: Any) -> Any:
        if "explode" in args:
            raise Leaked
        return search(*args, **kwargs)

    return explode


def main() -> int:
    from chat.web.server import main as serve  # installs Twisted's reactor, so before everything else

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from chat.subjects.graphs import graph_reading
    from graphs.workflows import listing

    listing.matching = exploding(listing.matching)
    graph_reading.search = exploding(graph_reading.search)
    return serve(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
