import pytest
from django.conf import settings

from config import environment, processes
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


@pytest.mark.parametrize("name", ["DATABASE_URL", "REDIS_URL", "CELERY_BROKER_URL"])
def test_what_is_no_address_is_told_without_its_password(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "redis://:canary/secret@host:6379/0")
    with pytest.raises(Problem) as problem:
        environment.read()
    assert f"{name}: is no address" in problem.value.sentence
    assert "canary" not in problem.value.sentence


def test_workers_serve_every_queue_that_tasks_are_sent_to() -> None:
    queues = {settings.CELERY_TASK_DEFAULT_QUEUE, *(route["queue"] for route in settings.CELERY_TASK_ROUTES.values())}
    assert queues == set(processes.QUEUES.split(","))
