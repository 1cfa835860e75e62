"""What `manage.py check` says about registered models."""

from typing import Any

from django.core.checks import CheckMessage, Error, register
from django.urls import get_resolver

from graphs.objects.headers import parent_of
from graphs.objects.kinds import of_models, of_objects


@register()
def pages_have_addresses(**_options: Any) -> list[CheckMessage]:
    """An error for each kind whose `url` names no address. Names within a namespace are not looked at."""
    known = get_resolver().reverse_dict.keys()
    return [
        Error(
            f"{kind.name}: url={kind.url!r} is the name of no address. Name one that takes the key.", id="graphs.E001"
        )
        for kind in of_objects()
        if isinstance(kind.url, str) and kind.url and ":" not in kind.url and kind.url not in known
    ]


@register()
def parents_are_registered(**_options: Any) -> list[CheckMessage]:
    """An error for each kind whose `parent` leads to no registered model."""
    return [
        Error(f"{kind.name}: parent={kind.parent!r} leads to no registered model. Register it, too.", id="graphs.E002")
        for kind in of_models()
        if kind.parent and parent_of(kind) is None
    ]
