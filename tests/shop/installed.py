"""A project with the shop of the tests as an application of its own, whose rows are objects with pages."""

import os
from contextlib import ExitStack

import django
from django.apps import apps

#: Holds what is registered: without it Python would end the registration.
_REGISTERED = ExitStack()


def begin() -> None:
    """Django, with the shop and its pages installed and its rows registered as long as the process lives."""
    if apps.ready:  # The process was forked by one that has it.
        return
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.conf import settings

    settings.INSTALLED_APPS = [*settings.INSTALLED_APPS, "tests.shop"]
    settings.ROOT_URLCONF = "tests.shop.pages"
    django.setup()
    from tests.registered import shops

    _REGISTERED.enter_context(shops(url="product"))
