"""Kinds registered with `cascade`: an object goes with all that it holds, as one change, and all of it comes back."""

import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import connection
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext

from graphs.history import changes, rollback
from graphs.history.recording import Applied, Because
from graphs.history.scopes import ChangeSets
from graphs.models import Graph, Modification, Object, Origin, Workspace
from graphs.objects import object_plan, planning
from graphs.objects.actions import ChangeRefused, parse
from graphs.objects.operations import Delete
from graphs.objects.planning import plan
from graphs.objects.refs import Ref
from graphs.site.access import Member, member_of
from tests.proposed import Call
from tests.registered import product, registered
from tests.shop.models import Product, Shop

FIELDS = ("name", "notes", "price", "since", "weight", "data.problem", "data.*")


def shops(**of_products: Any) -> ExitStack:
    stack = ExitStack()
    stack.enter_context(registered(Shop, title="name", workspace="workspace", fields=("name", "motto"), cascade=True))
    options = {"title": "name", "workspace": "shop__workspace", "parent": "shop", "fields": FIELDS} | of_products
    stack.enter_context(registered(Product, **options))
    return stack


@pytest.fixture
def kinds() -> Iterator[None]:
    with shops():
        yield


@pytest.fixture
def shop(kinds: None, demo_workspace: Workspace) -> Shop:
    """Known by a number, it holds two products."""
    made = Shop.objects.create(workspace=demo_workspace, name="Corner")
    product(made, "Lamp", data={"problem": "dark", "other": [1]}, price="3.50")
    product(made, "Umbrella", weight=1.5)
    return made


def gone(shop: Shop) -> Call:
    return "delete_object", {"object": f"shop:{shop.pk}"}


def planned(graph: Graph, *asked: Call, member: Member | None = None) -> planning.Planned:
    return plan(graph, [parse(name, arguments) for name, arguments in asked], member=member)


def done(graph: Graph, *asked: Call) -> Applied:
    return changes.apply(graph, planned(graph, *asked).operations, Because(None, Origin.MANUAL))


def refusal(graph: Graph, *asked: Call, member: Member | None = None) -> str:
    with pytest.raises(ChangeRefused) as refused:
        planned(graph, *asked, member=member)
    return str(refused.value)


def stored() -> list[Any]:
    return [*Shop.objects.order_by("pk").values(), *Product.objects.order_by("pk").values()]


def test_what_it_holds_goes_with_it_and_comes_back_as_it_was(nba: Graph, alice: User, shop: Shop) -> None:
    before = stored()
    found = planned(nba, gone(shop))
    assert [type(operation) for operation in found.operations] == [Delete] * 3
    assert found.operations[-1].item == Ref("shop", str(shop.pk))
    assert {(target.type, target.version) for target in found.targets} == {("product", 1), ("shop", 1)}
    headers = set(Object.objects.filter(type="product").values_list("pk", "key"))
    made = done(nba, gone(shop))
    assert stored() == []
    assert not Object.objects.filter(type__in=["shop", "product"]).exists()
    assert Modification.objects.filter(change_set=made.change_set_id, action="delete").count() == 3
    assert {each.label for each in made.objects} == {"Umbrella", "Lamp", "Corner"}
    rollback.roll_back(nba.workspace_id, alice, ChangeSets((made.change_set_id,)))
    assert stored() == before
    assert set(Object.objects.filter(type="product").values_list("pk", "key")) == headers
    assert set(Object.objects.filter(type="product").values_list("version", flat=True)) == {3}


def test_what_the_batch_moved_away_stays(nba: Graph, shop: Shop) -> None:
    lamp, market = Product.objects.get(name="Lamp"), Shop.objects.create(workspace=nba.workspace, name="Market")
    move: Call = ("move_object", {"object": f"product:{lamp.pk}", "parent": f"shop:{market.pk}"})
    remove: Call = ("delete_object", {"object": f"product:{Product.objects.get(name='Umbrella').pk}"})
    done(nba, move, remove, gone(shop))
    assert list(Product.objects.values_list("name", "shop__name")) == [("Lamp", "Market")]


