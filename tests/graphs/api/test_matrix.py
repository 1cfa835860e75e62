"""The doors of a folder's matrix: places, drawing, picture, and what other weights would make of it."""

import json
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.formats import date_format
from django.utils.timezone import localdate

from graphs.api import matrix_json
from graphs.models import Folder, UseCase, Workspace
from graphs.records import folder_matrix
from graphs.records.drawing.painter import NotDrawn, painter
from tests.graphs.api.callers import post_json, problem, with_token
from tests.graphs.records.conftest import AXES, company, folder
from tests.graphs.records.drawing.scenes import marks_of
from tests.graphs.records.test_folder_matrix import rated
from tests.graphs.records.test_scenes import fill

__all__ = ["company", "folder"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def client(alice: User) -> Client:
    return with_token(alice)


def path(folder: Folder, ending: str = "") -> str:
    return f"/api/v1/folders/{folder.pk}/matrix{ending}"


def preview(client: Client, folder: Folder, **body: Any) -> Any:
    return post_json(client, path(folder, "/preview"), {"matrixConfig": AXES, **body})


def test_it_tells_places_by_points_and_weights(client: Client, folder: Folder) -> None:
    made = rated(folder, "Picking", status="ready")
    answer = client.get(path(folder)).json()
    assert answer["axes"]["value"] == {
        "axes": [{"id": "gain", "name": "Gain", "weight": 2, "most": 10}], "most": 10, "threshold": 5,
    }  # fmt: skip
    assert answer["useCases"] == [
        {
            "id": str(made.pk), "name": "Picking", "status": "ready", "value": 10, "complexity": 3,
            "x": 0.6, "y": 1, "quadrant": "highValueHighComplexity", "unrated": [],
        }
    ]  # fmt: skip


def test_who_lacks_a_rating_has_amounts_so_far_and_no_place(client: Client, folder: Folder) -> None:
    rated(folder, "Picking", gain=None)
    (found,) = client.get(path(folder)).json()["useCases"]
    assert (found["value"], found["complexity"]) == (0, 3)
    assert (found["x"], found["y"], found["quadrant"], found["unrated"]) == (None, None, None, ["Gain"])


def test_of_many_names_of_missing_axes_the_first_are_told(
    client: Client, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        rated(folder, f"Picking {number}", gain=None)
    monkeypatch.setattr(matrix_json, "UNRATED_CHARS", len("Gain") * 4)
    rows = client.get(path(folder)).json()["useCases"]
    assert [(each["unrated"], each.get("unratedCount")) for each in rows] == [(["Gain"], None)] * 4 + [([], 1)] * 2
    assert {each["x"] for each in rows} == {None}


def test_of_more_use_cases_than_it_has_it_tells_how_many_there_are(
    client: Client, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        rated(folder, f"Picking {number}")
    assert "useCaseCount" not in client.get(path(folder)).json()
    monkeypatch.setattr(folder_matrix, "MOST", 3)
    told = client.get(path(folder)).json()
    assert ([each["name"] for each in told["useCases"]], told["useCaseCount"]) == (
        ["Picking 0", "Picking 1", "Picking 2"], 5,
    )  # fmt: skip
    assert preview(client, folder).json()["useCaseCount"] == 5
    assert "Shown are the first 3 of 5 use cases" in client.get(path(folder, ".svg")).content.decode()


def test_an_empty_folder_has_an_empty_matrix(client: Client, demo_workspace: Workspace) -> None:
    answer = client.get(path(Folder.objects.create(workspace=demo_workspace, name="Empty"))).json()
    nothing = {"axes": [], "most": 0, "threshold": 0}
    assert answer == {"axes": {"value": nothing, "complexity": nothing}, "useCases": []}


@pytest.mark.parametrize(
    ("ending", "type_", "begins"), [(".svg", "image/svg+xml", b"<svg"), (".png", "image/png", b"\x89PNG")]
)
def test_it_is_drawn_and_painted(client: Client, folder: Folder, ending: str, type_: str, begins: bytes) -> None:
    rated(folder, "Picking")
    answer = client.get(path(folder, ending))
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == type_
    assert answer.content.startswith(begins)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert policy.endswith("; sandbox")
    assert "Content-Disposition" not in answer.headers


@pytest.mark.parametrize("ending", [".svg", ".png"])
def test_it_is_a_file_where_one_is_asked_for(client: Client, folder: Folder, ending: str) -> None:
    answer = client.get(path(folder, f"{ending}?download=true"))
    assert answer.headers["Content-Disposition"] == f'attachment; filename="Matrix of Warehouse{ending}"'
    assert "Content-Disposition" not in client.get(path(folder, f"{ending}?download=false")).headers
    problem(client.get(path(folder, f"{ending}?download=1")), 400, "validation")


def test_a_file_says_of_which_folder_and_day_it_is_and_a_drawing_in_a_page_does_not(
    client: Client, folder: Folder
) -> None:
    folder.name = 'Würste & "Käse" / \u202e../x\r\n'
    folder.save()
    rated(folder, "Picking")
    today = date_format(localdate(), "DATE_FORMAT")
    answer = client.get(path(folder, ".svg?download=true"))
    texts = [each.text for each in ElementTree.fromstring(answer.content).iter() if each.tag.endswith("}text")]
    assert any(text and text.startswith("Matrix of Würste") and text.endswith(today) for text in texts)
    assert today not in client.get(path(folder, ".svg")).content.decode()
    name = unquote(answer.headers["Content-Disposition"])
    assert name.endswith("Matrix of Würste Käse .. x.svg")


@pytest.mark.parametrize(("ending", "accepted"), [(".svg", "image/svg+xml"), (".png", "image/png")])
def test_programs_may_accept_drawings_only(client: Client, folder: Folder, ending: str, accepted: str) -> None:
    assert client.get(path(folder, ending), headers={"Accept": accepted}).status_code == 200


def test_marks_lead_to_pages_in_the_workspace(client: Client, folder: Folder) -> None:
    made = rated(folder, "Picking")
    (mark,) = marks_of(ElementTree.fromstring(client.get(path(folder, ".svg")).content))
    assert mark.get("href") == f"/use-cases/{made.pk}/?workspace=demo"


def test_a_browser_that_has_it_does_not_get_it_again_until_something_moved(client: Client, folder: Folder) -> None:
    made = rated(folder, "Picking")
    first = client.get(path(folder, ".svg"))
    again = client.get(path(folder, ".svg"), headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["Cache-Control"] == "private, no-cache"
    UseCase.objects.filter(pk=made.pk).update(status="archived")
    moved = client.get(path(folder, ".svg"), headers={"If-None-Match": first.headers["ETag"]})
    assert moved.status_code == 200
    assert moved.headers["ETag"] != first.headers["ETag"]


def test_an_unknown_size_is_refused(client: Client, folder: Folder) -> None:
    assert "wide, narrow" in problem(client.get(path(folder, ".svg?size=9999")), 400, "validation")["detail"]


@pytest.mark.parametrize("ending", ["", ".svg", ".png"])
def test_a_viewer_sees_and_foreign_is_as_absent(bob: User, charlie: User, folder: Folder, ending: str) -> None:
    assert with_token(bob).get(path(folder, ending)).status_code == 200
    foreign = problem(with_token(charlie).get(path(folder, ending)), 404, "not_found")
    absent = path(folder, ending).replace(str(folder.pk), "00000000-0000-0000-0000-000000000000")
    assert problem(with_token(charlie).get(absent), 404, "not_found") == foreign
    nonsense = path(folder, ending).replace(str(folder.pk), "7")
    assert problem(with_token(charlie).get(nonsense), 404, "not_found") == foreign


def test_a_drawing_that_does_not_come_is_told(client: Client, folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_scene: object) -> bytes:
        raise NotDrawn

    monkeypatch.setattr(painter, "svg", fail)
    answer = client.get(path(folder, ".svg"))
    problem(answer, 503, "unavailable")
    assert answer.headers["Retry-After"] == "5"


def test_a_preview_moves_them_and_changes_nothing(client: Client, folder: Folder) -> None:
    rated(folder, "Picking")
    heavier = {**AXES, "complexityAxes": [{"id": "data", "name": "Data", "weight": 0.5}]}
    answer = preview(client, folder, matrixConfig=heavier).json()
    assert answer["axes"]["complexity"]["axes"][0]["weight"] == 0.5
    assert [(each["name"], each["complexity"], each["quadrant"]) for each in answer["useCases"]] == [
        ("Picking", 1.5, "highValueLowComplexity")
    ]
    assert answer["pages"] == 1
    assert "value 10, complexity 1.5, Quick wins" in answer["drawing"]
    folder.refresh_from_db()
    assert folder.matrix_config == AXES


def test_a_preview_has_one_page_of_the_table_in_its_order(client: Client, folder: Folder) -> None:
    fill(folder, 130)
    answer = preview(client, folder, order="name", page=2, size="narrow").json()
    assert answer["pages"] == 2
    assert [each["name"] for each in answer["useCases"]] == [f"Case {index:05}" for index in range(100, 130)]
    cell = preview(client, folder, order="name", cell="12-10-2-9").json()
    assert [each["name"] for each in cell["useCases"]][:2] == ["Case 00000", "Case 00005"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"matrixConfig": {"valueAxes": [{"id": "a", "name": "A", "weight": -1}]}}, "matrixConfig.valueAxes.0.weight"),
        ({"matrixConfig": {"valueAxes": [{"id": "a", "name": "A", "weight": 1e9}]}}, "matrixConfig.valueAxes.0.weight"),
        ({"matrixConfig": {"other": 1}}, "matrixConfig.other"),
        ({"order": "salary"}, "order"),
        ({"page": 0}, "page"),
        ({"size": "huge"}, "size"),
        ({"more": 1}, "more"),
    ],
)
def test_a_preview_of_what_cannot_be_is_refused(client: Client, folder: Folder, body: Any, field: str) -> None:
    assert field in problem(preview(client, folder, **body), 400, "validation")["errors"]


def test_infinity_is_no_weight(client: Client, folder: Folder) -> None:
    body = '{"matrixConfig": {"thresholds": {"value": 1e999}}}'
    answer = client.post(path(folder, "/preview"), body, content_type="application/json")
    assert answer.status_code == 400


def test_who_may_not_change_may_not_try(bob: User, charlie: User, folder: Folder) -> None:
    problem(preview(with_token(bob), folder), 403, "forbidden")
    problem(preview(with_token(charlie), folder), 404, "not_found")


def test_ten_thousand_are_told_and_drawn_in_few_queries(client: Client, folder: Folder) -> None:
    fill(folder, 10_000)
    for ending in ("", ".svg"):
        with CaptureQueriesContext(connection) as asked:
            answer = client.get(path(folder, ending))
        assert answer.status_code == 200
        assert len(asked) <= 10
    assert len(marks_of(ElementTree.fromstring(answer.content))) == 5
    assert len(json.loads(client.get(path(folder)).content)["useCases"]) == 10_000


def test_each_language_has_a_drawing_of_its_own(client: Client, folder: Folder) -> None:
    english = client.get(path(folder, ".svg"), headers={"Accept-Language": "en"})
    french = client.get(path(folder, ".svg"), headers={"Accept-Language": "fr"})
    assert english.headers["ETag"] != french.headers["ETag"]
    assert "Accept-Language" in english.headers["Vary"]
