"""Rows of an application, and what other code does to them between what is asked for here and what is done."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import DEFAULT_DB_ALIAS, connection, transaction
from django.db.models import ProtectedError
from django.db.models.signals import pre_delete, pre_save
from django.test import Client

from chat.actions import deciding
from chat.actions.deciding import Decision
from chat.actions.refusals import Refused
from chat.models import Proposal, ProposalStatus
from graphs.history import changes, outside, rollback
from graphs.history.recording import Because
from graphs.history.rollback_conflicts import named
from graphs.history.scopes import ChangeSets
from graphs.models import ChangeSet, Modification, Object, Origin, Workspace
from graphs.objects.actions import ChangeRefused
from graphs.objects.kinds import KINDS, Kind
from graphs.objects.operations import Update
from graphs.objects.preconditions import Conflict, Conflicting
from graphs.objects.refs import Ref
from graphs.site.access import Forbidden, member_of
from tests.cast import draw_nba
from tests.graphs.api.callers import post_json, problem, with_token
from tests.graphs.history.test_fast_updates import while_it_waits
from tests.proposed import Call, waiting
from tests.registered import product, shops
from tests.shop.models import Product, Shop
from tests.things import Thing, product_of

pytestmark = pytest.mark.django_db
API = "/api/v1/"


@pytest.fixture
def kind() -> Any:
    with shops() as registered:
        yield registered


@pytest.fixture
def lamp(kind: Kind, demo_workspace: Workspace) -> Thing:
    return product_of(demo_workspace, "Lamp")


@pytest.fixture
def client(alice: User) -> Client:
    return with_token(alice)


def row_of(thing: Thing) -> Product:
    return Product.objects.get(pk=thing.item.key)


def address(thing: Thing) -> str:
    return f"{API}objects/{thing.item.type}/{thing.item.key}"


def change(client: Client, thing: Thing, name: str, **arguments: Any) -> Any:
    return post_json(client, f"{address(thing)}/changes", {"actions": [{"action": name, "arguments": arguments}]})


def history(client: Client, thing: Thing) -> Any:
    return client.get(f"{API}history", {"object": str(thing.item)}).json()["results"]


def refused(alice: User, proposal: Proposal) -> str:
    with pytest.raises(Refused) as refusal:
        deciding.decide(member_of(alice), str(proposal.pk), Decision(True))
    return refusal.value.code


def test_a_row_of_another_workspace_by_now_is_gone_from_this_one(
    alice: User, charlie: User, client: Client, lamp: Thing, other_workspace: Workspace
) -> None:
    renaming, deleting = lamp.proposed(alice, lamp.rename_call(), lamp.delete_call())
    made = lamp.change(alice, "Lamp of ours")
    row = row_of(lamp)
    row.shop = Shop.objects.create(workspace=other_workspace, name="Theirs")
    row.save()
    row.name = "secret of theirs"
    row.save()

    problem(client.get(address(lamp)), 404, "not_found")
    problem(change(client, lamp, "update_object", updates={"name": "Mine"}), 404, "not_found")
    assert [refused(alice, each) for each in (renaming, deleting)] == ["stale", "stale"]
    with pytest.raises(rollback.Clashing):
        rollback.roll_back(lamp.workspace.pk, alice, ChangeSets((made.change_set_id,)))
    assert "secret" not in str(list(Modification.objects.filter(change_set__workspace=lamp.workspace.pk).values()))
    assert history(client, lamp)[0]["summary"] == {"product": {"delete": 1}}
    theirs = with_token(charlie)
    assert theirs.get(address(lamp)).json()["title"] == "secret of theirs"
    assert "Lamp" not in str(history(theirs, lamp))


def test_the_deletion_of_a_row_that_somebody_made_anew_elsewhere_is_not_taken_back(
    alice: User, lamp: Thing, other_workspace: Workspace
) -> None:
    gone = lamp.apply(lamp.gone(), Because(alice, Origin.MANUAL))
    Product.objects.create(
        pk=lamp.item.key, name="Theirs", shop=Shop.objects.create(workspace=other_workspace, name="Theirs")
    )
    with pytest.raises(ChangeRefused, match="already exists"):
        rollback.roll_back(lamp.workspace.pk, alice, ChangeSets((gone.change_set_id,)))
    assert row_of(lamp).name == "Theirs"


def test_a_row_that_other_code_brought_back_is_in_the_way_of_a_rollback(alice: User, lamp: Thing) -> None:
    """Nobody has spoken of it since: it has no header."""
    before = row_of(lamp)
    gone = lamp.apply(lamp.gone(), Because(alice, Origin.MANUAL))
    before.name = "Other"
    before.save(force_insert=True)
    with pytest.raises(rollback.Clashing) as refusal:
        rollback.roll_back(lamp.workspace.pk, alice, ChangeSets((gone.change_set_id,)))
    assert [clash.code for _of, clash in refusal.value.plan.clashes] == ["recreated"]


def test_two_proposals_that_make_the_same_row(alice: User, lamp: Thing) -> None:
    key = "7d45e46c-64df-495a-ae9c-af3791f44162"
    shop = f"shop:{Shop.objects.get().pk}"
    create = ("create_object", {"kind": "product", "key": key, "parent": shop, "fields": {"name": "New"}})
    first, second = waiting(alice, lamp.around, create, create)
    assert deciding.decide(member_of(alice), str(first.pk), Decision(True)).proposal.status == ProposalStatus.APPLIED
    assert refused(alice, second) == "stale"
    assert Product.objects.filter(pk=key).count() == 1


def test_a_parent_that_goes_while_its_child_is_moved_there(alice: User, client: Client, lamp: Thing) -> None:
    market = Shop.objects.create(workspace=lamp.workspace, name="Market")
    (moving,) = lamp.proposed(alice, ("move_object", {"object": str(lamp.item), "parent": f"shop:{market.pk}"}))
    market.delete()
    assert refused(alice, moving) in {"stale", "failed"}
    assert row_of(lamp).shop.name == "Corner"
    problem(change(client, lamp, "move_object", parent=f"shop:{market.pk}"), 400, "refused")


def test_no_rollback_moves_a_row_to_a_parent_of_another_workspace(
    alice: User, lamp: Thing, other_workspace: Workspace
) -> None:
    corner, market = Shop.objects.get(), Shop.objects.create(workspace=lamp.workspace, name="Market")
    moved = lamp.apply([lamp.to(str(market.pk), field="parent")], Because(alice, Origin.MANUAL))
    corner.workspace = other_workspace
    corner.save()
    with pytest.raises(ChangeRefused, match="would leave its workspace"):
        rollback.roll_back(lamp.workspace.pk, alice, ChangeSets((moved.change_set_id,)))
    assert row_of(lamp).shop == market


def test_a_shop_that_still_holds_products_stays(client: Client, lamp: Thing) -> None:
    shop = f"{API}objects/shop/{Shop.objects.get().pk}"
    asked = {"actions": [{"action": "delete_object", "arguments": {}}]}
    problem(post_json(client, f"{shop}/changes", asked), 400, "refused")
    row_of(lamp).delete()
    assert post_json(client, f"{shop}/changes", asked).status_code == 201
    assert not Shop.objects.exists()


def test_a_path_leaves_what_is_beside_it(alice: User, client: Client, lamp: Thing) -> None:
    """Other code may have written the whole column meanwhile; what is not registered is nobody's business here."""
    Product.objects.update(data={"problem": "old", "beside": 1})
    assert change(client, lamp, "update_object", updates={"data.problem": {"a": [True, 1]}}).status_code == 201
    made = ChangeSet.objects.latest("created_at")
    Product.objects.update(data=row_of(lamp).data | {"beside": 2})
    rollback.roll_back(lamp.workspace.pk, alice, ChangeSets((made.pk,)))
    assert row_of(lamp).data == {"problem": "old", "beside": 2}
    assert {each["origin"] for each in history(client, lamp)} == {"import", "outside", "manual", "rollback"}


