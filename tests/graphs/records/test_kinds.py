"""graphs/records/kinds.py: records through the doors that every kind of objects has."""

import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from graphs.history import rollback
from graphs.history.scopes import AsOf, ChangeSets
from graphs.models import ChangeSet, Company, Folder, Object, UseCase, Workspace
from tests.cast import signed_in
from tests.graphs.api.callers import problem, with_token
from tests.graphs.records.asking import API, change, create, name_of, path_of, update
from tests.graphs.records.conftest import AXES

PATHS = [
    *("name", "description", "problem", "solution", "benefits", "metrics", "risks", "constraints", "nextSteps"),
    *("dataSources", "dataObjects", "domain", "technologies", "contact", "deadline", "references"),
    *("valueScores", "complexityScores"),
]


def rows() -> list[Any]:
    """All that is stored of records, but when they were changed."""
    return [
        {column.name: column.value_from_object(row) for column in model._meta.concrete_fields} | {"updated_at": None}
        for model in (Company, Folder, UseCase)
        for row in model._default_manager.order_by("pk")
    ]


def last() -> ChangeSet:
    return ChangeSet.objects.latest("created_at")


def test_each_path_is_a_field(client: Client) -> None:
    kinds = {kind["type"]: kind for kind in client.get("/api/v1/kinds").json()["results"]}
    paths = {type_: [field["path"] for field in kind["fields"]] for type_, kind in kinds.items()}
    assert set(paths["usecase"]) == {"status", "model", "data.*", *(f"data.{path}" for path in PATHS)}
    assert set(paths["company"]) == {
        *("name", "status", "industry", "size", "products", "processes", "challenges", "objectives", "technologies"),
    }
    assert set(paths["folder"]) == {
        *("name", "status", "description"),
        *(f"matrix_config.{path}" for path in ("valueAxes", "complexityAxes", "thresholds")),
        *(f"executive_summary.{path}" for path in ("introduction", "analysis", "recommendation", "references")),
    }
    assert [kinds[type_]["parents"] for type_ in ("company", "folder", "usecase")] == [[], ["company"], ["folder"]]
    assert [kinds[type_]["mayCreate"] for type_ in ("company", "folder", "usecase")] == [True, True, True]
    limits = {field["path"]: field.get("limit") for kind in kinds.values() for field in kind["fields"]}
    assert (limits["data.name"], limits["data.problem"], limits["executive_summary.analysis"]) == (200, 10_000, 50_000)


def test_a_record_is_told_by_its_paths(client: Client, picking: UseCase, folder: Folder) -> None:
    found = client.get(path_of(picking)).json()
    assert (found["title"], found["version"], found["url"]) == ("Picking routes", 1, f"/use-cases/{picking.pk}/")
    assert found["parent"] == {"type": "folder", "id": str(folder.pk)}
    assert (found["fields"]["data.benefits"], found["fields"]["data.risks"]) == (["Faster"], None)
    assert (found["fields"]["status"], found["fields"]["model"]) == ("draft", "demo:demo")
    assert found["fields"]["data.*"] == {"owner": "Ann", "effort": 3}
    held = client.get(path_of(folder)).json()
    assert (held["children"], held["parent"]["type"]) == ({"usecase": 1}, "company")
    assert held["fields"]["executive_summary.introduction"] == "Much can be done."


def test_a_path_is_changed_without_the_others(client: Client, picking: UseCase) -> None:
    before = dict(picking.data)
    assert update(client, picking, **{"data.problem": "Ways are long."}).status_code == 201
    picking.refresh_from_db()
    assert picking.data == before | {"problem": "Ways are long."}
    (made,) = last().modifications.all()
    assert (made.kind, made.field, made.old, made.new) == ("usecase", "data.problem", "Long ways.", "Ways are long.")


