import pytest

from bench.question_parts import without_idle


def test_what_time_brings_anyway_is_taken_off_for_as_long_as_it_took() -> None:
    """Two statements a second come by themselves; one kind is first seen while it is asked."""
    idle = {"statements elsewhere": 10.0, "at": 100.0}
    before = {"statements elsewhere": 14.0, "at": 102.0}
    after = {"statements elsewhere": 32.0, "statements accept": 12.0, "at": 105.0}
    assert without_idle(idle, before, after) == pytest.approx({"statements elsewhere": 12.0, "statements accept": 12.0})
