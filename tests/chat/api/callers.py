"""How the tests of the conversation's API call it."""

import json
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpResponse

from tests.graphs.api.callers import post_json, with_token

API = "/api/v1/"
ABOUT_NBA = {"type": "graph", "id": "nba"}


def post(user: User, path: str, body: Any = None, **headers: str) -> HttpResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return post_json(with_token(user), API + path, {} if body is None else body, headers=named)


def get(user: User, path: str, **headers: str) -> HttpResponse:
    return with_token(user).get(API + path, headers={name.replace("_", "-"): value for name, value in headers.items()})


def patch(user: User, path: str, body: Any) -> HttpResponse:
    return with_token(user).patch(API + path, json.dumps(body), content_type="application/json")


def ask(user: User, text: str = "Hello", **values: Any) -> dict[str, Any]:
    """What a message was answered with."""
    place = {} if "sessionId" in values else {"context": ABOUT_NBA}
    response = post(user, "chat/messages", {"message": text, **place, **values})
    assert response.status_code == 202, response.content
    return response.json()
