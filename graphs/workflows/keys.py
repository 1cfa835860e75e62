"""Keys of graphs: which texts can be one, and which are free in a workspace."""

import re
from collections.abc import Iterable

from django.utils.translation import gettext as _

from graphs.models import Graph
from graphs.models.objects import MAX_KEY
from graphs.site.json_values import shown
from graphs.workflows.interchange.keys import UniqueTexts, slug

_GOOD_KEY = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{MAX_KEY - 1}}}")


class KeyTaken(Exception):
    """The workspace has a graph with this key already; nothing was made."""

    def __init__(self, key: str) -> None:
        super().__init__(_('There is a graph with the key "{key}" already. Choose another key.').format(key=key))
        self.key = key


class KeyInvalid(ValueError):
    """The key cannot stand in an address; nothing was made."""

    def __init__(self, key: str) -> None:
        message = _(
            '"{key}" is no key: letters, digits, ".", "-" and "_", at most {most}, beginning with one of the first.'
        )
        super().__init__(message.format(key=shown(key), most=MAX_KEY))


def check_key(key: str) -> None:
    """Raises `KeyInvalid`."""
    if not _GOOD_KEY.fullmatch(key):
        raise KeyInvalid(key)


def wanted_key(key: str, name: str) -> str:
    """The key of a file, or one that is made of the name of what has none that can be used."""
    return key if _GOOD_KEY.fullmatch(key) else slug(name, fallback="graph")


def free_key(workspace_id: int, wanted: str, reserved: Iterable[str] = ()) -> str:
    """The key itself, or with a number behind it where it is taken or `reserved`."""
    begins_so = Graph.objects.filter(workspace=workspace_id, key__startswith=wanted[: MAX_KEY - 10])
    return UniqueTexts({*begins_so.values_list("key", flat=True), *reserved}).take(wanted)
