"""What the API answers while the database is away."""

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError

from graphs.api import graphs as views
from tests.cast import signed_in


def test_it_says_that_it_comes_back(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_args: object) -> None:
        raise OperationalError("connection refused at a secret place")

    client = signed_in(alice)
    monkeypatch.setattr(views, "current_member", away)
    answer = client.get("/api/v1/graphs")
    assert answer.status_code == 503
    assert answer["Retry-After"] == "5"
    assert answer.json()["code"] == "unavailable"
    assert "secret" not in answer.content.decode()
