"""The door of the metrics: closed unless the operator gave a token, and open to who has it."""

import pytest
from django.test import Client
from pytest_django import Settings

from config import environment, metrics
from config.problem import Problem
from graphs.models import Graph

TOKEN = "a-token-of-sixteen"
pytestmark = pytest.mark.django_db


@pytest.fixture
def with_token(settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN


def test_without_a_token_in_the_settings_there_is_no_such_page(client: Client) -> None:
    assert client.get("/metrics").status_code == 404
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer ", f"Bearer {TOKEN}x", TOKEN, f"Basic {TOKEN}", "Bearer é"])
def test_whoever_does_not_have_it_gets_nothing(with_token: None, client: Client, given: str) -> None:
    answer = client.get("/metrics", headers={"Authorization": given})
    assert answer.status_code == 401
    assert b"countersign" not in answer.content


def test_whoever_has_it_reads_the_figures(with_token: None, client: Client, nba: Graph) -> None:
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain")
    lines = answer.content.decode().splitlines()
    assert "countersign_running_runs 0" in lines
    assert "countersign_pending_proposals 0" in lines
    assert any(line.startswith("countersign_open_sockets") for line in lines)
    assert client.post("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 405


def test_without_the_database_the_rest_is_told(
    with_token: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> int:
        raise metrics.AWAY[0]

    monkeypatch.setattr(metrics, "_FIGURES", {"running_runs": ("Runs", away)})
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
    assert b"countersign_open_sockets" in answer.content
    assert b"running_runs" not in answer.content


def test_a_token_that_can_be_guessed_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METRICS_TOKEN", "short")
    with pytest.raises(Problem, match="METRICS_TOKEN"):
        environment.read()