def test_a_price_is_told_as_it_is_stored(client: Client, lamp: Thing) -> None:
    assert change(client, lamp, "update_object", updates={"price": 12.5}).status_code == 201
    (modification,) = history(client, lamp)[0]["modifications"]
    assert (modification["old"], modification["new"]) == ("0.00", "12.50")
    for same in (12.5, "12.5", "12.50"):
        problem(change(client, lamp, "update_object", updates={"price": same}), 400, "refused")
    for wrong in ("inf", "nan", "12.505", -1, [], {}):
        problem(change(client, lamp, "update_object", updates={"price": wrong}), 400, "refused")
        problem(change(client, lamp, "update_object", updates={"weight": wrong, "price": -1}), 400, "refused")
    for wrong in ("inf", "-Infinity", "nan", [], {}):
        problem(change(client, lamp, "update_object", updates={"weight": wrong}), 400, "refused")


def test_infinite_numbers_that_other_code_saved_can_be_read_and_left(client: Client, lamp: Thing) -> None:
    Product.objects.update(weight=float("inf"))
    assert client.get(address(lamp)).json()["fields"]["weight"] == "inf"
    assert change(client, lamp, "update_object", updates={"weight": 1}).status_code == 201


def test_two_fields_of_one_row_in_two_conversations(alice: User, lamp: Thing) -> None:
    """They are not of one turn: whoever decides the second sees what the first did before it is proposed again."""
    (first,), (second,) = lamp.proposed(alice), lamp.proposed(alice, lamp.update_call(notes="new"))
    deciding.decide(member_of(alice), str(first.pk), Decision(True))
    assert refused(alice, second) == "stale"
    assert lamp.record["notes"] == "return fetch(url)"