def test_what_no_field_names_is_kept_and_changed_as_one(client: Client, picking: UseCase) -> None:
    assert update(client, picking, **{"data.*": {"owner": "Bea"}}).status_code == 201
    picking.refresh_from_db()
    assert (picking.data.get("owner"), "effort" in picking.data, picking.data["problem"]) == (
        "Bea",
        False,
        "Long ways.",
    )
    refused = problem(update(client, picking, **{"data.*": {"problem": "x"}}), 400, "refused")
    assert refused["detail"] == "data.*: data.problem is a field of its own."
    assert "no JSON object" in problem(update(client, picking, **{"data.*": ["x"]}), 400, "refused")["detail"]
    assert update(client, picking, **{"data.*": None}).status_code == 201
    picking.refresh_from_db()
    assert picking.data.keys() == {"name", "problem", "benefits"}


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("data.problem", "x" * 10_001, "data.problem: This is longer than 10,000 characters."),
        ("data.problem", ["x"], "data.problem: This must be a text."),
        ("data.benefits", ["x"] * 101, "data.benefits: This list has more than 100 entries."),
        ("data.benefits", ["x", "y" * 1_001], "data.benefits.1: This is longer than 1,000 characters."),
        ("data.benefits", {"a": 1}, "data.benefits: This must be a list."),
        ("data.name", " ", "data.name: A name is more than spaces."),
        ("data.name", "\u200b", "data.name: A name is more than spaces."),
        ("data.name", " \u2060\n\u3164", "data.name: A name is more than spaces."),
        ("data.name", None, "data.name: This field is missing."),
        ("data.valueScores", [{"axisId": "a", "rating": 6}], "data.valueScores.0.rating: This must be at most 5."),
        ("data.valueScores", [{"axisId": "a", "rating": 2.5}], "rating: This must be a whole number."),
        ("data.valueScores", [{"rating": 1}], "data.valueScores.0.axisId: This field is missing."),
        ("data.valueScores", [{"axisId": "a"}] * 2, "Two scores of one side are of the same axis."),
        ("data.*", {"k" * 101: 1}, "Another key has no character, or more than 100."),
        ("data.*", {str(n): n for n in range(101)}, "There are more than 100 other keys."),
        ("data.*", {"own": ["x" * 1_000] * 200}, "data: All of it is more than 200,000 characters."),
        ("status", "done", "status: Value 'done' is not a valid choice."),
        ("model", "mine", "model is set by itself. Leave it out."),
        ("workspace", 1, "There is no field workspace."),
        ("id", "x", "There is no field id."),
        ("version", 9, "There is no field version."),
        ("created_at", None, "There is no field created_at."),
    ],
)
def test_what_is_no_value_of_a_use_case_is_refused(
    client: Client, picking: UseCase, path: str, value: Any, sentence: str
) -> None:
    before = rows()
    assert sentence in problem(update(client, picking, **{path: value}), 400, "refused")["detail"]
    assert sentence in problem(create(client, "usecase", **{"data.name": "New", path: value}), 400, "refused")["detail"]
    assert rows() == before


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("matrix_config.valueAxes", [{"id": "a", "name": "A", "weight": -1}], "valueAxes.0.weight: This must be at le"),
        ("matrix_config.valueAxes", [{"id": "a", "name": "A", "weight": 1001}], "weight: This must be at most 1,000."),
        (
            "matrix_config.valueAxes",
            [{"id": "a", "name": "A"}] * 2,
            "matrix_config.valueAxes: Two axes of one side have the same id.",
        ),
        ("matrix_config.valueAxes", [{"id": "a", "name": "A", "color": 1}], "color: This field is not known here."),
        (
            "matrix_config.complexityAxes",
            [{"id": "a", "name": "A", "levels": [{"rating": 1, "points": 1}] * 2}],
            "matrix_config.complexityAxes.0: Two levels of the axis “a” have one rating.",
        ),
        (
            "matrix_config.complexityAxes",
            [{"id": "a", "name": "A", "levels": [{"rating": 0, "points": 1}]}],
            "matrix_config.complexityAxes.0.levels.0.rating: This must be at least 1.",
        ),
        ("matrix_config.thresholds", {"value": -1}, "matrix_config.thresholds.value: This must be at least 0."),
        ("matrix_config.thresholds", {"cost": 1}, "matrix_config.thresholds.cost: This field is not known here."),
        ("executive_summary.analysis", "x" * 50_001, "executive_summary.analysis: This is longer than 50,000 charact"),
        ("executive_summary.analysis", 7, "executive_summary.analysis: This must be a text."),
        ("description", "x" * 10_001, "description: This is longer than 10,000 characters."),
        ("name", "", "name: This"),
    ],
)
def test_what_is_no_value_of_a_folder_is_refused(
    client: Client, folder: Folder, path: str, value: Any, sentence: str
) -> None:
    assert sentence in problem(update(client, folder, **{path: value}), 400, "refused")["detail"]


