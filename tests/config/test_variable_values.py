import pytest

from config.variable_values import csv


@pytest.mark.parametrize(("text", "names"), [("", []), (" , ", []), ("a, b,", ["a", "b"])])
def test_it_splits_at_commas(text: str, names: list[str]) -> None:
    assert csv(text) == names