def test_what_was_withdrawn_before_the_approval(alice: User, demo_workspace: Workspace) -> None:
    allowed = [True]
    with shops(may_edit=lambda _member, _row: allowed[0]):
        thing = product_of(demo_workspace)
        renaming, deleting = thing.proposed(alice, thing.rename_call(), thing.delete_call())
        allowed[0] = False
        for proposal in (renaming, deleting):
            with pytest.raises(Forbidden):
                deciding.decide(member_of(alice), str(proposal.pk), Decision(True))
        assert thing.called == "Fetch API"
        assert Object.objects.filter(pk=thing.around.pk).exists()


def test_what_may_not_be_changed_is_not_made(alice: User, client: Client, demo_workspace: Workspace) -> None:
    with shops(may_edit=lambda member, row: row.shop.name == f"Shop of {member.user}"):
        mine, closed = (Shop.objects.create(workspace=demo_workspace, name=name) for name in ("Shop of alice", "Shut"))
        new = {"fields": {"name": "Chair"}, "parent": f"shop:{closed.pk}"}
        assert (
            "may not be changed" in problem(post_json(client, f"{API}objects/product", new), 400, "refused")["detail"]
        )
        new["parent"] = f"shop:{mine.pk}"
        assert post_json(client, f"{API}objects/product", new).status_code == 201


def test_who_may_change_a_row_is_asked_with_the_parent_that_is_made_before_it(
    alice: User, demo_workspace: Workspace
) -> None:
    with shops(may_edit=lambda _member, row: row.shop.name != "Shut"):
        thing = product_of(demo_workspace)

        def opened(name: str) -> Call:
            shop = {"kind": "shop", "key": "901", "fields": {"name": name}}
            chair = {"kind": "product", "parent": "shop:901", "fields": {"name": "Chair"}}
            steps = [{"tool": "propose_create_object", "arguments": each} for each in (shop, chair)]
            return "batch", {"actions": steps}

        with pytest.raises(ChangeRefused, match="may not be changed by this person"):
            thing.proposed(alice, opened("Shut"))
        approved(alice, thing.proposed(alice, opened("Open")))
        assert Product.objects.get(name="Chair").shop.name == "Open"


@pytest.fixture
def numbers(kind: Kind, demo_workspace: Workspace) -> list[str]:
    """A number that a shop of another workspace has, and one that nothing has."""
    taken, gone = (Shop.objects.create(workspace=demo_workspace, name=name) for name in ("Taken", "Gone"))
    found = [str(each.pk) for each in (taken, gone)]
    gone.delete()
    return found