@pytest.mark.parametrize("path", ["name", "industry", "products", "technologies"])
def test_texts_of_a_company_have_limits(client: Client, company: Company, path: str) -> None:
    most = 200 if path in ("name", "industry") else 10_000
    assert update(client, company, **{path: "x" * most}).status_code == 201
    assert "characters" in problem(update(client, company, **{path: "x" * (most + 1)}), 400, "refused")["detail"]


def test_records_are_made_with_and_without_a_holder(client: Client, company: Company, folder: Folder) -> None:
    alone = create(client, "folder", name="Alone").json()
    held = create(client, "folder", company, name="Held").json()
    assert (alone["parent"], held["parent"]["id"], alone["version"]) == (None, str(company.pk), 1)
    case = create(client, "usecase", folder, **{"data.name": "New", "data.risks": "None", "data.own": 1})
    assert "There is no field data.own" in problem(case, 400, "refused")["detail"]
    case = create(client, "usecase", folder, **{"data.name": "New", "data.risks": "None", "data.*": {"own": 1}})
    made = UseCase.objects.get(pk=case.json()["id"])
    assert (made.data, made.status, made.company) == ({"name": "New", "risks": "None", "own": 1}, "draft", company)
    assert create(client, "usecase", **{"data.name": "Of no folder"}).json()["parent"] is None


def test_the_company_follows_the_folder(client: Client, folder: Folder, picking: UseCase, alice: User) -> None:
    other = Company.objects.create(workspace=folder.workspace, name="Contoso")
    before = rows()
    assert change(client, folder, "move_object", parent=name_of(other)).status_code == 201
    assert UseCase.objects.get(pk=picking.pk).company == other
    (made,) = last().modifications.all()
    assert (made.kind, made.field, made.new) == ("folder", "parent", str(other.pk))
    rollback.roll_back(folder.workspace_id, alice, ChangeSets((last().pk,)))
    assert rows() == before
    assert change(client, folder, "move_object", parent=None).status_code == 201
    assert UseCase.objects.get(pk=picking.pk).company is None
    assert change(client, picking, "move_object", parent=None).status_code == 201
    assert client.get(path_of(picking)).json()["parent"] is None


def test_nothing_moves_to_where_it_cannot_be(
    client: Client, company: Company, folder: Folder, picking: UseCase, other_workspace: Workspace
) -> None:
    foreign = Folder.objects.create(workspace=other_workspace, name="Foreign")
    absent = problem(change(client, picking, "move_object", parent=f"folder:{uuid.UUID(int=7)}"), 400, "refused")
    refused = problem(change(client, picking, "move_object", parent=name_of(foreign)), 400, "refused")
    assert refused["detail"] == absent["detail"].replace(str(uuid.UUID(int=7)), str(foreign.pk))
    for holder in (company, picking):
        wrong = problem(change(client, picking, "move_object", parent=name_of(holder)), 400, "refused")
        assert "can be no parent here" in wrong["detail"]
    wrong = problem(change(client, folder, "move_object", parent=name_of(folder)), 400, "refused")
    assert "can be no parent here" in wrong["detail"]


