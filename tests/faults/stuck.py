"""A web process with a thread that never ends: python -m tests.faults.stuck (arguments of `chat.web.server`).

It begins when the file `STUCK_AT` is there, and does what `STUCK` says: "turns" leaves the others their turns, "held"
is one call that holds the interpreter. What ends it is less patient than on a site, where it burns a processor for half
a minute. With "previews" and "exports" those of requests are endless, and all is as patient as on a site.
"""

import os
import re
import sys
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import Any

DEAF_S = 8.0
LOOK_S = 0.5
MORE_S = 1.0


def get_stuck() -> None:
    while not Path(os.environ["STUCK_AT"]).exists():
        time.sleep(0.05)
    if os.environ["STUCK"] == "held":
        re.match(r"(a|a)+$", "a" * 60 + "b")
    while True:
        pass


def read_for_ever(*_given: Any, **_named: Any) -> Any:
    """Stands for the work of a preview, which asks again and again whether it may go on."""
    from graphs.site.preview_places import require_time

    Path(os.environ["STUCK_AT"]).touch()
    while True:
        require_time()
        time.sleep(0.01)


def export_for_ever(*_given: Any, **_named: Any) -> Any:
    """Stands for a large answer, which asks nobody."""
    Path(os.environ["STUCK_AT"]).touch()
    while True:
        time.sleep(0.01)


def at_requests() -> None:
    import django

    django.setup()
    if os.environ["STUCK"] == "previews":
        replaced = {"chat.actions.deciding": "draft", "graphs.history.rollback": "preview"}
        instead = read_for_ever
    else:
        replaced, instead = {"graphs.api.graphs": "graph_for"}, export_for_ever
    for module, name in replaced.items():
        setattr(import_module(module), name, instead)


if __name__ == "__main__":
    from chat.web import ending
    from chat.web.server import main

    if os.environ["STUCK"] in ("previews", "exports"):
        at_requests()
    else:
        threading.Thread(target=get_stuck).start()
        ending.DEAF_S, ending.LOOK_S, ending.MORE_S = DEAF_S, LOOK_S, MORE_S

    sys.exit(main(sys.argv[1:]))
