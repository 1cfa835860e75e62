import hashlib
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from graphs.history.editing import Request
from graphs.models import Graph, LiveEdit
from graphs.objects import actions
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from graphs.workflows.live import editing

#: Says what a person does live: the name of an action, its arguments, and what they saw.
Live = Callable[..., LiveEdit]


@pytest.fixture
def live(nba: Graph) -> Live:
    def does(
        user: User, action: str, arguments: dict[str, Any], seen: dict[str, int] | None = None, key: str = ""
    ) -> LiveEdit:
        seen_items = [(Ref(*name.split(":", 1)), version) for name, version in (seen or {}).items()]
        request = Request(
            [actions.parse(action, arguments)], seen_items, "", key or uuid.uuid4().hex, _digest(arguments)
        )
        return editing.edit(member_of(user), nba.pk, request)

    return does


def _digest(arguments: dict[str, Any]) -> str:
    return hashlib.sha256(repr(arguments).encode()).hexdigest()[:40]


def rename(key: str, name: str) -> tuple[str, dict[str, Any]]:
    return "update_node", {"nodeKey": key, "updates": {"name": name}}
