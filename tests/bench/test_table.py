import math

from bench.table import Row, table


def test_it_shows_what_was_met_and_what_was_missed() -> None:
    shown = table(
        [
            Row("delay", 2.0, 2.5, 1.25, target=1.5, unit="ms"),
            Row("first token", 2.0, 60.0, 58.0, target=25, unit="ms", result_unit="ms"),
            Row("bytes", 26.0, 276.0, 10.615, unit="B"),
        ]
    )

    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in shown.splitlines()[2:]]
    assert rows == [
        ["delay", "2 ms", "2.5 ms", "1.25 x", "<= 1.5 x", "met"],
        ["first token", "2 ms", "60 ms", "58 ms", "<= 25 ms", "MISSED"],
        ["bytes", "26 B", "276 B", "10.6 x", "", ""],
    ]


def test_a_target_may_be_the_least_that_is_wanted() -> None:
    slow, fast = (Row("a second", 40.0, 40.0 * times, times, target=1.7, at_least=True) for times in (1.5, 1.8))

    assert (slow.cells()[-2:], fast.cells()[-2:]) == ([">= 1.7 x", "MISSED"], [">= 1.7 x", "met"])


def test_it_says_nothing_about_what_was_not_measured() -> None:
    row = Row("delay", math.nan, math.nan, math.nan, target=1.5)

    assert row.met is None
    assert row.cells() == ["delay", "", "", "", "<= 1.5 x", ""]
