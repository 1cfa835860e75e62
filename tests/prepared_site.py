"""The data folder of a site with the demo data, whose people have the password of the cast.

`manage.py up` makes it once in a session, and who needs one begins with a copy.
"""

import fcntl
import os
import subprocess
from pathlib import Path

from tests.cast import PASSWORD
from tests.config.running import Up


def copy_to(folder: Path) -> None:
    """Fills an empty folder; servers that are started there find roles, tables, people and graphs."""
    of_the_session = Path(os.environ["DATA_DIR"])
    made = of_the_session / "prepared-site"
    with (of_the_session / "prepared-site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            _make(made.with_name("preparing-site")).rename(made)
    # Files of PostgreSQL belong to its own user, and stay so.
    subprocess.run(["cp", "-a", f"{made}/.", str(folder)], check=True)


def _make(folder: Path) -> Path:
    folder.mkdir()
    folder.chmod(0o711)
    running = Up(folder, (), {"DEMO_PASSWORD": PASSWORD})
    try:
        running.ready()
    finally:
        running.end()
    return folder