def market(key: str) -> dict[str, Any]:
    return {"kind": "shop", "key": key, "fields": {"name": "Market"}}


def test_a_proposal_does_not_tell_which_numbers_others_have(charlie: User, numbers: list[str]) -> None:
    mine = product_of(member_of(charlie).workspace)
    for key in numbers:
        chair = {"kind": "product", "parent": f"shop:{key}", "fields": {"name": "Chair"}}
        steps = [{"tool": "propose_create_object", "arguments": each} for each in (market(key), chair)]
        for call in (("create_object", market(key)), ("batch", {"actions": steps})):
            (asked,) = mine.proposed(charlie, call)
            approved(charlie, [asked])
            made = asked.operations[0]["id"]
            assert made not in numbers
            assert Shop.objects.get(pk=made).workspace == mine.workspace
    assert Product.objects.filter(name="Chair", shop__workspace=mine.workspace).count() == len(numbers)


def test_a_name_within_a_batch_is_given_once(charlie: User, kind: Kind) -> None:
    steps = [{"tool": "propose_create_object", "arguments": market("5")} for _ in range(2)]
    with pytest.raises(ChangeRefused, match="can have the key"):
        product_of(member_of(charlie).workspace).proposed(charlie, ("batch", {"actions": steps}))


def test_nobody_is_told_by_hand_which_numbers_others_have(charlie: User, numbers: list[str]) -> None:
    """Neither through a graph, nor by what they make of a proposal."""
    draw_nba(member_of(charlie).workspace)
    (asked,) = product_of(member_of(charlie).workspace).proposed(charlie, ("create_object", market("5")))
    told = set()
    for key in numbers:
        steps = [{"tool": "propose_create_object", "arguments": market(key)}]
        body = {"actions": [{"action": "batch", "arguments": {"actions": steps}}]}
        answer = post_json(with_token(charlie), f"{API}graphs/nba/changes", body)
        told.add(problem(answer, 400, "refused")["detail"].replace(key, "N"))
        for ask in (deciding.preview, lambda *of: deciding.decide(*of[:2], Decision(True, edited_arguments=of[2]))):
            with pytest.raises(Refused) as refusal:
                ask(member_of(charlie), str(asked.pk), market(key))
            told.add(str(refusal.value).replace(key, "N"))
    assert told == {'No shop can have the key "N". Leave it out, then one is made.'}
    same = asked.arguments | {"fields": {"name": "Bazaar"}}
    shown = deciding.preview(member_of(charlie), str(asked.pk), same)
    deciding.decide(member_of(charlie), str(asked.pk), Decision(True, edited_arguments=same, digest=shown.digest))
    assert Shop.objects.get(name="Bazaar").workspace == member_of(charlie).workspace


def test_a_shop_does_not_go_with_products_that_came_since(alice: User, lamp: Thing) -> None:
    market = Shop.objects.create(workspace=lamp.workspace, name="Market")
    (going,) = lamp.proposed(alice, ("delete_object", {"object": f"shop:{market.pk}"}))
    product(market, "Chair")
    assert refused(alice, going) == "failed"
    assert "product:" in Proposal.objects.get(pk=going.pk).problem
    assert market.products.count() == 1


def test_a_shop_goes_with_its_products_and_comes_back_with_them(alice: User, lamp: Thing) -> None:
    """A shop that is newer than a product that moved there comes back before it, and goes after one that is newer."""
    market = Shop.objects.create(workspace=lamp.workspace, name="Market")
    here = f"shop:{market.pk}"
    approved(alice, lamp.proposed(alice, ("move_object", {"object": str(lamp.item), "parent": here})))
    product(market, "Chair")
    goods = [f"product:{row.pk}" for row in market.products.all()]
    steps = [{"tool": "propose_delete_object", "arguments": {"object": name}} for name in (*goods, here)]
    gone = approved(alice, lamp.proposed(alice, ("batch", {"actions": steps})))
    assert not Shop.objects.filter(name="Market").exists()
    back = rollback.roll_back(lamp.workspace.pk, alice, ChangeSets((gone,)))
    assert Shop.objects.get(name="Market").products.count() == 2
    rollback.roll_back(lamp.workspace.pk, alice, ChangeSets((back.change_set_id,)))
    assert not Shop.objects.filter(name="Market").exists()
    assert Modification.objects.filter(action="delete", type="product").count() == 4


