"""Only offered models are asked, whatever door names one: the workspace pays."""

import json
from typing import Any

import pytest

from chat.models import Session
from tests.doors.knocking import knock
from tests.doors.matrix import client_of
from tests.doors.world import World

#: A vendor that is not configured, one that is with a model that nobody chose, and what is none at all.
UNOFFERED = ("openai:o1-pro", "demo:of-somebody-else", "nobody:nothing", "x" * 100)
NEW = {"message": "Hello", "context": {"type": "graph", "id": "graph-of-demo"}}


def offered(everybody: World) -> set[str]:
    models = client_of(everybody, "editor", program=True).get("/api/v1/chat/models").json()["results"]
    return {model["id"] for model in models}


@pytest.mark.parametrize("model", UNOFFERED)
def test_no_request_names_another_one(everybody: World, model: str) -> None:
    session = everybody.ids("editor", "session_id")["own"]
    doors: list[tuple[str, str, dict[str, Any]]] = [
        ("POST", "chat/messages", NEW),
        ("POST", "chat/messages", {"message": "Hello", "sessionId": session}),
        ("PATCH", f"chat/sessions/{session}", {}),
    ]
    known, client = offered(everybody), client_of(everybody, "editor", program=True)
    assert model not in known
    for method, path, body in doors:
        answer = knock(client, method, f"/api/v1/{path}", {**body, "model": model})
        assert (answer.status, json.loads(answer.body)["code"]) == (422, "model_unavailable"), answer.body
        assert set(json.loads(answer.body)["available"]) == known
        assert not answer.writes
    assert Session.objects.get(pk=session).model in {"", *known}


def test_a_model_that_is_offered_is_taken(everybody: World) -> None:
    """Without this the refusals above would prove nothing."""
    client = client_of(everybody, "editor", program=True)
    for model in offered(everybody):
        assert knock(client, "POST", "/api/v1/chat/messages", {**NEW, "model": model}).status == 202
