"""A model of this program registered as a kind of objects, as an application would register one of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from chat.models import AlwaysSend
from chat.prompts import versions
from chat.tools import registry
from graphs import objects
from graphs.models import Workspace
from graphs.objects.kinds import KINDS, Kind


@contextmanager
def pins(**options: Any) -> Iterator[Kind]:
    """Within it, pins are objects of the kind "pin"; `options` are those of `register`."""
    kind = objects.register(
        AlwaysSend,
        name="pin",
        title="object_key",
        workspace="workspace",
        fields=("object_key", "part_type", "part_key"),
        **({"minor": ("part_type",), "url": lambda row: f"/pins/{row.pk}/"} | options),
    )
    added_by: Any = AlwaysSend._meta.get_field("added_by")
    added_by.blank = True  # nobody fills it in here, and the model's own validation runs
    _forget()
    try:
        yield kind
    finally:
        added_by.blank = False
        del KINDS[kind.name]
        _forget()


def pin(workspace: Workspace, title: str, **values: Any) -> AlwaysSend:
    return AlwaysSend.objects.create(workspace=workspace, object_key=title, **values)


def _forget() -> None:
    for cached in (registry.specs, versions.prompt_version):
        cached.cache_clear()
