"""`<key:key>` in addresses matches keys of graphs. An impossible key does not match, which is a 404."""

import re

from django.urls import register_converter
from django.urls.converters import get_converters

from graphs.models.objects import MAX_KEY

_NO_KEY = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


class KeyConverter:
    regex = "[^/]+"

    def to_python(self, value: str) -> str:
        if len(value) > MAX_KEY or _NO_KEY.search(value):
            raise ValueError
        return value

    def to_url(self, value: str) -> str:
        return value


def register() -> None:
    """Makes `<key:key>` known to Django. Every list of addresses that uses it calls this first."""
    if "key" not in get_converters():
        register_converter(KeyConverter, "key")
