"""One proposal for a graph, a node type and a row of an application: one decision, one change set, one way back."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import connections

from chat.actions import deciding
from chat.actions.deciding import Decision
from chat.actions.refusals import Refused
from chat.models import Proposal, ProposalStatus, StreamEvent
from graphs.history import rollback
from graphs.history.editing import Request
from graphs.history.rollback import Clashing, LeftOut
from graphs.history.scopes import ChangeSets
from graphs.models import ChangeSet, Graph, Modification, NodeType, Object, Role
from graphs.objects import actions
from graphs.site.access import member_of
from graphs.workflows.live import editing as live_editing
from tests.cast import member
from tests.proposed import Call, waiting
from tests.registered import shops
from tests.shop.models import Product, Shop
from tests.things import Thing, change_sets, node_of, product_of, type_of

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Three:
    node: Thing
    type: Thing
    row: Thing

    def __iter__(self) -> Iterator[Thing]:
        return iter((self.node, self.type, self.row))

    @property
    def called(self) -> list[str]:
        return [each.called for each in self]

    def batch(self, name: str = "Fetch", *more: Call) -> Call:
        calls = [*(each.rename_call(name) for each in self), *more]
        steps = [{"tool": f"propose_{tool}", "arguments": arguments} for tool, arguments in calls]
        return "batch", {"actions": steps}


@pytest.fixture
def three(nba: Graph) -> Iterator[Three]:
    with shops():
        yield Three(node_of(nba), type_of(nba.workspace), product_of(nba.workspace))


@pytest.fixture
def proposal(alice: User, nba: Graph, three: Three) -> Proposal:
    (made,) = waiting(alice, nba, three.batch())
    return made


def approve(user: User, proposal: Proposal, **values: Any) -> Proposal:
    return deciding.decide(member_of(user), str(proposal.pk), Decision(True, **values)).proposal


def test_it_is_applied_as_one_and_each_hears_of_its_part(alice: User, three: Three, proposal: Proposal) -> None:
    applied = approve(alice, proposal)
    assert three.called == ["Fetch"] * 3
    made = change_sets().get()
    assert (made.pk, made.size) == (applied.change_set, 3)
    assert set(made.revisions.values_list("type", "version")) == {("graph", 2), ("nodeType", 2), ("product", 2)}
    heard = StreamEvent.objects.filter(type="object_changed").values_list("stream__name", "data__object__type")
    of_graph = {(three.node.stream, kind) for kind in ("graph", "nodeType", "product")}
    assert set(heard) == of_graph | {(three.type.stream, "nodeType"), (three.row.stream, "product")}


@pytest.mark.parametrize("which", [0, 1, 2])
def test_one_that_changed_keeps_all_from_changing(alice: User, three: Three, proposal: Proposal, which: int) -> None:
    changed = list(three)[which]
    changed.change(alice, "Mine")
    with pytest.raises(Refused) as refusal:
        approve(alice, proposal)
    assert refusal.value.code == "stale"
    assert [each["object"] for each in refusal.value.extra["conflicts"]] == [changed.item.to_json()]
    assert sorted(three.called) == ["Fetch API", "Fetch API", "Mine"]


def test_what_the_model_of_one_refuses_keeps_all_from_changing(alice: User, three: Three) -> None:
    """It may look at more than was there when it was proposed."""
    (made,) = waiting(alice, three.node.around, three.batch("Fetch", three.row.update_call(price="5.00")))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tests.shop.models.Product.clean", _sold_out)
        with pytest.raises(Refused, match="Sold out"):
            approve(alice, made)
    assert three.called == ["Fetch API"] * 3
    assert Object.objects.get(pk=three.node.around.pk).version == 1


def _sold_out(_row: Any) -> None:
    raise ValidationError("Sold out.")


def test_live_edits_of_the_graph_come_first(alice: User, three: Three, proposal: Proposal) -> None:
    action = actions.parse("update_node", {"nodeKey": "root", "updates": {"name": "Live"}})
    live_editing.edit(member_of(alice), three.node.around.pk, Request([action], key="k"))
    assert approve(alice, proposal).status == ProposalStatus.APPLIED
    versions = Modification.objects.filter(type="graph").order_by("version").values_list("version", "key", "new")
    assert list(versions) == [(2, "root", "Live"), (3, "fetch-api", "Fetch")]
    assert three.called == ["Fetch"] * 3


def test_it_is_edited_and_previewed_as_a_whole(alice: User, three: Three, proposal: Proposal) -> None:
    _name, arguments = three.batch("Get")
    shown = deciding.preview(member_of(alice), str(proposal.pk), arguments)
    assert [entry["fields"][0]["new"] for entry in shown.diff] == ["Get"] * 3
    approve(alice, proposal, edited_arguments=arguments, digest=shown.digest)
    assert three.called == ["Get"] * 3


def test_what_a_batch_makes_it_can_go_on_with(alice: User, three: Three) -> None:
    key = "7d45e46c-64df-495a-ae9c-af3791f44162"
    shop = f"shop:{three.row.record['parent']}"
    new = ("create_object", {"kind": "product", "key": key, "parent": shop, "fields": {"name": "New"}})
    price = ("update_object", {"object": f"product:{key}", "updates": {"price": 3}})
    (made,) = waiting(alice, three.node.around, three.batch("Fetch", new, price, three.type.delete_call()))
    applied = approve(alice, made)
    found = dict(Modification.objects.filter(change_set=applied.change_set).values_list("type", "action"))
    assert found == {"graph": "update", "nodeType": "delete", "product": "create"}
    assert Modification.objects.get(key=key).new["price"] == "3.00"
    rollback.roll_back(three.row.workspace.pk, alice, ChangeSets((applied.change_set,)))
    assert three.called == ["Fetch API"] * 3
    assert not Object.objects.filter(key=key).exists()


def test_it_is_taken_back_but_for_what_is_left_out(alice: User, three: Three, proposal: Proposal) -> None:
    made = ChangeSets((approve(alice, proposal).change_set,))  # type: ignore[arg-type]
    workspace = three.row.workspace.pk
    three.row.change(alice, "Mine")
    three.type.change(alice, "Mine, too")
    with pytest.raises(Clashing) as refusal:
        rollback.roll_back(workspace, alice, made)
    assert {clash.item for _of, clash in refusal.value.plan.clashes} == {three.row.item, three.type.item}
    assert three.called == ["Fetch", "Mine, too", "Mine"]
    left = [LeftOut(each.item, each.name, each.around.key) for each in (three.row, three.type)]
    rollback.roll_back(workspace, alice, made, left)
    assert three.called == ["Fetch API", "Mine, too", "Mine"]


@pytest.mark.django_db(transaction=True)
def test_of_two_people_who_approve_batches_in_either_order_nobody_waits_for_ever(alice: User, three: Three) -> None:
    """The batches name the same objects the other way round; all are held in one order."""
    dora = member("dora", three.row.workspace, Role.EDITOR)
    turned = Three(three.row, three.type, three.node)
    for number in range(3):
        (first,), (second,) = (
            waiting(who, three.node.around, batch) for who, batch in
            ((alice, three.batch(f"A{number}")), (dora, turned.batch(f"D{number}")))
        )  # fmt: skip
        with ThreadPoolExecutor(2) as threads:
            found = sorted(threads.map(_decided, (alice, dora), (first, second)))
        assert found == ["applied", "stale"]
        assert len(set(three.called)) == 1
    assert ChangeSet.objects.filter(cause__startswith="proposal:").count() == 3


def _decided(who: User, proposal: Proposal) -> str:
    try:
        return approve(who, proposal).status
    except Refused as refusal:
        return refusal.code
    finally:
        connections.close_all()


RENAME_GRAPH: Call = ("update_object", {"object": "graph:nba", "updates": {"name": "Games"}})


def test_the_name_of_a_graph_does_not_wait_for_its_nodes(alice: User, three: Three) -> None:
    (rename,) = waiting(alice, three.node.around, RENAME_GRAPH)
    three.node.change(alice, "Mine")
    assert approve(alice, rename).status == ProposalStatus.APPLIED
    of_one_turn = waiting(alice, three.node.around, three.node.rename_call(), _renamed("Scores"))
    assert [approve(alice, each).status for each in of_one_turn] == [ProposalStatus.APPLIED] * 2
    assert (Graph.objects.get(key="nba").name, three.node.called) == ("Scores", "Fetch")


def test_a_graph_that_got_another_name_is_not_renamed(alice: User, three: Three) -> None:
    (rename,) = waiting(alice, three.node.around, RENAME_GRAPH)
    approve(alice, waiting(alice, three.node.around, _renamed("Mine"))[0])
    with pytest.raises(Refused) as refusal:
        approve(alice, rename)
    assert refusal.value.code == "stale"
    assert [each["field"] for each in refusal.value.extra["conflicts"]] == ["name"]


def _renamed(name: str) -> Call:
    return "update_object", {"object": "graph:nba", "updates": {"name": name}}


def test_a_parent_only_has_to_be_there(alice: User, three: Three) -> None:
    shop = f"shop:{three.row.record['parent']}"
    new: Call = ("create_object", {"kind": "product", "parent": shop, "fields": {"name": "New"}})
    first, second = (waiting(alice, three.node.around, new)[0] for _ in range(2))
    motto: Call = ("update_object", {"object": shop, "updates": {"motto": "Cheap"}})
    approve(alice, waiting(alice, three.node.around, motto)[0])
    assert approve(alice, first).status == ProposalStatus.APPLIED
    Shop.objects.all().delete()
    with pytest.raises(Refused) as refusal:
        approve(alice, second)
    assert refusal.value.code in ("stale", "failed")


NEW_TYPE: Call = ("create_object", {"kind": "nodeType", "fields": {"displayName": "Retry"}})


def test_what_is_made_without_a_key_is_approved_edited(alice: User, three: Three) -> None:
    shop = f"shop:{three.row.record['parent']}"
    row: Call = ("create_object", {"kind": "product", "parent": shop, "fields": {"name": "New"}})
    (made,) = waiting(alice, three.node.around, three.batch("Fetch", NEW_TYPE, row))
    edited = json.loads(json.dumps(made.arguments).replace('"New"', '"Newer"'))
    shown = deciding.preview(member_of(alice), str(made.pk), edited)
    approve(alice, made, edited_arguments=edited, digest=shown.digest)
    assert NodeType.objects.exclude(key=three.type.item.key).get().display_name == "Retry"
    assert Product.objects.exclude(pk=three.row.item.key).get().name == "Newer"


def test_what_is_edited_without_the_keys_that_were_made_is_applied_as_it_was_previewed(
    alice: User, three: Three
) -> None:
    shop = f"shop:{three.row.record['parent']}"
    rows: list[Call] = [
        ("create_object", {"kind": "product", "parent": shop, "fields": {"name": name}}) for name in ("One", "Two")
    ]
    for asked in (
        three.batch("Fetch", NEW_TYPE, *rows),
        rows[0],
        ("create_object", {"kind": "shop", "fields": {"name": "Two"}}),
    ):
        (made,) = waiting(alice, three.node.around, asked)
        edited = json.loads(json.dumps(made.arguments).replace('"Two"', '"Three"'))
        for step in edited.get("actions", [{"arguments": edited}]):
            if "fields" in step["arguments"] and step["arguments"]["fields"].get("name") != "One":
                step["arguments"]["key"] = None
        shown = deciding.preview(member_of(alice), str(made.pk), edited)
        assert shown.digest == deciding.preview(member_of(alice), str(made.pk), edited).digest
        assert [each["id"] for each in shown.operations] == [each["id"] for each in made.operations]
        decided = approve(alice, made, edited_arguments=edited, digest=shown.digest)
        assert decided.status == ProposalStatus.APPLIED
        assert decided.decided_arguments == json.loads(json.dumps(made.arguments).replace('"Two"', '"Three"'))


def test_what_is_edited_makes_nothing_of_another_kind(alice: User, three: Three) -> None:
    (made,) = waiting(alice, three.node.around, ("create_object", {"kind": "shop", "fields": {"name": "One"}}))
    for key in ({}, {"key": "mine"}):
        edited = {"kind": "nodeType", "fields": {"displayName": "Retry"}} | key
        with pytest.raises(Refused) as refusal:
            deciding.preview(member_of(alice), str(made.pk), edited)
        assert refusal.value.code == "validation"
        assert "does nothing that was not proposed" in str(refusal.value)


def test_things_made_in_one_turn_keep_their_keys(alice: User, three: Three) -> None:
    """The second one is computed anew, because the first changed what it was computed from."""
    batch = three.batch("Get", NEW_TYPE)
    move: Call = ("move_node", {"nodeKey": "fetch-api", "posX": 1, "posY": 2})
    first, second = waiting(alice, three.node.around, move, batch)
    assert [approve(alice, each).status for each in (first, second)] == [ProposalStatus.APPLIED] * 2
    assert NodeType.objects.filter(key=second.operations[-1]["id"]).exists()
