"""`manage.py makemigrations` where no server runs, as in a project that was just begun."""

import os
import subprocess
import sys
from pathlib import Path

from tests.config.running import ROOT


def test_it_waits_for_no_database_that_is_not_up(tmp_path: Path) -> None:
    named = ("DATABASE_URL", "REDIS_URL")
    env = {name: value for name, value in os.environ.items() if name not in named} | {"DATA_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"],
        cwd=ROOT, env=env, capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, "No changes detected" in done.stdout) == (0, True), done.stderr
    assert "psycopg.pool" not in done.stderr
