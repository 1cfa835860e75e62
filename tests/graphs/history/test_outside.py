"""graphs/history/outside.py: what others save stands in the history, and nothing of it is lost on the way there."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, models
from django.db.models.signals import pre_save
from django.test import Client
from django.test.utils import isolate_apps

from chat.actions import deciding
from chat.actions.deciding import Decision
from chat.actions.refusals import Refused
from graphs.history import outside
from graphs.models import ChangeSet, Graph, Modification, Object, Origin, Workspace
from graphs.objects import register
from graphs.objects.headers import named
from graphs.objects.kinds import KINDS
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from tests.cast import signed_in
from tests.graphs.api.callers import post_json, problem, with_token
from tests.proposed import waiting
from tests.registered import forget, rows_of
from tests.shop.models import Page

with isolate_apps("tests.shop"):

    class Ware(models.Model):
        workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
        name = models.CharField(max_length=10)

        class Meta:
            app_label = "shop"

    class Dear(Ware):
        class Meta:
            app_label = "shop"
            proxy = True

    class Lamp(Ware):
        watts = models.IntegerField()

        class Meta:
            app_label = "shop"


@pytest.fixture
def sheet(nba: Graph) -> Iterator[Page]:
    """Version 1 of a row of somebody else's model. Its bulk updates send no signals."""
    register(Page, name="page", title="name", workspace="graph__workspace")
    yield Page.objects.create(graph=nba, key="main", name="Main")
    forget(KINDS["page"])


@pytest.fixture
def client(alice: User, sheet: Page) -> Client:
    client = with_token(alice)
    assert client.get(path_of(sheet)).json()["version"] == 1
    return client


def path_of(sheet: Page) -> str:
    return f"/api/v1/objects/page/{sheet.pk}"


def save_outside(sheet: Page, **values: Any) -> None:
    Page.objects.filter(pk=sheet.pk).update(**values)


def edit(client: Client, sheet: Page, version: int | None = None, **updates: Any) -> Any:
    saw = [{"type": "page", "id": str(sheet.pk), "version": version}] if version else []
    actions = [{"action": "update_object", "arguments": {"updates": updates}}]
    return post_json(client, f"{path_of(sheet)}/changes", {"actions": actions, "expected": saw})


def told() -> list[tuple[str, str, Any, Any]]:
    """Everything that the history says, in the order of its doing."""
    rows = Modification.objects.filter(type="page").order_by("version", "sequence").select_related("change_set")
    return [(row.change_set.origin, row.field, row.old, row.new) for row in rows]


def test_what_a_refused_edit_noticed_stays(client: Client, sheet: Page) -> None:
    save_outside(sheet, name="Theirs")
    problem(edit(client, sheet, version=1, name="Mine"), 409, "conflict")
    assert told() == [(Origin.OUTSIDE, "name", "Main", "Theirs")]
    save_outside(sheet, name="Theirs again")
    problem(edit(client, sheet, key=""), 400, "refused")
    assert told()[1:] == [(Origin.OUTSIDE, "name", "Theirs", "Theirs again")]


def test_what_was_saved_beside_a_change_is_not_taken_for_recorded(client: Client, sheet: Page) -> None:
    """As if it had been saved after the look and before the change."""
    save_outside(sheet, position=7)
    with pytest.MonkeyPatch.context() as blind:
        blind.setattr("graphs.history.editing.catch_up", lambda _objects: None)
        assert edit(client, sheet, name="Mine").status_code == 201
    client.get(path_of(sheet))
    assert told() == [(Origin.MANUAL, "name", "Main", "Mine"), (Origin.OUTSIDE, "position", 0, 7)]


def test_what_the_model_itself_makes_of_a_change_is_part_of_it(client: Client, sheet: Page) -> None:
    def derive(instance: Page, **_kwargs: Any) -> None:
        instance.position = len(instance.name)

    pre_save.connect(derive, sender=Page)
    try:
        assert edit(client, sheet, name="Mine").status_code == 201
    finally:
        pre_save.disconnect(derive, sender=Page)
    client.get(path_of(sheet))
    assert told() == [(Origin.MANUAL, "name", "Main", "Mine"), (Origin.MANUAL, "position", 0, 4)]


