#!/usr/bin/env python
"""Django's command line for Countersign."""

import gc
import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if sys.argv[1:2] == ["up"]:
        from config import up

        up.main(sys.argv[2:])
        return
    # What is loaded is no garbage: to look for it as often as Python does takes a quarter of the start.
    gc.set_threshold(10_000)
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