def test_a_shop_does_not_go_by_a_rollback_with_products_that_came_since(alice: User, lamp: Thing) -> None:
    made = approved(alice, lamp.proposed(alice, ("create_object", {"kind": "shop", "fields": {"name": "Market"}})))
    chair = product(Shop.objects.get(name="Market"), "Chair")
    with pytest.raises(rollback.Clashing) as refusal:
        rollback.roll_back(lamp.workspace.pk, alice, ChangeSets((made,)))
    assert [(clash.code, clash.by) for _of, clash in refusal.value.plan.clashes] == [
        ("used", Ref("product", str(chair.pk)))
    ]


@pytest.mark.parametrize("key", ["p1", "7D45E46C-64DF-495A-AE9C-AF3791F44162", "7d45e46c64df495aae9caf3791f44162"])
def test_a_key_that_a_row_would_not_have(alice: User, lamp: Thing, key: str) -> None:
    shop = f"shop:{Shop.objects.get().pk}"
    new = ("create_object", {"kind": "product", "key": key, "parent": shop, "fields": {"name": "New"}})
    with pytest.raises(ChangeRefused, match="key"):
        lamp.proposed(alice, new)


def test_a_row_has_one_name(alice: User, lamp: Thing) -> None:
    for name in (lamp.item.key.upper(), lamp.item.key.replace("-", "")):
        with pytest.raises(ChangeRefused, match="There is no"):
            lamp.proposed(alice, ("update_object", {"object": f"product:{name}", "updates": {"name": "New"}}))


def approved(alice: User, proposals: list[Proposal]) -> uuid.UUID:
    (proposal,) = proposals
    done = deciding.decide(member_of(alice), str(proposal.pk), Decision(True)).proposal
    assert done.change_set is not None
    return done.change_set


@pytest.mark.django_db(transaction=True)
def test_what_other_code_saves_at_the_last_moment_is_a_conflict(alice: User, lamp: Thing) -> None:
    """It holds the row, and not the header."""
    mine = lamp.to("Mine")
    late = while_it_waits(
        lambda: Product.objects.filter(pk=lamp.item.key).update(name="Theirs"),
        lambda: lamp.apply([mine], Because(alice, Origin.MANUAL)),
    )
    refusal = late.exception()
    assert isinstance(refusal, Conflicting), refusal
    assert refusal.conflicts == (Conflict(lamp.item, "name", "Lamp", "Theirs"),)
    assert row_of(lamp).name == "Theirs"

    late = while_it_waits(
        lambda: Product.objects.filter(pk=lamp.item.key)._raw_delete(DEFAULT_DB_ALIAS),
        lambda: lamp.apply([Update(lamp.item, {"name": "Theirs"}, {"name": "Mine"})], Because(alice, Origin.MANUAL)),
    )
    assert isinstance(late.exception(), Conflicting), late.exception()


def save_while_held(thing: Thing) -> None:
    """Other code saves a row while somebody holds its header, and commits once they let go."""
    saved = Event()

    def save() -> None:
        try:
            with transaction.atomic():
                row = row_of(thing)
                row.name = "Theirs"
                row.save()
                saved.set()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Object.objects.select_for_update(no_key=True).get(pk=thing.around.pk)
            done = pool.submit(save)
            assert saved.wait(30)
        done.result(30)


@pytest.mark.django_db(transaction=True)
def test_other_code_that_saves_a_row_waits_for_nobody_who_holds_the_header(lamp: Thing) -> None:
    """Who approves a change holds the header, and then waits for the row: one of the two would be given up on."""
    save_while_held(lamp)
    assert Modification.objects.get(field="name").change_set.origin == Origin.OUTSIDE


