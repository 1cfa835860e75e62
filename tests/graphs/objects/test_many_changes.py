"""Many rows of a registered model that change in one change set: in as many statements as few."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import connection
from django.db.models.signals import post_save, pre_save
from django.test.utils import CaptureQueriesContext

from graphs.history import editing
from graphs.history.outside import catch_up
from graphs.models import ChangeSet, Modification, Object, UseCase, Workspace
from graphs.objects.actions import ChangeRefused, MoveObject, UpdateObject
from graphs.objects.headers import existing
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from tests.graphs.objects.test_cascade import shops
from tests.registered import product
from tests.shop.models import Product, Shop


@pytest.fixture
def shop(demo_workspace: Workspace) -> Iterator[Shop]:
    with shops():
        yield Shop.objects.create(workspace=demo_workspace, name="Corner")


def edit(user: User, type_: str, keys: list[Any], **updates: Any) -> tuple[ChangeSet, list[str]]:
    """Gives all of them these values, by hand. Gives the change set and the statements of the change."""
    member = member_of(user)
    of = existing(member.workspace.pk, Ref(type_, str(keys[0])))
    assert of is not None
    actions = [UpdateObject.model_validate({"object": f"{type_}:{key}", "updates": updates}) for key in keys]
    with CaptureQueriesContext(connection) as captured:
        done = editing.edit(member, of, editing.Request(actions))
    return ChangeSet.objects.get(pk=done), asked(captured)


def edited(user: User, type_: str, keys: list[Any], **updates: Any) -> ChangeSet:
    return edit(user, type_, keys, **updates)[0]


def asked(captured: CaptureQueriesContext) -> list[str]:
    """The statements but those that only mark where a transaction may return to."""
    marks = ("SAVEPOINT", "RELEASE", "BEGIN", "COMMIT")
    return [each["sql"] for each in captured.captured_queries if not each["sql"].lstrip().startswith(marks)]


def many(shop: Shop, count: int) -> list[Any]:
    return [product(shop, f"P{number:03}", notes="").pk for number in range(count)]


@pytest.mark.faults
def test_a_thousand_records_change_in_twelve_statements(demo_workspace: Workspace, alice: User) -> None:
    rows = [UseCase(workspace=demo_workspace, data={"name": f"U{number}"}) for number in range(1_000)]
    keys = [row.pk for row in UseCase.objects.bulk_create(rows)]
    edited(alice, "usecase", keys, status="ready")  # their histories begin
    done, statements = edit(alice, "usecase", keys, status="archived")
    assert len(statements) <= 12, statements
    assert UseCase.objects.filter(status="archived").count() == 1_000
    assert set(Object.objects.filter(type="usecase").values_list("version", flat=True)) == {3}
    assert done.modifications.filter(field="status", old="ready", new="archived").count() == 1_000


def test_many_take_as_many_statements_as_few(shop: Shop, alice: User) -> None:
    def statements(keys: list[Any], motto: str) -> int:
        edited(alice, "product", keys, notes=f"{motto} before")
        return len(edit(alice, "product", keys, notes=motto, price="2.50")[1])

    keys = many(shop, 40)
    assert statements(keys[:2], "few") == statements(keys, "many")
    assert {(row.notes, str(row.price)) for row in Product.objects.all()} == {("many", "2.50")}


def test_each_gets_its_values_and_a_version_and_a_history(shop: Shop, alice: User) -> None:
    first, second, other = many(shop, 3)
    edited(alice, "product", [first, second], notes="read", price="2.5")
    done = edited(alice, "product", [first, second], notes="again", **{"data.problem": "dark"})
    for key in (first, second):
        row, header = Product.objects.get(pk=key), Object.objects.get(type="product", key=key)
        assert (row.notes, str(row.price), row.data) == ("again", "2.50", {"problem": "dark"})
        assert header.version == 3
        assert header.as_recorded is not None
        assert (header.as_recorded["notes"], header.as_recorded["price"]) == ("again", "2.50")
    assert set(done.modifications.values_list("field", "old", "new")) == {
        ("notes", "read", "again"),
        ("data.problem", None, "dark"),
    }
    assert Product.objects.get(pk=other).notes == ""
    catch_up(Object.objects.filter(type="product"))
    assert not ChangeSet.objects.filter(origin="outside").exists()


def test_what_receivers_make_of_rows_is_part_of_the_change(shop: Shop, alice: User) -> None:
    told: list[tuple[str, str, bool]] = []

    def derive(instance: Product, **_options: Any) -> None:
        instance.weight = float(len(instance.notes))

    def saved(instance: Product, created: bool, **_options: Any) -> None:
        told.append((instance.name, instance.notes, created))

    keys = many(shop, 3)
    pre_save.connect(derive, sender=Product)
    post_save.connect(saved, sender=Product)
    try:
        done = edited(alice, "product", keys, notes="four")
    finally:
        pre_save.disconnect(derive, sender=Product)
        post_save.disconnect(saved, sender=Product)
    assert sorted(told) == [(f"P{number:03}", "four", False) for number in range(3)]
    assert set(Product.objects.values_list("weight", flat=True)) == {4.0}
    assert done.modifications.filter(field="weight", new=4.0).count() == 3


def test_what_a_model_makes_of_its_json_in_place_is_saved(
    shop: Shop, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Product, "clean", lambda row: row.data.update(checked=True))
    done = edited(alice, "product", many(shop, 2), notes="x")
    assert [row.data for row in Product.objects.all()] == [{"checked": True}] * 2
    assert done.modifications.filter(field="data.*").count() == 2


def test_a_model_with_a_save_of_its_own_saves_each_row(
    shop: Shop, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved: list[str] = []
    save = Product.save
    keys = many(shop, 3)
    monkeypatch.setattr(Product, "save", lambda row, **options: (saved.append(row.name), save(row, **options)))
    edited(alice, "product", keys, notes="x")
    assert saved == ["P000", "P001", "P002"]


def refuse_the_second(row: Product) -> None:
    if row.name == "P001":
        raise ValidationError({"notes": "Not this one."})


def test_one_that_its_model_refuses_keeps_all_as_they_were(
    shop: Shop, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = many(shop, 3)
    monkeypatch.setattr(Product, "clean", refuse_the_second)
    with pytest.raises(ChangeRefused, match="notes: Not this one"):
        edited(alice, "product", keys, notes="x")
    assert set(Product.objects.values_list("notes", flat=True)) == {""}
    assert not Modification.objects.exists()


def test_all_move_to_another_holder_of_the_workspace_only(
    shop: Shop, alice: User, demo_workspace: Workspace, other_workspace: Workspace
) -> None:
    keys = many(shop, 3)
    member = member_of(alice)
    of = existing(demo_workspace.pk, Ref("product", str(keys[0])))
    assert of is not None

    def move(to: Shop) -> None:
        steps = [{"object": f"product:{key}", "parent": f"shop:{to.pk}"} for key in keys]
        editing.edit(member, of, editing.Request([MoveObject.model_validate(step) for step in steps]))

    market = Shop.objects.create(workspace=demo_workspace, name="Market")
    move(market)
    assert set(Product.objects.values_list("shop__name", flat=True)) == {"Market"}
    foreign = Shop.objects.create(workspace=other_workspace, name="Foreign")
    with pytest.raises(ChangeRefused, match='There is no "shop:'):
        move(foreign)
    assert set(Product.objects.values_list("shop__name", flat=True)) == {"Market"}
