"""What a process finds when it begins, as JSON; for `tests/test_forked.py`. With an argument it ends with that code.

With a second one it tells as well what the product has read of the environment.
"""

import gc
import json
import os
import signal
import sys
import threading

from tests.loaded_server import READ_AGAIN

OURS = ("chat.", "config.", "graphs.", "rag.", "django.conf.settings", "twisted.internet.reactor")


def main() -> None:
    found = {
        "environment": dict(os.environ),
        "arguments": sys.argv,
        "folder": os.getcwd(),
        "path": sys.path,
        "files": sorted(os.listdir("/proc/self/fd"))[:-1],
        "signals": {number.name: str(signal.getsignal(number)).split(" at ")[0] for number in signal.Signals},
        "garbage": [gc.isenabled(), gc.get_threshold()],
        "threads": [len(threading.enumerate()), len(os.listdir("/proc/self/task"))],
        "ours": [name for name in sys.modules if name.startswith(OURS)],
        "main": [__name__, sys.modules["__main__"].__file__],
    }
    if sys.argv[2:]:
        from django.conf import settings

        found["read again"] = {name: getattr(settings, name) for name in READ_AGAIN}
    sys.stdout.write(json.dumps(found))
    sys.exit(int(sys.argv[1]) if sys.argv[1:] else 0)


if __name__ == "__main__":
    main()