@pytest.mark.django_db(transaction=True)
def test_a_save_that_is_noticed_after_its_commit_never_fails_because_of_us(
    lamp: Thing, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(outside, "notice", lambda _of: 1 / 0)
    save_while_held(lamp)
    assert "division by zero" in caplog.text
    assert row_of(lamp).name == "Theirs"


def test_what_the_model_refuses_as_it_saves_or_deletes_is_told(alice: User, client: Client, lamp: Thing) -> None:
    def no_saving(**_kwargs: Any) -> None:
        raise ValidationError({"notes": "Too dear."})

    def no_deleting(instance: Product, **_kwargs: Any) -> None:
        raise ProtectedError("It is still on offer.", {instance})

    saving, deleting = lamp.proposed(alice, lamp.rename_call(), lamp.delete_call())
    pre_save.connect(no_saving, sender=Product)
    pre_delete.connect(no_deleting, sender=Product)
    try:
        for proposal, said in ((saving, "notes: Too dear."), (deleting, "It is still on offer.")):
            assert refused(alice, proposal) == "failed"
            proposal.refresh_from_db()
            assert proposal.problem == said
        answer = problem(change(client, lamp, "update_object", updates={"name": "Mine"}), 400, "refused")
        assert answer["detail"] == "notes: Too dear."
        problem(change(client, lamp, "delete_object"), 400, "refused")
    finally:
        pre_save.disconnect(no_saving, sender=Product)
        pre_delete.disconnect(no_deleting, sender=Product)
    assert row_of(lamp).name == "Lamp"


def test_of_products_that_not_everybody_sees_a_refusal_names_only_the_kind(
    alice: User, demo_workspace: Workspace
) -> None:
    with shops(may_see=lambda _member, row: row.name != "Hidden"):
        thing = product_of(demo_workspace, "Lamp")
        made = approved(alice, thing.proposed(alice, ("create_object", {"kind": "shop", "fields": {"name": "Market"}})))
        market = Shop.objects.get(name="Market")
        hidden = product(market, "Hidden")
        with pytest.raises(ChangeRefused) as refusal:
            thing.proposed(alice, ("delete_object", {"object": f"shop:{market.pk}"}))
        with pytest.raises(rollback.Clashing) as clashing:
            rollback.roll_back(demo_workspace.pk, alice, ChangeSets((made,)))
        for said in (str(refusal.value), *(clash.sentence for clash in named(clashing.value.plan))):
            assert "product" in said
            assert str(hidden.pk) not in said


def test_a_rollback_of_a_row_that_other_code_saves_meanwhile_is_stale(
    alice: User, client: Client, lamp: Thing, monkeypatch: pytest.MonkeyPatch
) -> None:
    done, write = lamp.change(alice, "Mine").change_set_id, changes.write

    def write_late(*given: Any) -> Any:
        Product.objects.filter(pk=lamp.item.key).update(name="Theirs")
        return write(*given)

    monkeypatch.setattr(changes, "write", write_late)
    body = problem(post_json(client, f"{API}history/{done}/rollback", {}), 409, "stale")
    assert body["preview"]["total"] == 1
    assert ChangeSet.objects.filter(origin=Origin.ROLLBACK).count() == 0


def test_who_may_not_change_an_object_puts_nothing_into_it(alice: User, client: Client, lamp: Thing) -> None:
    market = Shop.objects.create(workspace=lamp.workspace, name="Market")
    to = f"shop:{market.pk}"
    move: Call = ("move_object", {"object": str(lamp.item), "parent": to})
    new: Call = ("create_object", {"kind": "product", "parent": to, "fields": {"name": "New"}})
    (waits,) = lamp.proposed(alice, move)
    with pytest.MonkeyPatch.context() as patched:
        locked = replace(KINDS["shop"], may_edit=lambda _member, row: row.name != "Market")
        patched.setitem(KINDS, "shop", locked)
        for call in (move, new):
            with pytest.raises(ChangeRefused, match=f"{to} may not be changed by this person"):
                lamp.proposed(alice, call)
        problem(change(client, lamp, "move_object", parent=to), 400, "refused")
        with pytest.raises(Forbidden):
            deciding.decide(member_of(alice), str(waits.pk), Decision(True))
    assert row_of(lamp).shop_id != market.pk
