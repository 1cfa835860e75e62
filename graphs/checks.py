"""What `manage.py check` says about registered models."""

from typing import Any

from django.core.checks import CheckMessage, Error, register
from django.urls import get_resolver

from graphs.objects.kinds import of_objects


@register()
def pages_have_addresses(**_options: Any) -> list[CheckMessage]:
    """An error for each kind whose `url` names no address. Names within a namespace are not looked at."""
    known = get_resolver().reverse_dict.keys()
    named = [(kind.name, kind.url) for kind in of_objects() if isinstance(kind.url, str) and kind.url]
    return [
        Error(f"{name}: url={url!r} is the name of no address. Name one that takes the key.", id="graphs.E001")
        for name, url in named
        if ":" not in url and url not in known
    ]