def test_a_rollback_notices_before_it_looks(client: Client, sheet: Page) -> None:
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


def test_a_rollback_that_the_model_refuses_is_told(client: Client, sheet: Page, nba: Graph, alice: User) -> None:
    done = edit(client, sheet, key="second").json()["id"]
    Page.objects.create(graph=nba, key="main", name="Took its key")
    assert problem(post_json(client, f"/api/v1/history/{done}/rollback", {}), 409, "refused")["detail"]
    assert ChangeSet.objects.filter(origin=Origin.ROLLBACK).count() == 0
    User.objects.filter(pk=alice.pk).update(is_staff=True, is_superuser=True)
    digest = post_json(client, f"/api/v1/history/{done}/rollback", {"preview": True}).json()["digest"]
    form = {"step": "apply", "reason": "No.", "digest": digest}
    assert signed_in(alice).post(f"/admin/graphs/changeset/{done}/rollback/", form).status_code == 409


def register_anew(*fields: str) -> None:
    """As if the program had been started again with other fields."""
    forget(KINDS["page"])
    register(Page, name="page", title="name", fields=fields, workspace="graph__workspace")


def test_a_field_that_is_registered_later_is_no_change(client: Client, sheet: Page) -> None:
    register_anew("name")
    assert edit(client, sheet, name="Mine").status_code == 201
    register_anew("name", "position")
    assert client.get(path_of(sheet)).status_code == 200
    sheet.position = 3
    sheet.name = "Mine"
    sheet.save()
    assert told() == [(Origin.MANUAL, "name", "Main", "Mine"), (Origin.OUTSIDE, "position", 0, 3)]


def test_no_rollback_brings_back_a_field_that_is_no_longer_registered(client: Client, sheet: Page) -> None:
    both, one = (edit(client, sheet, **each).json()["id"] for each in ({"name": "A", "position": 1}, {"position": 2}))
    register_anew("key", "name")
    problem(post_json(client, f"/api/v1/history/{one}/rollback", {}), 409, "undone")
    assert post_json(client, f"/api/v1/history/{both}/rollback", {}).status_code == 201
    sheet.refresh_from_db()
    assert (sheet.name, sheet.position) == ("Main", 2)


def test_a_proposal_for_a_field_that_is_no_longer_registered_is_stale(sheet: Page, client: Client, alice: User) -> None:
    around = Object.objects.get(type="page", key=str(sheet.pk))
    (waits,) = waiting(alice, around, ("update_object", {"object": str(around), "updates": {"position": 4}}))
    register_anew("name")
    with pytest.raises(Refused, match="changed"):
        deciding.decide(member_of(alice), str(waits.pk), Decision(True))


def test_a_save_of_other_code_never_fails_because_of_us(
    client: Client, sheet: Page, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with connection.cursor() as cursor:
        monkeypatch.setattr(outside, "record_of", lambda *_: cursor.execute("SELECT 1 / 0"))
        sheet.name = "Theirs"
        sheet.save()
    monkeypatch.undo()
    assert "a change of page was not noticed" in caplog.text
    client.get(path_of(sheet))
    assert told() == [(Origin.OUTSIDE, "name", "Main", "Theirs")]


def test_saves_through_proxies_and_models_that_extend_one_are_noticed(
    demo_workspace: Workspace, client: Client
) -> None:
    options: dict[str, Any] = {"name": "ware", "title": "name", "workspace": "workspace", "fields": ("name",)}
    with rows_of(Ware, Lamp, **options):
        lamp = Lamp.objects.create(workspace=demo_workspace, name="A", watts=3)
        assert named(lamp) == named(Dear.objects.get()) == Ref("ware", str(lamp.pk))
        assert client.get(f"/api/v1/objects/ware/{lamp.pk}").status_code == 200
        for row, name in ((lamp, "B"), (Dear.objects.get(), "C")):
            row.name = name
            row.save()
        lamp.delete()
        rows = Modification.objects.filter(type="ware").order_by("version").values_list("action", "old")
        assert list(rows) == [("update", "A"), ("update", "B"), ("delete", {"name": "C"})]
