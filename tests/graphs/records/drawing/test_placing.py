"""Marks and names never stand on each other, and stay in the plane."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphs.records.drawing import placing
from graphs.records.drawing.placing import Box, Spot
from graphs.records.drawing.scene import CANVASES, Axis, Scene
from tests.graphs.records.drawing.scenes import many, mark, scene

CORNERS = [70.0, 90.0, 80.0, 95.0]


def apart(boxes: list[Box]) -> bool:
    return not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from([*CANVASES]),
    st.lists(st.tuples(st.floats(0, 32), st.floats(0, 32), st.floats(20, 400)), min_size=1, max_size=60),
)
def test_up_to_sixty_names_have_room_beside_marks_and_each_other(
    size: str, given: list[tuple[float, float, float]]
) -> None:
    shown = scene([mark(str(index), x, y) for index, (x, y, _width) in enumerate(given)], size)
    spots = placing.spots(shown, CORNERS)
    boxes = placing.names([width for _x, _y, width in given], spots, CORNERS, shown.canvas)
    assert all(boxes)
    assert apart([*filter(None, boxes), *(spot.box for spot in spots)])
    for box in filter(None, boxes):
        assert min(box.x, box.y) >= 0
        assert box.x + box.width <= shown.canvas.width
        assert box.y + box.height <= shown.canvas.height


@pytest.mark.parametrize("size", CANVASES)
@pytest.mark.parametrize("at", [0, 16, 32])
def test_sixty_at_one_place_stand_around_it_with_their_names(size: str, at: float) -> None:
    shown = scene([mark(str(index), at, at) for index in range(60)], size)
    spots = placing.spots(shown, CORNERS)
    boxes = placing.names([200.0] * 60, spots, CORNERS, shown.canvas)
    assert apart([*filter(None, boxes), *(spot.box for spot in spots)])
    assert len(boxes) == 60
    assert all(boxes)


def test_a_mark_that_is_alone_stands_where_its_amounts_are_and_its_name_right_of_it() -> None:
    shown = scene([mark("a", 8, 24)])
    (spot,) = placing.spots(shown, CORNERS)
    assert (spot.x, spot.y) == (860 * 8 / 32, 560 * 8 / 32)
    (box,) = placing.names([80], [spot], CORNERS, shown.canvas)
    assert box is not None
    assert 0 < box.x - spot.x < 12
    assert box.y < spot.y < box.y + box.height


def test_amounts_beyond_the_plane_stand_at_its_side() -> None:
    (spot,) = placing.spots(scene([mark("a", 99, -1)]), CORNERS)
    assert (spot.x, spot.y) == (860, 560)


def test_the_names_of_quadrants_stay_free() -> None:
    shown = scene([mark("a", 0, 32)])
    (box,) = placing.names([80], placing.spots(shown, CORNERS), [200.0] * 4, shown.canvas)
    assert box is not None
    assert not box.overlaps(Box(placing.CORNER, 4, 200, placing.NAME_HEIGHT))


def test_a_line_to_a_name_does_not_run_over_a_mark_while_another_place_is_free() -> None:
    shown = scene(many(30))
    spots = placing.spots(shown, CORNERS)
    boxes = placing.names([100.0] * 30, spots, CORNERS, shown.canvas)
    crossed = [
        (index, other)
        for index, box in enumerate(boxes)
        for other, spot in enumerate(spots)
        if box and other != index and spot.box.is_crossed(spots[index].x, spots[index].y, *box.nearest(spots[index]))
    ]
    assert crossed == []


def beyond(shown: Scene, spots: list[Spot]) -> list[Spot]:
    """Marks that stand on another side of a threshold than their amounts."""
    across = shown.canvas.width * shown.complexity.split
    down = shown.canvas.height * (1 - shown.value.split)
    return [
        spot
        for each, spot in zip(shown.marks, spots, strict=True)
        if (each.complexity >= shown.complexity.threshold) != (spot.x >= across)
        or (each.value >= shown.value.threshold) != (spot.y <= down)
    ]


@pytest.mark.parametrize("size", CANVASES)
@pytest.mark.parametrize("threshold", [0.1, 3, 16, 30, 31.9])
@pytest.mark.parametrize("places", ["one", "line", "corners", "at the threshold"])
def test_marks_stay_on_their_side_of_the_thresholds_and_off_the_names_of_quadrants(
    size: str, threshold: float, places: str
) -> None:
    amounts = {
        "one": [(threshold - 0.05, threshold - 0.05)] * 60,
        "line": [(index * 32 / 59, index * 32 / 59) for index in range(60)],
        "corners": [((index % 2) * 32, (index // 2 % 2) * 32) for index in range(60)],
        "at the threshold": [(threshold, threshold)] * 60,
    }[places][: CANVASES[size].names]
    marks = [mark(str(index), x, y) for index, (x, y) in enumerate(amounts)]
    shown = scene(marks, size, complexity=Axis("c", 32, threshold), value=Axis("v", 32, threshold))
    spots = placing.spots(shown, CORNERS)
    assert beyond(shown, spots) == []
    assert apart([spot.box for spot in spots])
    assert not [
        1 for spot in spots for corner in placing.corner_boxes(CORNERS, shown.canvas) if spot.box.overlaps(corner)
    ]


@pytest.mark.parametrize("size", CANVASES)
def test_counts_stand_in_the_plane_as_a_whole_and_off_the_names_of_quadrants(size: str) -> None:
    marks = [mark(str(index), x, y, count=5_000) for index, (x, y) in enumerate([(0, 0), (32, 32), (0, 32), (32, 0)])]
    shown = scene(marks, size)
    for spot in placing.spots(shown, CORNERS):
        assert spot.radius <= spot.x <= shown.canvas.width - spot.radius
        assert spot.radius <= spot.y <= shown.canvas.height - spot.radius
        assert not any(spot.box.overlaps(corner) for corner in placing.corner_boxes(CORNERS, shown.canvas))


def test_a_name_stands_off_the_lines_of_the_thresholds_where_there_is_room_beside_its_mark() -> None:
    shown = scene([mark("a", 16, 14)])
    spots = placing.spots(shown, CORNERS)
    lines = placing.threshold_lines(shown)
    (box,) = placing.names([80], spots, CORNERS, shown.canvas, lines)
    assert box is not None
    assert placing.is_beside(spots[0], box)
    assert not any(box.overlaps(line) for line in lines)


def test_names_have_air_between_them() -> None:
    shown = scene([mark(str(index), 16, 16) for index in range(60)])
    boxes = placing.names([190.0] * 60, placing.spots(shown, CORNERS), CORNERS, shown.canvas)
    found = [box.wider(3) for box in boxes if box]
    assert len(found) == 60
    assert apart(found)


@pytest.mark.parametrize(
    ("axis", "split", "shares"),
    [
        (Axis("a", 40, 20), 0.5, [0, 0.25, 0.5, 1]),
        (Axis("a", 40, 4), 0.2, [0, 0.2 + 0.8 / 6, 0.2 + 0.8 * 16 / 36, 1]),
        (Axis("a", 40, 38), 0.8, [0, 0.8 * 10 / 38, 0.8 * 20 / 38, 1]),
        (Axis("a", 40, 0), 0.0, [0, 0.25, 0.5, 1]),
        (Axis("a", 40, 40), 1.0, [0, 0.25, 0.5, 1]),
    ],
)
def test_each_side_of_a_threshold_has_a_fifth_of_the_plane(axis: Axis, split: float, shares: list[float]) -> None:
    assert axis.split == split
    assert [axis.share(amount) for amount in (0, 10, 20, 40)] == pytest.approx(shares)
    assert axis.share(-1) == 0
    assert axis.share(41) == 1


@pytest.mark.parametrize(
    ("line", "crossed"),
    [
        ((0, 5, 20, 5), True),
        ((0, 0, 20, 20), True),
        ((0, 12, 20, 12), False),
        ((12, 0, 12, 20), False),
        ((0, 5, 2, 5), False),
    ],
)
def test_it_knows_what_a_line_runs_through(line: tuple[float, float, float, float], crossed: bool) -> None:
    assert Box(3, 3, 6, 6).is_crossed(*line) is crossed


def test_a_larger_count_has_a_larger_mark_with_a_limit() -> None:
    sizes = [placing.cluster_radius(count) for count in (2, 100, 10_000, 10**9)]
    assert sizes == sorted(sizes)
    assert sizes[-1] == 24


def test_who_has_no_name_gets_no_box() -> None:
    assert placing.names([0.0], [Spot(5, 5, 5)], CORNERS, CANVASES["wide"]) == [None]
