"""`manage.py up` with the stand-in for the web server; run by path, with the options of `up`."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    from config import processes

    processes.WEB_MODULE = "tests.config.stand_in_server"
    execute_from_command_line(["manage.py", "up", *sys.argv[1:]])