def test_what_the_batch_moved_there_stands_in_the_way(nba: Graph, shop: Shop) -> None:
    lamp = product(Shop.objects.create(workspace=nba.workspace, name="Market"))
    move: Call = ("move_object", {"object": f"product:{lamp.pk}", "parent": f"shop:{shop.pk}"})
    assert refusal(nba, move, gone(shop)).endswith(f"shop:{shop.pk} is still used by: product:{lamp.pk}.")


def test_what_a_member_may_not_see_stands_in_the_way_without_its_name(
    nba: Graph, alice: User, demo_workspace: Workspace
) -> None:
    with shops(may_see=lambda _member, row: row.name != "Secret"):
        shop = Shop.objects.create(workspace=demo_workspace, name="Corner")
        secret = product(shop, "Secret")
        text = refusal(nba, gone(shop), member=member_of(alice))
        assert text == f"shop:{shop.pk} is still used by: product."
        assert str(secret.pk) not in text


def test_what_another_workspace_put_there_stands_in_the_way(
    nba: Graph, demo_workspace: Workspace, other_workspace: Workspace
) -> None:
    def of_its_slug(workspace: Workspace) -> QuerySet[Product]:
        return Product.objects.filter(notes=workspace.slug)

    with shops(workspace=of_its_slug):
        shop = Shop.objects.create(workspace=demo_workspace, name="Corner")
        product(shop, "Own", notes="demo")
        assert len(planned(nba, gone(shop)).operations) == 2
        foreign = product(shop, "Foreign", notes="other")
        assert refusal(nba, gone(shop)) == f"shop:{shop.pk} is still used by: product:{foreign.pk}."


def test_one_goes_with_as_many_as_may_change_at_once_and_no_more(
    nba: Graph, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_plan, "MAX_OPERATIONS", 2)
    assert len(planned(nba, gone(shop)).operations) == 3
    product(shop, "One more")
    assert refusal(nba, gone(shop)).endswith("would go with more than 2 objects. Delete some of them first.")


def test_two_that_hold_too_many_together_are_refused(
    nba: Graph, shop: Shop, demo_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_plan, "MAX_OPERATIONS", 2)
    other = Shop.objects.create(workspace=demo_workspace, name="Market")
    product(other, "Bench")
    assert "3 items would change; at most 2 can at once" in refusal(nba, gone(shop), gone(other))


def test_many_take_as_many_statements_as_few(nba: Graph, alice: User, shop: Shop) -> None:
    def statements() -> tuple[int, int]:
        with CaptureQueriesContext(connection) as deleting:
            made = done(nba, gone(shop))
        with CaptureQueriesContext(connection) as undoing:
            rollback.roll_back(nba.workspace_id, alice, ChangeSets((made.change_set_id,)))
        return len(deleting), len(undoing)

    statements()  # what has no header yet gets one
    few = statements()
    Product.objects.bulk_create(Product(id=uuid.uuid4(), shop=shop, name=f"P{n}") for n in range(80))
    statements()
    assert statements() == few


def test_a_model_with_a_save_of_its_own_is_asked_for_each_row(
    nba: Graph, alice: User, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    save, delete = Product.save, Product.delete
    monkeypatch.setattr(Product, "save", lambda row, **options: (calls.append("save"), save(row, **options))[1])
    monkeypatch.setattr(Product, "delete", lambda row: (calls.append("delete"), delete(row))[1])
    before = stored()
    made = done(nba, gone(shop))
    rollback.roll_back(nba.workspace_id, alice, ChangeSets((made.change_set_id,)))
    assert (stored(), calls) == (before, ["delete"] * 2 + ["save"] * 2)


def refuse_lamps(row: Product) -> None:
    if row.name == "Lamp":
        raise ValidationError("No lamps any more.")


def test_what_its_model_refuses_by_now_does_not_come_back(
    nba: Graph, alice: User, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = done(nba, gone(shop))
    monkeypatch.setattr(Product, "clean", refuse_lamps)
    with pytest.raises(ChangeRefused, match="No lamps any more"):
        rollback.roll_back(nba.workspace_id, alice, ChangeSets((made.change_set_id,)))
    assert stored() == []
