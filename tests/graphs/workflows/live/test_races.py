"""Live edits, saving and changes of every other kind at the same moment: nothing is lost, the history stays a line."""

import os
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from django.db import connection

from graphs.history import live_edits
from graphs.history.editing import Request, edit
from graphs.models import Graph, LiveEdit, Modification, Node, Revision, Role
from graphs.objects import actions
from graphs.site.access import member_of
from graphs.workflows.live import editing
from tests.cast import member

pytestmark = pytest.mark.django_db(transaction=True)
EDITS = 100 if os.environ.get("FULL") else 8


def test_everybody_at_once(nba: Graph, alice: User) -> None:
    dora, erin = member("dora", nba.workspace, Role.EDITOR), member("erin", nba.workspace, Role.EDITOR)

    def edits_live(user: User) -> Callable[[int], object]:
        return lambda number: editing.edit(member_of(user), nba.pk, rename(f"{user} {number}"))

    def edits(number: int) -> object:
        return edit(member_of(erin), Graph.objects.get(pk=nba.pk), rename(f"erin {number}"))

    def saves(_number: int) -> object:
        return live_edits.save_edits(nba.pk) if _number % 2 else live_edits.save_due(0)

    def often(deed: Callable[[int], object]) -> None:
        try:
            for number in range(EDITS):
                deed(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(5) as pool:
        for done in [pool.submit(often, deed) for deed in (edits_live(alice), edits_live(dora), edits, saves, saves)]:
            done.result(120)
    live_edits.save_edits(nba.pk)

    told = list(Modification.objects.filter(field="name").order_by("version").values_list("old", "new"))
    assert [old for old, _new in told] == ["Fetch API", *(new for _old, new in told[:-1])]
    assert told[-1][1] == Node.objects.get(key="fetch-api").name
    assert LiveEdit.objects.exclude(saved_at=None).count() == 2 * EDITS
    nba.refresh_from_db()
    assert (nba.version, nba.unsaved_since) == (1 + 3 * EDITS, None)
    assert Revision.objects.filter(type="graph", object=nba.pk).latest("version").version == nba.version


def rename(name: str) -> Request:
    asked = actions.parse("update_node", {"nodeKey": "fetch-api", "updates": {"name": name}})
    return Request([asked], key=uuid.uuid4().hex)
