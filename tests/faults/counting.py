"""A web process that notes every statement it asks the database for; the product knows nothing of it.

    python -m tests.faults.counting --fd N daphne      (arguments of `chat.web.server`, which it runs)

Each statement becomes a line `module:function` of the product in a file of the process in the folder `STATEMENT_NOTES`.
"""

import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import django

from tests.faults.product_frames import product_frame


def statements(folder: Path, pid: int) -> Counter[str]:
    """How often each function of a process asked so far."""
    try:
        return Counter((folder / str(pid)).read_text().split())
    except FileNotFoundError:
        return Counter()


def note_statements(folder: Path) -> None:
    from django.db.backends.utils import CursorWrapper

    file = os.open(folder / str(os.getpid()), os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    def noting(execute: Any) -> Any:
        def run(self: Any, *args: Any) -> Any:
            frame = product_frame(sys._getframe(1))
            place = f"{frame.f_globals['__name__']}:{frame.f_code.co_qualname}" if frame else "elsewhere"
            os.write(file, f"{place}\n".encode())
            return execute(self, *args)

        return run

    for name in ("_execute", "_executemany"):
        setattr(CursorWrapper, name, noting(getattr(CursorWrapper, name)))


def main() -> int:
    from chat.web.server import main as serve  # installs Twisted's reactor, so before everything else

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    note_statements(Path(os.environ["STATEMENT_NOTES"]))
    return serve(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
