import subprocess
import sys
from pathlib import Path

from config import processes

LOOKED_AT = """
import sys
from config.celery import app
from celery.fixups.django import DjangoWorkerFixup
DjangoWorkerFixup(app).validate_models()
print("config.urls" in sys.modules)
"""


def test_a_worker_does_not_load_the_whole_site_to_look_at_it() -> None:
    """Whose findings Celery throws away."""
    (worker,) = processes.workers(1, Path("/data"), processes.environment(Path("/data"), ""))
    found = subprocess.run([sys.executable, "-c", LOOKED_AT], env=worker.env, capture_output=True, text=True)
    assert (found.stdout.strip(), found.returncode) == ("False", 0), found.stderr
