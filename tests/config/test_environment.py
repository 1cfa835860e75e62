import pytest

from config import environment
from config.problem import Problem


def test_it_names_every_variable_that_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOL_ROUNDS", "many")
    monkeypatch.setenv("LIMIT_LOGIN", "10 a day")
    with pytest.raises(Problem, match=r"(?s)LIMIT_LOGIN: .*TOOL_ROUNDS: |TOOL_ROUNDS: .*LIMIT_LOGIN: "):
        environment.read()


def test_it_takes_an_empty_value_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOL_ROUNDS", "")
    assert environment.read().tool_rounds == 5


@pytest.mark.parametrize(("text", "names"), [("", []), (" , ", []), ("a, b,", ["a", "b"])])
def test_it_splits_at_commas(text: str, names: list[str]) -> None:
    assert environment.csv(text) == names
