"""Starts everything: the embedded servers where none are named, web processes, workers and beat."""

import argparse
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from config import environment, local, startup


class Command(BaseCommand):
    help = "Starts Countersign with everything it needs, in this terminal, until Ctrl-C."
    requires_system_checks = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--web", type=_at_least(1), default=1, metavar="N", help="web processes on the port")
        parser.add_argument(
            "--workers", type=_at_least(0), default=1, metavar="N", help="Celery workers; 0 for none, and no beat"
        )
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", type=_port, default=8000, help="port to listen on; 0 for any free one")
        parser.add_argument("--with-parent", action="store_true", help="stop when the starting process ends (make run)")

    def handle(self, *args: Any, **options: Any) -> None:
        env = environment.read()
        # The given one counts, and the first one is remembered for starts without it.
        remembered = local.secret(settings.DATA_DIR, "demo_password", 14, first=env.demo_password)
        # The site answers to it, when we ask whether it is ready.
        names = [name for name in settings.ALLOWED_HOSTS if not name.startswith(("*", "."))]
        startup.run(
            startup.Site(
                data_dir=settings.DATA_DIR,
                database_url=env.database_url,
                redis_url=env.redis_url,
                demo_password=env.demo_password or remembered,
                host_header=[*names, options["host"]][0],
                drain_s=settings.DRAIN_S,
                **{name: options[name] for name in ("host", "port", "web", "workers", "with_parent")},
            )
        )


def _at_least(lowest: int) -> Any:
    def count(text: str) -> int:
        value = int(text)
        if value < lowest:
            raise argparse.ArgumentTypeError(f"must be at least {lowest}")
        return value

    return count


def _port(text: str) -> int:
    value = int(text)
    if not 0 <= value <= 65535:
        raise argparse.ArgumentTypeError("must be from 0 to 65535")
    return value
