"""What a drawing shows: names while they have room, numbers beyond, in the words of its reader."""

from typing import Any

import pytest
from django.utils import translation

from graphs.models import Folder, UseCase
from graphs.records.drawing.scene import CANVASES, Scene
from graphs.records.folder_matrix import matrix_of
from graphs.records.scenes import Addresses, amount, scene_of
from tests.graphs.records.test_folder_matrix import rated

pytestmark = pytest.mark.django_db
ADDRESSES = Addresses(lambda key: f"/use-cases/{key}/", lambda cell: f"?cell={cell}")


def shown(folder: Folder, size: str = "wide") -> Scene:
    return scene_of(matrix_of(folder), size, ADDRESSES)


def fill(folder: Folder, count: int) -> None:
    def scores(index: int) -> dict[str, Any]:
        return {
            "valueScores": [{"axisId": "gain", "rating": 1}],
            "complexityScores": [{"axisId": "data", "rating": 1 + index % 5}],
        }

    UseCase.objects.bulk_create(
        UseCase(
            workspace=folder.workspace, folder=folder, status="ready" if index % 2 else "draft",
            data={"name": f"Case {index:05}", **scores(index)},
        )
        for index in range(count)
    )  # fmt: skip


def test_each_is_told_in_a_sentence_and_leads_to_its_page(folder: Folder) -> None:
    made = rated(folder, "Picking", status="ready")
    (mark,) = shown(folder).marks
    assert mark.told == "Picking: ready, value 10, complexity 3, Large projects"
    assert (mark.href, mark.key, mark.status) == (f"/use-cases/{made.pk}/", str(made.pk), "ready")


def test_the_whole_is_told_by_quadrants(folder: Folder) -> None:
    rated(folder, "Picking")
    rated(folder, "Labels", data=1)
    assert shown(folder).title == "Matrix of Warehouse"
    assert "Quick wins: 1; Large projects: 1; Small extras: 0; Hard to justify: 0" in shown(folder).description


@pytest.mark.parametrize("size", CANVASES)
def test_as_many_as_have_room_have_names_and_more_are_counted(folder: Folder, size: str) -> None:
    most = CANVASES[size].names
    fill(folder, most)
    assert len(shown(folder, size).marks) == most
    fill(folder, 1)
    marks = shown(folder, size).marks
    assert sum(mark.count for mark in marks) == most + 1
    assert 1 < len(marks) <= 5
    assert not any(mark.name for mark in marks)


def test_sixty_names_are_drawn_wide() -> None:
    assert CANVASES["wide"].names == 60


def test_a_number_says_what_is_in_it_and_leads_to_its_rows(folder: Folder) -> None:
    fill(folder, 70)
    mark = shown(folder).marks[0]
    assert mark.told == "14 use cases (draft: 7, ready: 7)"
    assert mark.href == "?cell=12-10-2-9"


def test_who_is_alone_in_a_cell_keeps_the_name(folder: Folder) -> None:
    fill(folder, 70)
    alone = rated(folder, "Alone")
    scores = [{"axisId": "data", "rating": 1}]
    data = {"name": "Same", "valueScores": [{"axisId": "gain", "rating": 1}], "complexityScores": scores}
    UseCase.objects.exclude(pk=alone.pk).update(data=data)
    assert [mark.name for mark in shown(folder).marks if mark.count == 1] == ["Alone"]


def test_ten_thousand_are_at_most_as_many_marks_as_there_are_cells(folder: Folder) -> None:
    fill(folder, 10_000)
    marks = shown(folder).marks
    assert sum(mark.count for mark in marks) == 10_000
    assert len(marks) == 5
    assert marks[0].told == "2,000 use cases (draft: 1,000, ready: 1,000)"


def test_it_speaks_french(folder: Folder) -> None:
    rated(folder, "Picking", status="ready")
    with translation.override("fr"):
        scene = shown(folder)
    assert scene.locale == "fr-FR"
    assert (scene.value.name, scene.complexity.name) == ("Valeur", "Complexité")
    assert scene.title == "Matrice de Warehouse"
    assert "Grands projets\u00a0: 1" in scene.description


def test_the_plane_reaches_as_far_as_a_threshold(folder: Folder) -> None:
    folder.matrix_config = folder.matrix_config | {"thresholds": {"value": 99}}
    folder.save()
    scene = shown(folder)
    assert (scene.value.most, scene.value.threshold) == (99, 99)
    assert (scene.complexity.most, scene.complexity.threshold) == (5, 2.5)


def test_axes_that_weigh_nothing_have_a_plane(folder: Folder) -> None:
    axes = [{"id": "data", "name": "Data", "weight": 0}]
    folder.matrix_config = folder.matrix_config | {"complexityAxes": axes, "thresholds": {}}
    folder.save()
    rated(folder, "Picking")
    assert shown(folder).complexity.most == 1


@pytest.mark.parametrize(("points", "said"), [(3.0, "3"), (2.5, "2.5"), (1 / 3, "0.33"), (12_345.678, "12,345.68")])
def test_amounts_have_two_digits_at_most(points: float, said: str) -> None:
    assert amount(points) == said
