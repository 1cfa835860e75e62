"""What a request may not say: fields of rows that its door does not take are refused, and nothing is changed."""

import json
import re
from typing import Any

import pytest

from chat.actions.refusals import Refused
from chat.sockets import frames
from tests.doors import rules
from tests.doors.knocking import knock
from tests.doors.matrix import PREFIX, Door, api_addresses, client_of, doors, ids_of
from tests.doors.test_streaming_doors import FRAMES
from tests.doors.world import World

NOT_FOR_YOU: dict[str, Any] = {
    "id": "00000000-0000-4000-8000-000000000007",
    "pk": 1,
    "owner": 1,
    "ownerId": 1,
    "owner_id": 1,
    "user": "person-superuser",
    "author": 1,
    "workspace": "other",
    "workspaceId": 1,
    "workspace_id": 1,
    "role": "admin",
    "status": "complete",
    "phase": "COMPLETED",
    "state": {},
    "sequence": 1,
    "version": 9,
    "epoch": 9,
    "stream": "session_x",
    "streamId": "session_x",
    "runId": "x",
    "createdAt": "2000-01-01T00:00:00Z",
    "created_at": "2000-01-01T00:00:00Z",
    "updatedAt": "2000-01-01T00:00:00Z",
    "hiddenAt": None,
    "hidden_at": None,
    "cost": 0,
    "usage": {},
    "kind": "text",
    "content": "x",
    "html": "<b>x</b>",
    "toolCalls": [],
    "isStaff": True,
    "is_staff": True,
    "isSuperuser": True,
    "is_superuser": True,
    "approvedBy": "person-admin",
    "approved_by": 1,
    "decidedBy": 1,
    "session_id": "x",
    "on_disconnect": "continue",
    "require_validation": False,
    "requireApproval": False,
    "__proto__": {"role": "admin"},
    "constructor": {},
}
TAKING = [
    door
    for door in doors(rules.API, api_addresses(), PREFIX)
    if door.rule and isinstance(door.rule.body, dict) and not door.rule.multipart()
]


@pytest.mark.parametrize("door", TAKING, ids=str)
def test_a_field_that_the_door_does_not_take_is_refused(everybody: World, door: Door) -> None:
    assert door.rule
    client = client_of(everybody, "editor", program=True)
    address = door.address.with_id(ids_of(everybody, "editor", door.address).get("own", ""))
    for name, value in NOT_FOR_YOU.items():
        answer = knock(client, door.method, address, {**door.rule.body, name: value})
        assert answer.status == 400, (name, answer.body)
        assert name in json.loads(answer.body)["errors"], (name, answer.body)
        assert not answer.writes, name


def test_a_field_that_the_upload_does_not_take_is_refused(everybody: World) -> None:
    client = client_of(everybody, "editor", program=True)
    for name, value in NOT_FOR_YOU.items():
        answer = knock(client, "POST", "/api/v1/graphs/import", {**rules.new_file(), name: str(value)})
        assert answer.status == 400, (name, answer.body)
        assert not answer.writes, name


def test_a_key_that_the_frame_does_not_take_is_refused(db: None) -> None:
    for type_, rows in FRAMES.items():
        for values, _due in rows:
            for name, value in NOT_FOR_YOU.items():
                if name not in values and (name, type_) not in {
                    ("stream", "ai:subscribe"),
                    ("stream", "ai:unsubscribe"),
                }:
                    with pytest.raises(Refused, match=re.escape(name)):
                        frames.read({"type": type_, "_id": 1, **values, name: value})
