"""graphs/records/matrix.py: points times weight, summed; what is missing is named."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.records.matrix import Matrix, Quadrant

LEVELS = [{"rating": rating, "label": "", "points": 10 * rating} for rating in range(1, 6)]
CONFIG: dict[str, Any] = {
    "valueAxes": [
        {"id": "gain", "name": "Gain", "weight": 2, "levels": LEVELS},
        {"id": "reach", "name": "Reach", "weight": 1},
    ],
    "complexityAxes": [{"id": "data", "name": "Data", "weight": 0.5, "levels": LEVELS[:3]}],
    "thresholds": {"value": 60, "complexity": 15},
}


def scored(value: dict[str, int | None], complexity: dict[str, int | None]) -> dict[str, Any]:
    return {
        "valueScores": [{"axisId": axis, "rating": rating} for axis, rating in value.items()],
        "complexityScores": [{"axisId": axis, "rating": rating} for axis, rating in complexity.items()],
    }


def test_points_times_weight_make_the_place() -> None:
    place = Matrix.of(CONFIG).place(scored({"gain": 3, "reach": 4}, {"data": 2}))
    assert (place.value.points, place.complexity.points) == (2 * 30 + 4, 0.5 * 20)
    assert (place.y, place.x) == (64 / 105, 10 / 15)
    assert (place.quadrant, place.unrated) == (Quadrant.HIGH_VALUE_LOW_COMPLEXITY, ())


@pytest.mark.parametrize(
    ("gain", "data", "quadrant"),
    [
        (3, 3, Quadrant.HIGH_VALUE_HIGH_COMPLEXITY),
        (3, 2, Quadrant.HIGH_VALUE_LOW_COMPLEXITY),
        (2, 3, Quadrant.LOW_VALUE_HIGH_COMPLEXITY),
        (2, 2, Quadrant.LOW_VALUE_LOW_COMPLEXITY),
    ],
)
def test_what_reaches_a_threshold_is_high(gain: int, data: int, quadrant: Quadrant) -> None:
    assert Matrix.of(CONFIG).place(scored({"gain": gain}, {"data": data})).quadrant == quadrant


@pytest.mark.parametrize("scores", [{}, {"gain": None}, {"somewhere else": 5}])
def test_axes_without_a_rating_are_named(scores: dict[str, int | None]) -> None:
    place = Matrix.of(CONFIG).place(scored(scores, {"data": 1}))
    assert (place.value.points, place.unrated) == (0, ("Gain", "Reach"))


def test_a_rating_without_a_level_gives_no_points_and_is_named() -> None:
    place = Matrix.of(CONFIG).place(scored({"gain": 1, "reach": 1}, {"data": 5}))
    assert (place.complexity.points, place.unrated) == (0, ("Data",))


def test_an_axis_that_weighs_nothing_need_not_be_rated() -> None:
    axes = [{"id": "gain", "name": "Gain"}, {"id": "reach", "name": "Reach", "weight": 0}]
    matrix = Matrix.of({"valueAxes": axes, "complexityAxes": [{"id": "data", "name": "Data", "weight": 0}]})
    assert matrix.place({"valueScores": [{"axisId": "gain", "rating": 3}]}).unrated == ()
    assert matrix.place({}).unrated == ("Gain",)


def test_where_nothing_weighs_anything_nothing_is_high() -> None:
    config = {"valueAxes": [{"id": "gain", "name": "Gain", "weight": 0}], "thresholds": {"value": 0}}
    place = Matrix.of(config).place(scored({"gain": 5}, {}))
    assert (place.x, place.y, place.quadrant) == (0, 0, Quadrant.LOW_VALUE_LOW_COMPLEXITY)


@pytest.mark.parametrize("config", [{}, {"valueAxes": None, "complexityAxes": [], "thresholds": None}])
def test_a_folder_without_axes_has_one_place_for_all(config: dict[str, Any]) -> None:
    place = Matrix.of(config).place({"valueScores": None})
    assert (place.x, place.y, place.unrated) == (0, 0, ())


def test_without_thresholds_half_of_all_is_high() -> None:
    config = {key: CONFIG[key] for key in ("valueAxes", "complexityAxes")}
    matrix = Matrix.of(config)
    assert (matrix.value.threshold, matrix.complexity.threshold) == (105 / 2, 15 / 2)


def test_new_weights_move_all() -> None:
    heavier = CONFIG | {"valueAxes": [axis | {"weight": axis["weight"] * 10} for axis in CONFIG["valueAxes"]]}
    some = [scored({"gain": rating, "reach": 1}, {"data": 1}) for rating in range(1, 6)]
    before, after = Matrix.of(CONFIG).places(some), Matrix.of(heavier).places(some)
    assert [place.value.points for place in after] == [place.value.points * 10 for place in before]
    assert [place.y for place in after] == [place.y for place in before]


@given(
    st.lists(st.tuples(st.floats(0, 1_000), st.integers(1, 5)), min_size=1, max_size=20),
    st.floats(0, 10_000),
)
def test_places_are_within_the_matrix(axes: list[tuple[float, int]], threshold: float) -> None:
    named = [{"id": str(n), "name": str(n), "weight": weight} for n, (weight, _rating) in enumerate(axes)]
    config = {"valueAxes": named, "complexityAxes": named, "thresholds": {"value": threshold, "complexity": threshold}}
    ratings: dict[str, int | None] = {str(n): rating for n, (_weight, rating) in enumerate(axes)}
    place = Matrix.of(config).place(scored(ratings, ratings))
    assert 0 <= place.x <= 1
    assert place.x == place.y