def test_a_company_goes_with_all_that_it_holds_and_comes_back_as_it_was(
    client: Client, company: Company, folder: Folder, picking: UseCase, labels: UseCase, alice: User
) -> None:
    client.get(path_of(picking))  # its history has begun, that of the others has not
    headers = set(Object.objects.filter(type="usecase").values_list("pk", "key"))
    elsewhere = Folder.objects.create(workspace=company.workspace, name="Elsewhere")
    before = rows()
    assert change(client, company, "delete_object").status_code == 201
    assert (UseCase.objects.count(), list(Folder.objects.all()), Company.objects.count()) == (0, [elsewhere], 0)
    made = last()
    assert [m.action for m in made.modifications.all()] == ["delete"] * 4
    assert client.get(path_of(picking)).status_code == 404
    rollback.roll_back(company.workspace_id, alice, ChangeSets((made.pk,)))
    assert rows() == before
    assert headers <= set(Object.objects.filter(type="usecase").values_list("pk", "key"))
    assert client.get(path_of(picking)).json()["version"] > 1


def test_what_changed_since_the_deletion_stands_in_the_way(
    client: Client, company: Company, folder: Folder, alice: User
) -> None:
    assert change(client, company, "delete_object").status_code == 201
    made = last()
    Folder.objects.create(pk=folder.pk, workspace=company.workspace, name="Another")
    with pytest.raises(rollback.Clashing):
        rollback.roll_back(company.workspace_id, alice, ChangeSets((made.pk,)))


def test_a_use_case_is_rolled_back_to_a_version(client: Client, picking: UseCase, alice: User) -> None:
    before = client.get(path_of(picking)).json()["fields"]
    for number in range(3):
        changes = {"data.problem": f"Problem {number}", "data.valueScores": [{"axisId": "gain", "rating": number + 1}]}
        assert update(client, picking, **changes, **{"data.*": {"n": number}}).status_code == 201
    header = Object.objects.get(type="usecase", key=str(picking.pk))
    rollback.roll_back(picking.workspace_id, alice, AsOf("usecase", header.pk, 1))
    assert client.get(path_of(picking)).json()["fields"] == before
    picking.refresh_from_db()
    assert "valueScores" not in picking.data


def test_new_weights_are_a_change_with_a_history(client: Client, folder: Folder, picking: UseCase) -> None:
    heavier = [axis | {"weight": 4} for axis in AXES["valueAxes"]]
    assert update(client, folder, **{"matrix_config.valueAxes": heavier}).status_code == 201
    history = client.get(f"/api/v1/history?object={name_of(folder)}").json()["results"][0]
    assert [made["field"] for made in history["modifications"]] == ["matrix_config.valueAxes"]


def test_lists_are_by_name(client: Client, picking: UseCase, labels: UseCase) -> None:
    for order, names in (
        ("", ["Label check", "Picking routes"]),
        ("&orderBy=-data.name", ["Picking routes", "Label check"]),
    ):
        first = client.get(f"{API}?type=usecase&limit=1{order}").json()
        second = client.get(first["next"]).json()
        assert [page["results"][0]["title"] for page in (first, second)] == names
    found = client.get(f"{API}?type=usecase&search=long ways").json()["results"]
    assert [each["title"] for each in found] == ["Picking routes"]


