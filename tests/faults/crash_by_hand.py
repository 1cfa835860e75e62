"""Crash scenarios of people who change something by hand and take it back: a node, and a row of an application."""

import uuid
from typing import Any

from graphs.models import ChangeSet, Graph, Workspace
from tests.faults.crash_stage import Stage
from tests.things import Thing, node_of, product_of


def edit_node(stage: Stage) -> None:
    _edited(stage, node_of(Graph.objects.get(key="nba")))


def edit_row(stage: Stage) -> None:
    _edited(stage, product_of(Workspace.objects.get()))


def _edited(stage: Stage, thing: Thing) -> None:
    """Changed once, whatever the person heard of it."""
    key, new = str(uuid.uuid4()), f"Fetch {uuid.uuid4()}"
    stage.arm()
    told = stage.at_first("POST", changes_of(thing), renamed(thing, new), key)
    stage.await_death()
    answer = stage.at_survivor("POST", changes_of(thing), renamed(thing, new), key)
    assert told in (None, answer)
    assert thing.called == new
    assert ChangeSet.objects.filter(modifications__new=new).count() == 1


def roll_back_node(stage: Stage) -> None:
    _rolled_back(stage, node_of(Graph.objects.get(key="nba")))


def roll_back_row(stage: Stage) -> None:
    _rolled_back(stage, product_of(Workspace.objects.get()))


def _rolled_back(stage: Stage, thing: Thing) -> None:
    """Taken back once; who asks again is told that it was."""
    before = thing.called
    made = stage.at_first("POST", changes_of(thing), renamed(thing, f"Fetch {uuid.uuid4()}"))
    path = f"/api/v1/history/{made['id']}/rollback"
    stage.arm()
    told = stage.at_first("POST", path, {})
    stage.await_death()
    if told is None:
        stage.at_survivor("POST", path, {}, refusal=409)
    assert ChangeSet.objects.filter(undoes=[made["id"]]).count() == 1
    assert thing.called == before


def changes_of(thing: Thing) -> str:
    """Where a person changes it."""
    if thing.item.type == "node":
        return f"/api/v1/graphs/{thing.around.key}/changes"
    return f"/api/v1/objects/{thing.around.type}/{thing.around.key}/changes"


def renamed(thing: Thing, new: str) -> dict[str, Any]:
    """What a person sends there to rename it."""
    action, arguments = thing.rename_call(new)
    return {"actions": [{"action": action, "arguments": arguments}]}
