"""`manage.py up`: starts everything and stays until Ctrl-C.

What it loads stays for as long as everything runs, so it does without Django (100 MB), psycopg (19) and pydantic (10).
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from config import local, processes, startup
from config.problem import Problem

HELP = "Starts Countersign with everything it needs, in this terminal, until Ctrl-C."


def main(arguments: Sequence[str]) -> None:
    """Returns after an orderly stop. Raises `Problem` with a sentence."""
    parser = argparse.ArgumentParser(prog="manage.py up", description=HELP)
    add_arguments(parser)
    start(parser.parse_args(arguments))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--web", type=partial(_at_least, 1), default=1, metavar="N", help="web processes on the port")
    parser.add_argument(
        "--workers", type=partial(_at_least, 0), default=1, metavar="N", help="Celery workers; 0 for none, and no beat"
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", type=_port, default=8000, help="port to listen on; 0 for any free one")
    parser.add_argument("--with-parent", action="store_true", help="stop when the starting process ends (make run)")


def start(options: argparse.Namespace) -> None:
    env = _environment()
    data_dir = Path(env["data_dir"]).resolve()
    # The given one counts, and the first one is remembered for starts without it.
    given = env["demo_password"]
    remembered = local.secret(data_dir, "demo_password", 14, first=given, closed=not given)
    # The site answers to it, when we ask whether it is ready.
    allowed = map(str.strip, env["allowed_hosts"].split(","))
    names = [name for name in allowed if name and not name.startswith(("*", "."))]
    startup.run(
        startup.Site(
            data_dir=data_dir,
            database_url=env["database_url"],
            redis_url=env["redis_url"],
            demo_password=given or remembered,
            host_header=[*names, options.host][0],
            drain_s=env["drain_s"],
            logs_text=env["ai_log_text"],
            host=options.host,
            port=options.port,
            web=options.web,
            workers=options.workers,
            with_parent=options.with_parent,
        )
    )


def _environment() -> dict[str, Any]:
    """The variables of `config.environment`, read and checked by a process that ends."""
    ours = os.environ | {"PYTHONPATH": processes.python_path()}
    done = subprocess.run([sys.executable, "-m", "config.environment"], env=ours, capture_output=True, text=True)
    if done.returncode != 0:
        raise Problem(done.stderr.strip())
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _at_least(lowest: int, text: str) -> int:
    if not text.isdecimal() or int(text) < lowest:
        raise argparse.ArgumentTypeError(f"must be a number, at least {lowest}")
    return int(text)


def _port(text: str) -> int:
    value = int(text)
    if not 0 <= value <= 65535:
        raise argparse.ArgumentTypeError("must be from 0 to 65535")
    return value
