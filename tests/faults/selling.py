"""A web process of a project with an application of its own, the shop of the tests, whose rows are objects with pages.

python -m tests.faults.selling --fd N daphne      (arguments of `chat.web.server`, which it runs)
"""

import os
import sys
from contextlib import ExitStack

import django

#: Holds what is registered: without it Python would end the registration.
_REGISTERED = ExitStack()


def begin() -> None:
    """Django, with the shop and its pages installed and its rows registered as long as the process lives."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.conf import settings

    settings.INSTALLED_APPS = [*settings.INSTALLED_APPS, "tests.shop"]
    settings.ROOT_URLCONF = "tests.shop.pages"
    django.setup()
    from tests.registered import shops

    _REGISTERED.enter_context(shops(url="product"))


def main() -> int:
    from chat.web.server import main as serve  # installs Twisted's reactor, so before everything else

    begin()
    return serve(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
