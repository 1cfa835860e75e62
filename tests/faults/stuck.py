"""A web process with a thread that never ends: python -m tests.faults.stuck (arguments of `chat.web.server`).

It begins when the file `STUCK_AT` is there, and does what `STUCK` says: "turns" leaves the others their turns, "held"
is one call that holds the interpreter. What ends it is less patient than on a site, where it burns a processor for half
a minute.
"""

import os
import re
import sys
import threading
import time
from pathlib import Path

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


if __name__ == "__main__":
    threading.Thread(target=get_stuck).start()
    from chat.web import ending
    from chat.web.server import main

    ending.DEAF_S, ending.LOOK_S, ending.MORE_S = DEAF_S, LOOK_S, MORE_S

    sys.exit(main(sys.argv[1:]))
