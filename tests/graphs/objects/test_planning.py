"""Batches whose actions are of several kinds: each sees what those before it would have done, whatever it is about."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.db import connection

from graphs.history import changes, rollback
from graphs.history.recording import Applied, Because
from graphs.history.rollback import Clashing
from graphs.history.scopes import ChangeSets
from graphs.models import Graph, Node, NodeType, Origin
from graphs.objects.actions import ChangeRefused, parse
from graphs.objects.operations import Planned
from graphs.objects.planning import plan
from graphs.objects.refs import Ref
from tests.graphs.workflows.planning.asking import shown
from tests.proposed import Call
from tests.registered import product, shops
from tests.shop.models import Product, Shop

RETRY: Call = ("create_object", {"kind": "nodeType", "key": "retry", "fields": {"displayName": "Retry"}})
CONFIGURE: Call = ("configure_node_type", {"mode": "create", "typeKey": "retry", "displayName": "Retry"})
NODE: Call = ("create_node", {"typeKey": "retry", "sheet": "main", "posX": 0, "posY": 0, "key": "again"})
RENAME: Call = ("update_object", {"object": "nodeType:retry", "updates": {"displayName": "Again"}})
DELETE: Call = ("delete_object", {"object": "nodeType:retry"})
DELETE_TYPE: Call = ("delete_node_type", {"typeKey": "retry"})
NO_NODE: Call = ("delete_node", {"nodeKey": "return"})
SHOP: Call = ("create_object", {"kind": "shop", "key": "77", "fields": {"name": "Corner"}})
LAMP = "7d45e46c-64df-495a-ae9c-af3791f44162"
IN_IT: Call = ("create_object", {"kind": "product", "key": LAMP, "parent": "shop:77", "fields": {"name": "Lamp"}})


def planned(graph: Graph, *asked: Call) -> Planned:
    return plan(graph, [parse(name, arguments) for name, arguments in asked])


def refused(graph: Graph, *asked: Call) -> list[str]:
    with pytest.raises(ChangeRefused) as refusal:
        planned(graph, *asked)
    return list(refusal.value.problems)


def done(graph: Graph, *asked: Call) -> Applied:
    return changes.apply(graph, planned(graph, *asked).operations, Because(None, Origin.MANUAL))


@pytest.fixture
def used(nba: Graph) -> Graph:
    """Its node "return" is the only one of the type "retry"."""
    NodeType.objects.create(workspace=nba.workspace, key="retry", display_name="Retry")
    Node.objects.filter(key="return").update(type="retry")
    return nba


@pytest.fixture
def registered() -> Iterator[None]:
    with shops():
        yield


@pytest.mark.parametrize("made", [RETRY, CONFIGURE])
def test_a_node_is_of_a_type_that_the_batch_makes(nba: Graph, made: Call) -> None:
    done(nba, made, NODE, RENAME)
    assert (Node.objects.get(key="again").type, NodeType.objects.get().display_name) == ("retry", "Again")


@pytest.mark.parametrize(("first", "second"), [(RETRY, CONFIGURE), (CONFIGURE, RETRY), (RETRY, RETRY)])
def test_one_key_is_given_once(nba: Graph, first: Call, second: Call) -> None:
    (problem,) = refused(nba, first, second)
    assert problem.startswith(f"Action 2 ({second[0]}): There is ")


@pytest.mark.parametrize("deleted", [DELETE, DELETE_TYPE])
def test_what_is_deleted_is_gone_for_what_follows(nba: Graph, deleted: Call) -> None:
    NodeType.objects.create(workspace=nba.workspace, key="retry", display_name="Retry")
    assert refused(nba, deleted, RENAME) == ['Action 2 (update_object): There is no "nodeType:retry".']
    assert "Action 2 (create_node)" in refused(nba, deleted, NODE)[0]


def test_a_type_goes_with_its_last_node(used: Graph) -> None:
    assert "still used by: node:return" in refused(used, DELETE)[0]
    done(used, NO_NODE, DELETE)
    assert not NodeType.objects.exists()


def test_a_type_stays_while_the_batch_gives_it_to_a_node(used: Graph) -> None:
    assert "still used by: node:again" in refused(used, NODE, NO_NODE, DELETE)[0]
    given: Call = ("update_node", {"nodeKey": "root", "updates": {"type": "retry"}})
    assert "still used by: node:root" in refused(used, NO_NODE, given, DELETE)[0]


def test_actions_are_counted_as_they_were_given(nba: Graph) -> None:
    wrong: Call = ("delete_node", {"nodeKey": "none"})
    problems = refused(nba, RETRY, wrong, RETRY, wrong)
    assert [problem.partition(":")[0] for problem in problems] == [
        "Action 2 (delete_node)", "Action 3 (create_object)", "Action 4 (delete_node)",
    ]  # fmt: skip


def test_operations_stand_in_the_order_of_the_actions(nba: Graph) -> None:
    rename: Call = ("update_node", {"nodeKey": "root", "updates": {"name": "Begin"}})
    found = shown(planned(nba, rename, RETRY, NODE).operations)
    assert found == [("update", "node", "root"), ("create", "nodeType", "retry"), ("create", "node", "again")]


def test_what_contradicts_itself_is_refused(nba: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    def contradicting(_operations: object) -> None:
        raise ValueError

    monkeypatch.setattr("graphs.objects.planning.net", contradicting)
    assert refused(nba, RETRY) == ["These actions contradict each other."]


@pytest.mark.usefixtures("registered")
def test_what_is_made_holds_what_is_made_after_it(nba: Graph, alice: User) -> None:
    dearer: Call = ("update_object", {"object": f"product:{LAMP}", "updates": {"price": 3}})
    made = done(nba, SHOP, IN_IT, dearer)
    assert Product.objects.values_list("shop", "price").get() == (77, 3)
    rollback.roll_back(nba.workspace_id, alice, ChangeSets((made.change_set_id,)))
    assert not Shop.objects.exists()


@pytest.mark.usefixtures("registered")
def test_the_model_of_what_is_made_says_what_it_may_hold(nba: Graph) -> None:
    worthless: Call = ("update_object", {"object": f"product:{LAMP}", "updates": {"price": -1}})
    assert refused(nba, SHOP, IN_IT, worthless) == ["Action 3 (update_object): price: A price is not negative."]


@pytest.mark.usefixtures("registered")
def test_what_holds_what_the_batch_put_there_stays(nba: Graph) -> None:
    gone: Call = ("delete_object", {"object": "shop:77"})
    assert f"still used by: product:{LAMP}" in refused(nba, SHOP, IN_IT, gone)[0]
    Shop.objects.create(workspace=nba.workspace, pk=77, name="Corner")
    lamp = product(Shop.objects.create(workspace=nba.workspace, name="Market"))
    move: Call = ("move_object", {"object": f"product:{lamp.pk}", "parent": "shop:77"})
    assert f"still used by: product:{lamp.pk}" in refused(nba, move, gone)[0]


@pytest.mark.usefixtures("registered")
def test_what_a_rollback_would_put_into_what_it_deletes_is_named(nba: Graph, alice: User) -> None:
    made = done(nba, SHOP)
    lamp = Product.objects.create(shop_id=77, name="Lamp")
    other = Shop.objects.create(workspace=nba.workspace, name="Market")
    moved = done(nba, ("move_object", {"object": f"product:{lamp.pk}", "parent": f"shop:{other.pk}"}))
    with pytest.raises(Clashing) as refusal:
        rollback.roll_back(nba.workspace_id, alice, ChangeSets((made.change_set_id, moved.change_set_id)))
    assert [clash.by for _of, clash in refusal.value.plan.clashes] == [Ref("product", str(lamp.pk))]
    assert Product.objects.filter(pk=lamp.pk).exists()


def test_the_database_counts_on_behind_a_key_that_was_chosen(nba: Graph, registered: None) -> None:
    done(nba, SHOP)
    assert Shop.objects.create(workspace=nba.workspace, name="Made by its application").pk > 77
    far: Call = ("create_object", {"kind": "shop", "key": str(10**12), "fields": {"name": "Far"}})
    (problem,) = refused(nba, far)
    assert "Leave it out, then one is made." in problem


def test_the_database_is_never_counted_back(nba: Graph, registered: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER SEQUENCE shop_shop_id_seq RESTART WITH 100000")
    done(nba, SHOP)
    near: Call = ("create_object", {"kind": "shop", "key": "100500", "fields": {"name": "Near"}})
    done(nba, near)
    assert Shop.objects.create(workspace=nba.workspace, name="Made by its application").pk == 100_501
