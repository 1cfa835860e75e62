"""The use cases of a folder with their places: what is missing, cells, order, and what other code left in no shape."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from graphs.models import Folder, UseCase
from graphs.records import folder_matrix
from graphs.records.folder_matrix import Cell, matrix_of, ordered
from tests.graphs.records.conftest import AXES

pytestmark = pytest.mark.django_db


def rated(folder: Folder, name: str, gain: int | None = 1, data: int | None = 3, **more: Any) -> UseCase:
    scores = {
        "valueScores": [{"axisId": "gain", "rating": gain}],
        "complexityScores": [{"axisId": "data", "rating": data}],
    }
    return UseCase.objects.create(workspace=folder.workspace, folder=folder, data={"name": name, **scores}, **more)


def names(found: Any) -> list[str]:
    return [each.name for each in found]


def test_use_cases_stand_where_points_and_weights_put_them(folder: Folder) -> None:
    rated(folder, "Picking", status="ready")
    (found,) = matrix_of(folder).placed
    assert (found.name, found.status) == ("Picking", "ready")
    assert (found.place.value.points, found.place.complexity.points) == (10, 3)


def test_other_weights_move_them_all_at_once(folder: Folder) -> None:
    rated(folder, "Picking")
    other = folder.matrix_config | {"complexityAxes": [{"id": "data", "name": "Data", "weight": 4}]}
    (found,) = matrix_of(folder, other).placed
    assert found.place.complexity.points == 12
    assert matrix_of(folder).placed[0].place.complexity.points == 3


def test_who_lacks_a_rating_has_no_place_and_is_told_what_is_missing(folder: Folder) -> None:
    rated(folder, "Picking", gain=None)
    found = matrix_of(folder)
    assert found.placed == []
    assert names(found.unrated) == ["Picking"]
    assert found.unrated[0].place.unrated == ("Gain",)


def test_without_axes_there_is_no_place_and_nothing_missing(folder: Folder) -> None:
    rated(folder, "Picking")
    found = matrix_of(folder, {"valueAxes": folder.matrix_config["valueAxes"]})
    assert (found.has_axes, found.placed, found.unrated) == (False, [], [])


def test_use_cases_of_other_folders_are_not_in_it(folder: Folder) -> None:
    other = Folder.objects.create(workspace=folder.workspace, name="Other", matrix_config=folder.matrix_config)
    rated(other, "Elsewhere")
    assert matrix_of(folder).use_cases == []


@pytest.mark.parametrize("config", [{"valueAxes": 7}, {"valueAxes": [{"id": "a"}]}, {"thresholds": []}, [], None])
def test_a_configuration_that_other_code_left_in_no_shape_has_no_axes(folder: Folder, config: Any) -> None:
    Folder.objects.filter(pk=folder.pk).update(matrix_config=config if config is not None else {"x": 1})
    folder.refresh_from_db()
    assert not matrix_of(folder).has_axes


@pytest.mark.parametrize("scores", [7, "x", [1], [{"rating": 1}], [{"axisId": ["gain"], "rating": 1}], {"a": 1}])
def test_scores_that_other_code_left_in_no_shape_are_none(folder: Folder, scores: Any) -> None:
    made = rated(folder, "Picking")
    UseCase.objects.filter(pk=made.pk).update(data={"name": "Picking", "valueScores": scores})
    assert names(matrix_of(folder).unrated) == ["Picking"]


def test_a_cell_has_those_in_it(folder: Folder) -> None:
    rated(folder, "Low", data=1)
    rated(folder, "High", data=5)
    found = matrix_of(folder)
    cells = {each.name: found.cell(each, 12, 10) for each in found.placed}
    assert cells["Low"] == Cell(12, 10, 2, 9)
    assert cells["High"] == Cell(12, 10, 11, 9)
    assert names(found.within(cells["High"])) == ["High"]
    assert names(found.within(None)) == ["High", "Low"]


@pytest.mark.parametrize("threshold", [0, 0.5, 1, 2, 3.3, 4.9, 5, 9])
def test_no_cell_reaches_over_a_threshold(folder: Folder, threshold: float) -> None:
    for rating in range(1, 6):
        rated(folder, str(rating), data=rating)
    found = matrix_of(folder, AXES | {"thresholds": {"value": 5, "complexity": threshold}})
    for columns in (2, 5, 12):
        cells = {int(each.name): found.cell(each, columns, 10).column for each in found.placed}
        assert [cells[rating] for rating in range(1, 6)] == sorted(cells.values())
        assert 0 <= cells[1] <= cells[5] < columns
        low, high = ({cells[r] for r in cells if (r >= threshold) == side} for side in (False, True))
        assert not low & high


@pytest.mark.parametrize("text", ["", "1-2-3", "0-1-1-1", "a-b-c-d", "1-2-3-٣", "-1-2-3-4", "1-2-3-4-5", "999-1-1-1"])
def test_a_text_that_names_no_cell_is_none(text: str) -> None:
    assert Cell.parse(text) is None


def test_a_cell_is_read_from_its_own_text() -> None:
    assert Cell.parse(str(Cell(12, 10, 3, 4))) == Cell(12, 10, 3, 4)


def test_they_are_ordered_by_any_column(folder: Folder) -> None:
    rated(folder, "Bbb", data=1, status="ready")
    rated(folder, "aaa", data=5, status="draft")
    found = matrix_of(folder).placed
    assert names(ordered(found, "name")) == ["aaa", "Bbb"]
    assert names(ordered(found, "-name")) == ["Bbb", "aaa"]
    assert names(ordered(found, "complexity")) == ["Bbb", "aaa"]
    assert names(ordered(found, "-complexity")) == ["aaa", "Bbb"]
    assert names(ordered(found, "status")) == ["aaa", "Bbb"]
    assert names(ordered(found, "quadrant")) == ["Bbb", "aaa"]


def test_it_is_one_query_and_has_a_limit(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    for index in range(4):
        rated(folder, f"Picking {index}")
    with CaptureQueriesContext(connection) as asked:
        found = matrix_of(folder)
    assert (len(asked), len(found.use_cases), found.count, found.is_cut) == (1, 4, 4, False)
    monkeypatch.setattr(folder_matrix, "MOST", 3)
    found = matrix_of(folder)
    assert names(found.use_cases) == ["Picking 0", "Picking 1", "Picking 2"]
    assert (found.count, found.is_cut) == (4, True)
