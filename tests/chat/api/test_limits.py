import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from chat.models import Message, Run, RunStatus
from graphs.models import Graph
from tests.chat.api.callers import ask, post
from tests.graphs.api.callers import problem

pytestmark = pytest.mark.django_db


def test_too_many_runs_are_refused_whatever_asks_for_them(alice: User, nba: Graph, settings: Settings) -> None:
    accepted = ask(alice)
    session = accepted["sessionId"]
    Run.objects.update(status=RunStatus.SUCCEEDED)
    settings.LIMIT_MESSAGES = "1/hour"
    for path, body in (
        ("chat/messages", {"message": "Hello", "sessionId": session}),
        (f"chat/sessions/{session}/resume", {"answer": "Yes"}),
        (f"chat/sessions/{session}/retry", {}),
        (f"chat/messages/{accepted['messageId']}/deepen", {}),
    ):
        response = post(alice, path, body)
        assert problem(response, 429, "throttled")["detail"].startswith("Too many messages. Try again in ")
        assert int(response.headers["Retry-After"]) > 0
    assert Message.objects.filter(role="user").count() == 1
