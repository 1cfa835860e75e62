from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from graphs.models import ChangeSet, Graph, Object, Workspace
from graphs.objects.kinds import Kind
from tests.graphs.api.callers import post_json, problem, with_token
from tests.graphs.tables.files import API
from tests.registered import product, shops
from tests.shop.models import Product, Shop


def copy(client: Client, kind: str, key: object, **body: Any) -> Any:
    return post_json(client, f"{API}/{kind}/{key}/copy", body)


def test_a_copy_has_all_but_the_name_and_stands_beside_it(client: Client, shop: Shop) -> None:
    ball = product(shop, "Ball", price=5, data={"problem": "flat", "scores": [1]})
    answer = copy(client, "product", ball.pk)
    assert answer.status_code == 201, answer.content
    made = Product.objects.get(pk=answer.json()["id"])
    assert (made.name, made.shop, made.price, made.data) == ("Ball (copy)", shop, 5, ball.data)
    assert made.pk != ball.pk


def test_children_come_with_it_only_if_that_is_asked_for(client: Client, shop: Shop) -> None:
    product(shop, "Ball"), product(shop, "Net")
    alone = copy(client, "shop", shop.pk).json()
    assert (alone["title"], alone["children"]) == ("Sports (copy)", {"product": 0})
    whole = copy(client, "shop", shop.pk, children=True).json()
    assert whole["children"] == {"product": 2}
    names = Product.objects.filter(shop=whole["id"]).values_list("name", flat=True)
    assert sorted(names) == ["Ball", "Net"]
    made = ChangeSet.objects.latest("created_at")
    assert post_json(client, f"/api/v1/history/{made.pk}/rollback", {}).status_code == 201
    assert (Shop.objects.count(), Product.objects.count()) == (2, 2)


def test_a_graph_is_copied_with_all_that_is_in_it(client: Client, nba: Graph) -> None:
    made = copy(client, "graph", "nba").json()
    found = Graph.objects.get(key=made["id"])
    assert (found.nodes.count(), found.edges.count()) == (nba.nodes.count(), nba.edges.count())
    assert made["title"].endswith("(copy)")


def test_a_long_name_is_cut(client: Client, shop: Shop) -> None:
    made = copy(client, "product", product(shop, "x" * 100).pk).json()
    assert (len(made["title"]), made["title"][-7:]) == (100, " (copy)")


def test_too_many_children_are_refused(client: Client, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphs.tables.duplicating.MAX_OPERATIONS", 2)
    product(shop, "Ball"), product(shop, "Net")
    assert "More than 2" in problem(copy(client, "shop", shop.pk, children=True), 400, "refused")["detail"]
    assert Shop.objects.count() == 1


def test_a_copy_of_what_is_untrusted_is_so_too(client: Client, shop: Shop) -> None:
    ball = product(shop, "Ball")
    key = str(ball.pk)
    Object.objects.create(workspace=shop.workspace, type="product", key=key, untrusted_since=timezone.now())
    made = copy(client, "shop", shop.pk, children=True).json()
    child = Product.objects.get(shop=made["id"])
    assert Object.objects.get(key=str(child.pk)).untrusted_since is not None


def test_viewers_are_refused_and_what_is_foreign_is_absent(
    bob: User, charlie: User, products: Kind, shop: Shop
) -> None:
    ball = product(shop, "Ball")
    problem(copy(with_token(bob), "product", ball.pk), 403, "forbidden")
    problem(copy(with_token(charlie), "product", ball.pk), 404, "not_found")
    problem(copy(with_token(charlie), "product", "00000000-0000-4000-8000-000000000007"), 404, "not_found")
    assert Product.objects.count() == 1


def test_what_may_not_be_seen_is_not_copied_with_its_parent(client: Client, demo_workspace: Workspace) -> None:
    with shops(may_see=lambda _member, row: row.name != "Secret"):
        shop = Shop.objects.create(workspace=demo_workspace, name="Sports")
        product(shop, "Secret"), product(shop, "Ball")
        made = copy(client, "shop", shop.pk, children=True).json()
        assert list(Product.objects.filter(shop=made["id"]).values_list("name", flat=True)) == ["Ball"]
