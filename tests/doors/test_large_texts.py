"""Texts that name nothing, however long they are, change nothing and are answered in short."""

import json
from typing import Any

import pytest

from tests.doors.knocking import knock
from tests.doors.matrix import client_of
from tests.doors.world import World

LONG = "x" * 200_000


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "chat/messages", {"message": LONG, "context": {"type": "graph", "id": "graph-of-demo"}}),
        ("POST", "chat/links", {"objects": [f"graph:{LONG}"]}),
        ("POST", "chat/links", {"objects": [f"{LONG}:x"]}),
        ("PUT", "objects/graph/graph-of-demo/always-send", {"alwaysSend": True, "part": f"node:{LONG}"}),
        ("POST", "history/rollback", {"scope": {"changeSets": [LONG]}, "preview": True}),
    ],
)
def test_what_names_nothing_however_long_changes_nothing(
    everybody: World, method: str, path: str, body: dict[str, Any]
) -> None:
    answer = knock(client_of(everybody, "editor", program=True), method, f"/api/v1/{path}", body)
    assert 400 <= answer.status < 500 or json.loads(answer.body) == {"results": []}, answer.body[:300]
    assert len(answer.body) < 10_000
    assert not answer.writes
