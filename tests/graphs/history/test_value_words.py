"""Keys in diffs have the titles of what they lead to beside them, for who may see that."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from chat.proposals import WriteCall, propose
from chat.proposals.proposal_json import brief_json, proposal_json
from graphs.history.diffs import diff_of
from graphs.history.value_words import with_titles
from graphs.models import Folder, Graph, UseCase, Workspace
from graphs.objects import actions
from graphs.objects.operations import Create, Update
from graphs.objects.refs import Ref
from graphs.site.access import Member, member_of
from tests.cast import signed_in
from tests.chat.admin.talk import talk
from tests.graphs.api.callers import post_json, with_token
from tests.graphs.records.portfolio import Portfolio
from tests.registered import registered
from tests.shop.models import Page, Product, Shop

pytestmark = pytest.mark.django_db
API = "/api/v1"


@pytest.fixture
def yard(portfolio: Portfolio) -> Folder:
    return Folder.objects.create(workspace=portfolio.workspace, name="Yard")


def moved(type_: str, key: object, old: object, new: object) -> Update:
    return Update(Ref(type_, str(key)), {"parent": str(old)}, {"parent": str(new)})


def told(operations: list[Any], workspace: Workspace, reader: Member | None = None) -> list[dict[str, Any]]:
    return [
        {side: field[side] for side in ("oldTitle", "newTitle") if side in field}
        for entry in with_titles(diff_of(operations), workspace.pk, reader)
        for field in entry["fields"]
        if field["field"] == "parent"
    ]


def test_all_keys_of_a_diff_take_one_statement(portfolio: Portfolio, yard: Folder, alice: User) -> None:
    moves = [moved("usecase", each.pk, portfolio.folder.pk, yard.pk) for each in portfolio.use_cases]
    reader = member_of(alice)
    with CaptureQueriesContext(connection) as statements:
        found = told(moves, portfolio.workspace, reader)
    assert found == [{"oldTitle": "Warehouse", "newTitle": "Yard"}] * 2
    assert len(statements) == 1
    with CaptureQueriesContext(connection) as statements:
        told([Update(Ref("folder", str(yard.pk)), {"name": "a"}, {"name": "b"})], portfolio.workspace)
    assert not statements


def test_a_holder_that_comes_with_the_diff_has_its_new_title(portfolio: Portfolio) -> None:
    key = "00000000-0000-4000-8000-000000000000"
    coming = Create(Ref("folder", key), {"name": "Dock"})
    move = moved("usecase", portfolio.use_cases[0].pk, portfolio.folder.pk, key)
    assert told([coming, move], portfolio.workspace) == [{"oldTitle": "Warehouse", "newTitle": "Dock"}]


def test_foreign_is_as_absent(portfolio: Portfolio, other_workspace: Workspace, alice: User) -> None:
    foreign = Folder.objects.create(workspace=other_workspace, name="Secret")
    move = moved("usecase", portfolio.use_cases[0].pk, foreign.pk, "no key at all")
    assert told([move], portfolio.workspace, member_of(alice)) == [{}]
    assert told([move], portfolio.workspace) == [{}]


def test_a_model_of_ones_own_held_by_a_graph_has_its_title(nba: Graph) -> None:
    with registered(Page, name="page", title="name", workspace="graph__workspace", parent="graph"):
        assert told([moved("page", 1, nba.key, "gone")], nba.workspace) == [{"oldTitle": nba.name}]


def test_what_not_everybody_sees_is_told_to_who_sees_it(alice: User, demo_workspace: Workspace) -> None:
    north, south = (Shop.objects.create(workspace=demo_workspace, name=name) for name in ("North", "South"))
    options = {"title": "name", "workspace": "workspace", "may_see": lambda _member, row: row.name == "North"}
    with (
        registered(Shop, name="shop", **options),
        registered(Product, name="product", title="name", workspace="shop__workspace", parent="shop"),
    ):
        move = moved("product", "00000000-0000-4000-8000-000000000000", north.pk, south.pk)
        assert told([move], demo_workspace, member_of(alice)) == [{"oldTitle": "North"}]
        assert told([move], demo_workspace) == [{}]


def parent_of(diff: list[Any]) -> tuple[str, str]:
    (field,) = diff[0]["fields"]
    return field["oldTitle"], field["newTitle"]


def test_an_approval_and_its_preview_name_both_folders(portfolio: Portfolio, yard: Folder, alice: User) -> None:
    member = member_of(alice)
    arguments = {"object": f"usecase:{portfolio.use_cases[0].pk}", "parent": f"folder:{yard.pk}"}
    found = talk(alice, portfolio.workspace)
    call = WriteCall("c1", "propose_move_object", actions.parse("move_object", arguments), arguments, "Better.")
    with transaction.atomic():
        proposal = propose(member, found.session, found.run.message, None, call).proposal
    for shown in (proposal_json(proposal), brief_json(proposal)):
        assert parent_of(shown.diff) == ("Warehouse", "Yard")
    answer = post_json(with_token(alice), f"{API}/proposals/{proposal.pk}/preview", {})
    assert parent_of(answer.json()["diff"]) == ("Warehouse", "Yard")


def test_the_history_a_comparison_and_a_rollback_name_both_folders(
    portfolio: Portfolio, yard: Folder, alice: User
) -> None:
    client, case = with_token(alice), portfolio.use_cases[0]
    move = {"action": "move_object", "arguments": {"parent": f"folder:{yard.pk}"}}
    made = post_json(client, f"{API}/objects/usecase/{case.pk}/changes", {"actions": [move]})
    assert parent_of(made.json()["diff"]) == ("Warehouse", "Yard")
    id_ = made.json()["id"]
    assert parent_of(client.get(f"{API}/history/{id_}").json()["diff"]) == ("Warehouse", "Yard")
    versions = client.get(f"{API}/history/versions?object=usecase:{case.pk}&a=1&b=2").json()
    assert parent_of(versions["diff"]) == ("Warehouse", "Yard")
    back = post_json(client, f"{API}/history/{id_}/rollback", {"preview": True}).json()
    assert parent_of(back["diff"]) == ("Yard", "Warehouse")


def test_the_preview_of_an_import_names_both_folders(portfolio: Portfolio, yard: Folder, alice: User) -> None:
    case = portfolio.use_cases[0]
    data = f"id,parent,status\n{case.pk},{yard.pk},draft\n".encode()
    page = signed_in(alice).post("/objects/usecase/import/", {"file": SimpleUploadedFile("a.csv", data)})
    text = page.content.decode()
    assert f"<del>Warehouse ({portfolio.folder.pk})</del>" in text
    assert f"<ins>Yard ({yard.pk})</ins>" in text
    given = {"file": SimpleUploadedFile("a.csv", data), "preview": "true"}
    (row,) = with_token(alice).post(f"{API}/objects/usecase/import", given).json()["rows"]
    (change,) = row["changes"]
    assert (change["oldTitle"], change["newTitle"]) == ("Warehouse", "Yard")
    assert UseCase.objects.get(pk=case.pk).folder == portfolio.folder
