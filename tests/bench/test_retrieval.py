import pytest

from bench.retrieval import rows, sizes_of
from bench.table import Row


def test_sizes_are_compared_with_a_thousand_and_with_the_floors() -> None:
    times = {
        f"{name} {size}": [seconds]
        for size, factor in zip(sizes_of([50_000]), (1, 2), strict=True)
        for name, seconds in (("retrieval", 0.01 * factor), ("floors", 0.005), ("hub", 0.004), ("leaf", 0.002))
    }
    measured = {"times": times, "recall": {"50000": 0.96}, "statements": 4}
    found: dict[str, Row] = {row.what: row for row in rows(measured, (1_000, 50_000))}
    large = [row.result for what, row in found.items() if "50,000" in what]
    assert large == pytest.approx([2.0, 4.0, 4.0, 0.04, 2.0])
    assert [row.met for row in found.values() if row.target] == [True, True, False, True, True]
