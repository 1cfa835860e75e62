"""The amounts that stand at the axes."""

import pytest

from graphs.records.drawing.axes import ticks
from graphs.records.drawing.scene import Axis


@pytest.mark.parametrize(
    ("most", "locale", "labels"),
    [
        (32, "en-US", ["0", "5", "10", "15", "20", "25", "30"]),
        (2.5, "fr-FR", ["0,0", "0,5", "1,0", "1,5", "2,0", "2,5"]),
        (5_000, "fr-FR", ["0", "1\u202f000", "2\u202f000", "3\u202f000", "4\u202f000", "5\u202f000"]),
        (0.6, "en-US", ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6"]),
        (1, "en-US", ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (2.5e8, "en-US", ["0", "50,000,000", "100,000,000", "150,000,000", "200,000,000", "250,000,000"]),
        (5e-324, "en-US", ["0"]),
    ],
)  # fmt: skip
def test_amounts_are_round_and_in_the_numbers_of_the_reader(most: float, locale: str, labels: list[str]) -> None:
    assert [tick.label for tick in ticks(Axis("", most, most / 2), locale)] == labels


def test_amounts_stand_where_the_plane_has_them() -> None:
    found = {tick.label: tick.share for tick in ticks(Axis("", 40, 4), "en-US")}
    assert (found["0"], found["40"]) == (0, 1)
    assert found["5"] == pytest.approx(0.2 + 0.8 / 36)
