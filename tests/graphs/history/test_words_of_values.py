"""graphs/history/value_words.py: what a reader is told beside values, in diffs, conflicts and comparisons alike."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from chat.proposals.proposal_json import proposal_json
from graphs.history.diffs import diff_of, labelled
from graphs.history.value_words import Told, with_titles, words_of
from graphs.models import Folder, UseCase, Workspace
from graphs.objects.headers import header_of
from graphs.objects.kinds import KINDS
from graphs.objects.operations import Create, Delete, Update
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from tests.graphs.api.callers import post_json, problem
from tests.graphs.records.asking import change, name_of, path_of, update
from tests.graphs.records.conftest import AXES, client, company, folder
from tests.proposed import waiting

__all__ = ["client", "company", "folder"]
pytestmark = pytest.mark.django_db
SCORES = "data.valueScores"


@pytest.fixture
def picking(folder: Folder) -> UseCase:
    return UseCase.objects.create(workspace=folder.workspace, folder=folder, data={"name": "Picking"})


def score(rating: int, axis: str = "gain") -> list[dict[str, Any]]:
    return [{"axisId": axis, "rating": rating}]


def rated(case: UseCase, rating: int = 4) -> Update:
    return Update(Ref("usecase", str(case.pk)), {SCORES: score(1)}, {SCORES: score(rating)})


def beside(diff: Any) -> list[Any]:
    return [(field.get("titles"), field.get("names")) for entry in diff for field in entry["fields"]]


def test_scores_have_the_titles_of_their_axes_and_names_of_their_parts(picking: UseCase, alice: User) -> None:
    with CaptureQueriesContext(connection) as statements:
        found = with_titles(diff_of([rated(picking)]), picking.workspace_id, member_of(alice))
    assert beside(found) == [({"gain": "Gain"}, {"rating": "rating", "description": "description"})]
    assert len([each for each in statements if "graphs_folder" in each["sql"]]) == 1
    with translation.override("fr"):
        ((_titles, names),) = beside(labelled(found))
    assert names == {"rating": "note", "description": "description"}


def test_many_scores_take_as_many_statements_as_few(folder: Folder, alice: User) -> None:
    cases = [
        UseCase.objects.create(workspace=folder.workspace, folder=folder, data={"name": str(number)})
        for number in range(30)
    ]
    reader = member_of(alice)
    counts = []
    for some in (cases[:2], cases):
        with CaptureQueriesContext(connection) as statements:
            found = with_titles(diff_of([rated(case) for case in some]), folder.workspace_id, reader)
        assert beside(found) == [({"gain": "Gain"}, {"rating": "rating", "description": "description"})] * len(some)
        counts.append(len(statements))
    assert counts[0] == counts[1] == 2


def test_what_comes_or_went_is_told_by_what_holds_it(folder: Folder, picking: UseCase, alice: User) -> None:
    record = {"data.name": "New", "parent": str(folder.pk), SCORES: score(2)}
    coming = Create(Ref("usecase", "00000000-0000-4000-8000-000000000000"), record)
    gone = Delete(Ref("usecase", "00000000-0000-4000-8000-000000000001"), {**record, "version": 1})
    for operation in (coming, gone):
        diff = with_titles(diff_of([operation]), folder.workspace_id, member_of(alice))
        assert {"gain": "Gain"} in [titles for titles, _names in beside(diff)]


def test_axes_are_called_as_they_call_themselves(folder: Folder) -> None:
    old = AXES["valueAxes"]
    new = [{**old[0], "name": "Savings"}]
    field = "matrix_config.valueAxes"
    (found,) = words_of([Told(Ref("folder", str(folder.pk)), field, (old, new))], folder.workspace_id)
    assert found.get("titles") == {"gain": "Savings"}
    assert (found.get("names") or {})["weight"] == "weight"


def test_titles_of_a_foreign_folder_are_as_those_of_none(picking: UseCase, other_workspace: Workspace) -> None:
    foreign = Folder.objects.create(workspace=other_workspace, name="Secret", matrix_config=AXES)
    there = UseCase.objects.create(workspace=other_workspace, folder=foreign, data={"name": "Hidden"})
    told = [
        Told(Ref("usecase", str(there.pk)), SCORES, (score(1), score(2))),
        Told(Ref("usecase", "no key at all"), SCORES, (score(1), score(2)), (str(foreign.pk),)),
        Told(Ref("usecase", str(there.pk)), "parent", (str(foreign.pk), None)),
    ]
    assert [each.get("titles") for each in words_of(told, picking.workspace_id)] == [None] * 3


@pytest.mark.parametrize("config", [[], "x", {"valueAxes": 7}, {"valueAxes": [7, {"id": "gain"}]}])
def test_axes_that_other_code_left_in_no_shape_have_no_titles(picking: UseCase, config: Any) -> None:
    Folder.objects.filter(pk=picking.folder_id).update(matrix_config=config)
    ((titles, _names),) = beside(with_titles(diff_of([rated(picking)]), picking.workspace_id))
    assert titles is None


def test_an_edit_conflict_tells_what_its_keys_lead_to(
    client: Client, alice: User, folder: Folder, picking: UseCase
) -> None:
    yard = Folder.objects.create(workspace=folder.workspace, name="Yard")
    update(client, picking, **{"data.problem": "So."})  # its history begins
    seen = {"type": "usecase", "id": str(picking.pk), "version": 2}
    update(client, picking, **{SCORES: score(2)})
    move = {"action": "move_object", "arguments": {"parent": name_of(yard)}}
    assert post_json(client, f"{path_of(picking)}/changes", {"actions": [move]}).status_code == 201
    again = {"action": "move_object", "arguments": {"parent": name_of(folder)}}
    (moved,) = problem(
        post_json(
            client,
            f"{path_of(picking)}/changes",
            {"actions": [move | {"arguments": {"parent": None}}], "expected": [seen]},
        ),
        409,
        "conflict",
    )["conflicts"]
    assert moved["titles"] == {str(yard.pk): "Yard", str(folder.pk): "Warehouse"}
    assert post_json(client, f"{path_of(picking)}/changes", {"actions": [again]}).status_code == 201
    action = {"action": "update_object", "arguments": {"updates": {SCORES: score(5)}}}
    answer = post_json(client, f"{path_of(picking)}/changes", {"actions": [action], "expected": [seen]})
    (rating,) = problem(answer, 409, "conflict")["conflicts"]
    assert (rating["titles"], rating["names"]["rating"]) == ({"gain": "Gain"}, "rating")


def test_a_rollback_and_a_comparison_tell_it_too(client: Client, picking: UseCase) -> None:
    done = update(client, picking, **{SCORES: score(2)}).json()
    update(client, picking, **{SCORES: score(5)})
    assert done["diff"][0]["fields"][0]["titles"] == {"gain": "Gain"}
    preview = post_json(client, f"/api/v1/history/{done['id']}/rollback", {"preview": True}).json()
    assert preview["conflicts"][0]["titles"] == {"gain": "Gain"}
    refused = problem(post_json(client, f"/api/v1/history/{done['id']}/rollback", {}), 409, "conflict")
    assert refused["conflicts"][0]["names"]["rating"] == "rating"
    compared = client.get(f"/api/v1/history/versions?object=usecase:{picking.pk}&a=1&b=3").json()
    assert compared["diff"][0]["fields"][0]["titles"] == {"gain": "Gain"}


def test_a_proposal_that_is_stale_tells_names_in_the_language_of_its_reader(
    client: Client, alice: User, picking: UseCase
) -> None:
    update(client, picking, **{"data.problem": "So."})
    arguments = {"object": f"usecase:{picking.pk}", "updates": {SCORES: score(5)}}
    (proposal,) = waiting(
        alice, header_of(KINDS["usecase"], picking.workspace_id, picking), ("update_object", arguments)
    )
    update(client, picking, **{SCORES: score(2)})
    refused = problem(post_json(client, f"/api/v1/proposals/{proposal.pk}/decide", {"approved": True}), 409, "stale")
    (conflict,) = refused["conflicts"]
    assert (conflict["label"], conflict["fieldLabel"], conflict["titles"]) == (
        "Picking",
        "value scores",
        {"gain": "Gain"},
    )
    assert (conflict["expected"], conflict["found"]) == (None, score(2))
    proposal.refresh_from_db()
    with translation.override("fr"):
        (french,) = proposal_json(proposal).to_json()["conflicts"]
    assert french["names"]["rating"] == "note"
    assert french["fieldLabel"] != "value scores"


def test_what_went_meanwhile_is_called_as_it_was(client: Client, alice: User, picking: UseCase) -> None:
    update(client, picking, **{"data.problem": "So."})
    of = header_of(KINDS["usecase"], picking.workspace_id, picking)
    other = UseCase.objects.create(workspace=picking.workspace, folder=picking.folder, data={"name": "Packing"})
    update(client, other, **{"data.problem": "So."})
    steps = [
        {"tool": "update_object", "arguments": {"object": f"usecase:{each.pk}", "updates": {"data.domain": "Stock"}}}
        for each in (picking, other)
    ]
    (proposal,) = waiting(alice, of, ("batch", {"actions": steps}))
    assert change(client, other, "delete_object").status_code == 201
    refused = problem(post_json(client, f"/api/v1/proposals/{proposal.pk}/decide", {"approved": True}), 409, "stale")
    assert [(each["label"], each["field"]) for each in refused["conflicts"]] == [("Packing", "")]
