"""What is wrong with registered models, but can be known only when all are: told by `manage.py check` and at start."""

import logging
from typing import Any

from django.core.checks import CheckMessage, Error, register
from django.core.exceptions import ImproperlyConfigured
from django.urls import get_resolver

from graphs.models import Workspace
from graphs.objects.headers import parent_of
from graphs.objects.kinds import of_models

log = logging.getLogger("countersign.objects")

#: Names these checks where a start asks for them alone (`config/prepare.py`).
_TAG = "graphs"


@register(_TAG)
def pages_have_addresses(**_options: Any) -> list[CheckMessage]:
    """An error for each kind whose `url` names no address. Where no `url` is a name, addresses are not loaded."""
    return [
        Error(
            f"{kind.name}: url={kind.url!r} is the name of no address. Name one that takes the key.", id="graphs.E001"
        )
        for kind in of_models()
        if isinstance(kind.url, str) and kind.url and not _is_address(kind.url)
    ]


@register(_TAG)
def parents_are_registered(**_options: Any) -> list[CheckMessage]:
    """An error for each kind whose `parent` leads to no registered model."""
    return [
        Error(f"{kind.name}: parent={kind.parent!r} leads to no registered model. Register it, too.", id="graphs.E002")
        for kind in of_models()
        if kind.parent and parent_of(kind) is None
    ]


@register(_TAG)
def workspaces_give_rows_that_can_be_narrowed(**_options: Any) -> list[CheckMessage]:
    """An error for each kind whose function gives a union of rows, of which every request would fail.

    It is asked for a workspace that does not exist; what else it does with that says nothing.
    """
    found: list[CheckMessage] = []
    for kind in of_models():
        if kind.chosen is None:
            continue
        try:
            kind.chosen(Workspace(pk=0, slug="example", name="Example"))
        except ImproperlyConfigured as error:
            found.append(Error(str(error), id="graphs.E003"))
        except Exception:  # Any: it is the application's, and may ask for what is there.
            log.debug("%s: rows of no workspace cannot be told", kind.name, exc_info=True)
    return found


def _is_address(name: str) -> bool:
    """Whether `reverse` finds addresses of this name, which may be within namespaces."""
    *namespaces, last = name.split(":")
    within = get_resolver()
    for each in namespaces:
        known = within.app_dict.get(each, [each])
        each = each if each in known else known[0]  # as `reverse` chooses
        if each not in within.namespace_dict:
            return False
        within = within.namespace_dict[each][1]
    return last in within.reverse_dict
