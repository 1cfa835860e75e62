"""Lists `up` among the commands; `manage.py` starts it without Django (`config/up.py`)."""

import argparse
from typing import Any

from django.core.management.base import BaseCommand

from config import up


class Command(BaseCommand):
    help = up.HELP
    requires_system_checks = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        up.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        up.start(argparse.Namespace(**options))
