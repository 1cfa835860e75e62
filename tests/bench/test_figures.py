import math

from bench.figures import delays_ms, median, percentile, ratio, sent_within


def test_it_finds_percentiles_that_occurred() -> None:
    values = [float(value) for value in range(1, 101)]

    assert [percentile(values, percent) for percent in (1, 50, 99, 100)] == [1, 50, 99, 100]
    assert percentile([7.0], 99) == 7
    assert percentile([3.0, 1.0, 2.0], 50) == 2


def test_it_has_no_percentile_of_nothing() -> None:
    assert math.isnan(percentile([], 50))


def test_it_counts_delays_in_milliseconds() -> None:
    assert delays_ms([(1_000_000, 3_500_000), (2_000_000, 2_000_000)]) == [2.5, 0]


def test_it_keeps_what_was_sent_in_a_time() -> None:
    assert sent_within([(9, 20), (10, 20), (19, 99), (20, 21)], 10, 20) == [(10, 20), (19, 99)]


def test_it_takes_medians_of_what_was_measured() -> None:
    assert median([5.0, math.nan, 1.0, 3.0]) == 3
    assert math.isnan(median([math.nan]))


def test_it_divides_by_nothing_without_a_result() -> None:
    assert ratio(6, 4) == 1.5
    assert math.isnan(ratio(6, 0))
    assert math.isnan(ratio(6, math.nan))
