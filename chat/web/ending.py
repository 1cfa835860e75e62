"""Ends a process that cannot end by itself, because a thread does not stop or holds the interpreter.

What watches is no thread of Python and needs no interpreter. It says where every thread was, and ends with exit code 1.
"""

import asyncio
import faulthandler

#: A process whose loop has had no turn for so long ends: nobody is served, and no signal is heard.
DEAF_S = 30.0
LOOK_S = 5.0
#: Beyond the time in which runs may finish, what goodbyes and threads have.
MORE_S = 9.0
#: How long sockets may take to say goodbye, and ordinary requests to end.
GOODBYE_S = 5.0
#: What threads have once all has been said: those of requests that nobody waits for any more.
THREADS_S = 3.0

_ends = False


def watch(loop: asyncio.AbstractEventLoop) -> None:
    """Ends the process if the loop has no turn for `DEAF_S`."""
    if not _ends:
        faulthandler.dump_traceback_later(DEAF_S, exit=True)
        loop.call_later(LOOK_S, watch, loop)


def end_within(seconds: float) -> None:
    """Ends the process after so long at the latest, whatever it does."""
    global _ends
    _ends = True
    faulthandler.dump_traceback_later(seconds, exit=True)