def test_viewers_read_and_strangers_find_nothing(
    bob: User, charlie: User, company: Company, folder: Folder, picking: UseCase
) -> None:
    viewer, stranger = with_token(bob), with_token(charlie)
    for record in (company, folder, picking):
        assert viewer.get(path_of(record)).status_code == 200
        problem(change(viewer, record, "delete_object"), 403, "forbidden")
        problem(stranger.get(path_of(record)), 404, "not_found")
        problem(change(stranger, record, "delete_object"), 404, "not_found")
        page = signed_in(bob).get(client_page := viewer.get(path_of(record)).json()["url"])
        assert (page.status_code, str(record) in page.content.decode()) == (200, True)
        assert signed_in(charlie).get(client_page).status_code == 404
    problem(create(viewer, "company", name="New"), 403, "forbidden")
    assert stranger.get(f"{API}?type=usecase").json()["results"] == []
    assert "There is no" in problem(create(stranger, "usecase", folder, **{"data.name": "x"}), 400, "refused")["detail"]


def test_only_what_generates_says_that_a_record_is_generating(
    client: Client, picking: UseCase, folder: Folder, alice: User
) -> None:
    for answer in (
        update(client, picking, status="generating"),
        create(client, "company", name="N", status="generating"),
    ):
        assert "“generating” is set by itself" in problem(answer, 400, "refused")["detail"]
    UseCase.objects.filter(pk=picking.pk).update(status="generating")  # as what generates does
    assert update(client, picking, status="generating", **{"data.problem": "New."}).status_code == 201
    assert change(client, picking, "delete_object").status_code == 201
    rollback.roll_back(picking.workspace_id, alice, ChangeSets((last().pk,)))
    assert UseCase.objects.get(pk=picking.pk).status == "generating"
    assert update(client, picking, status="ready").status_code == 201
    assert update(client, picking, status="generating").status_code == 400


def test_a_text_is_no_list(client: Client, folder: Folder) -> None:
    for value in (["x"], {"x": "y"}, []):
        answer = problem(update(client, folder, description=value), 400, "refused")
        assert answer["detail"] == "description: this is no value of it."
    folder.refresh_from_db()
    assert folder.description == ""


@pytest.mark.parametrize("kind", ["company", "folder"])
def test_a_name_that_nobody_sees_is_refused(client: Client, kind: str) -> None:
    refused = problem(create(client, kind, name="\u200b\ufeff"), 400, "refused")
    assert refused["detail"] == "name: A name is more than spaces."


def test_texts_of_one_line_get_spaces_for_breaks(client: Client, company: Company, picking: UseCase) -> None:
    assert (
        update(client, company, name="North\nwind\r\n", industry="Rail\u2028Road", products="a\nb").status_code == 201
    )
    company.refresh_from_db()
    assert (company.name, company.industry, company.products) == ("North wind", "Rail Road", "a\nb")
    lines = {"data.name": "Picking\nroutes", "data.domain": "a\nb", "data.problem": "a\nb"}
    assert update(client, picking, **lines).status_code == 201
    picking.refresh_from_db()
    assert (picking.name, picking.data["domain"], picking.data["problem"]) == ("Picking routes", "a b", "a\nb")
    assert create(client, "folder", name="Ware\nhouse").status_code == 201
    assert Folder.objects.filter(name="Ware house").exists()


#: With what each may be written as; others set these, or nobody does.
SET_BY_OTHERS = {
    "id": "00000000-0000-4000-8000-000000000007",
    "pk": "1",
    "owner": 1,
    "workspace": "other",
    "workspace_id": 1,
    "version": 9,
    "createdAt": "2000-01-01T00:00:00Z",
    "created_at": "2000-01-01T00:00:00Z",
    "updated_at": "2000-01-01T00:00:00Z",
    "company": "x",
    "folder": "x",
    "name": "x",
    "data": {"name": "x"},
    "model": "gpt",
}


@pytest.mark.parametrize("name", SET_BY_OTHERS)
def test_what_others_set_is_no_field_of_a_request(client: Client, folder: Folder, picking: UseCase, name: str) -> None:
    given, before = {name: SET_BY_OTHERS[name]}, rows()
    for answer in (
        create(client, "usecase", folder, **{"data.name": "New"}, **given),
        update(client, picking, **given),
    ):
        assert answer.status_code == 400, answer.content
        assert name in answer.content.decode()
    assert rows() == before
