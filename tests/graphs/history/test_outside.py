"""graphs/history/outside.py: what others save stands in the history, and nothing of it is lost on the way there."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models.signals import pre_save
from django.test import Client

from graphs.models import ChangeSet, Graph, Modification, Origin, Sheet
from graphs.objects import register
from graphs.objects.kinds import KINDS
from tests.cast import signed_in
from tests.graphs.api.callers import post_json, problem, with_token


@pytest.fixture
def sheet(nba: Graph) -> Iterator[Sheet]:
    """Version 1 of a row of somebody else's model. Its bulk updates send no signals."""
    register(Sheet, name="page", title="name", workspace="graph__workspace")
    yield Sheet.objects.get(graph=nba)
    del KINDS["page"]


@pytest.fixture
def client(alice: User, sheet: Sheet) -> Client:
    client = with_token(alice)
    assert client.get(path_of(sheet)).json()["version"] == 1
    return client


def path_of(sheet: Sheet) -> str:
    return f"/api/v1/objects/page/{sheet.pk}"


def save_outside(sheet: Sheet, **values: Any) -> None:
    Sheet.objects.filter(pk=sheet.pk).update(**values)


def edit(client: Client, sheet: Sheet, version: int | None = None, **updates: Any) -> Any:
    saw = [{"type": "page", "id": str(sheet.pk), "version": version}] if version else []
    actions = [{"action": "update_object", "arguments": {"updates": updates}}]
    return post_json(client, f"{path_of(sheet)}/changes", {"actions": actions, "expected": saw})


def told() -> list[tuple[str, str, Any, Any]]:
    """Everything that the history says, in the order of its doing."""
    rows = Modification.objects.filter(type="page").order_by("version", "sequence").select_related("change_set")
    return [(row.change_set.origin, row.field, row.old, row.new) for row in rows]


def test_what_a_refused_edit_noticed_stays(client: Client, sheet: Sheet) -> None:
    save_outside(sheet, name="Theirs")
    problem(edit(client, sheet, version=1, name="Mine"), 409, "conflict")
    assert told() == [(Origin.OUTSIDE, "name", "Main", "Theirs")]
    save_outside(sheet, name="Theirs again")
    problem(edit(client, sheet, key=""), 400, "refused")
    assert told()[1:] == [(Origin.OUTSIDE, "name", "Theirs", "Theirs again")]


def test_what_was_saved_beside_a_change_is_not_taken_for_recorded(client: Client, sheet: Sheet) -> None:
    """As if it had been saved after the look and before the change."""
    save_outside(sheet, position=7)
    with pytest.MonkeyPatch.context() as blind:
        blind.setattr("graphs.history.editing.catch_up", lambda _objects: None)
        assert edit(client, sheet, name="Mine").status_code == 201
    client.get(path_of(sheet))
    assert told() == [(Origin.MANUAL, "name", "Main", "Mine"), (Origin.OUTSIDE, "position", 0, 7)]


def test_what_the_model_itself_makes_of_a_change_is_part_of_it(client: Client, sheet: Sheet) -> None:
    def derive(instance: Sheet, **_kwargs: Any) -> None:
        instance.position = len(instance.name)

    pre_save.connect(derive, sender=Sheet)
    try:
        assert edit(client, sheet, name="Mine").status_code == 201
    finally:
        pre_save.disconnect(derive, sender=Sheet)
    client.get(path_of(sheet))
    assert told() == [(Origin.MANUAL, "name", "Main", "Mine"), (Origin.MANUAL, "position", 0, 4)]


def test_a_rollback_notices_before_it_looks(client: Client, sheet: Sheet) -> None:
    done = edit(client, sheet, name="Mine").json()["id"]
    save_outside(sheet, name="Theirs", position=7)
    back = f"/api/v1/history/{done}/rollback"
    (clash,) = problem(post_json(client, back, {}), 409, "conflict")["conflicts"]
    assert clash["field"] == "name"
    shown = post_json(client, back, {"preview": True}).json()
    assert told()[1:] == [(Origin.OUTSIDE, "name", "Mine", "Theirs"), (Origin.OUTSIDE, "position", 0, 7)]
    save_outside(sheet, name="Mine")
    assert post_json(client, back, {"digest": shown["digest"]}).status_code == 409
    assert post_json(client, back, {}).status_code == 201
    sheet.refresh_from_db()
    assert (sheet.name, sheet.position) == ("Main", 7)
    assert told()[3:] == [(Origin.OUTSIDE, "name", "Theirs", "Mine"), (Origin.ROLLBACK, "name", "Mine", "Main")]


def test_a_rollback_that_the_model_refuses_is_told(client: Client, sheet: Sheet, nba: Graph, alice: User) -> None:
    done = edit(client, sheet, key="second").json()["id"]
    Sheet.objects.create(graph=nba, key="main", name="Took its key")
    assert problem(post_json(client, f"/api/v1/history/{done}/rollback", {}), 409, "refused")["detail"]
    assert ChangeSet.objects.filter(origin=Origin.ROLLBACK).count() == 0
    User.objects.filter(pk=alice.pk).update(is_staff=True, is_superuser=True)
    digest = post_json(client, f"/api/v1/history/{done}/rollback", {"preview": True}).json()["digest"]
    form = {"step": "apply", "reason": "No.", "digest": digest}
    assert signed_in(alice).post(f"/admin/graphs/changeset/{done}/rollback/", form).status_code == 409
