"""What the doors of HTTP refuse, sockets refuse, too: models that are not offered, values that grow too long."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from chat.concurrency.database import in_db
from graphs.models import Graph, Node
from tests.chat.inprocess import at_graph, run, signed_in
from tests.doors import world
from tests.doors.test_streaming_doors import answered
from tests.doors.test_unoffered_models import NEW, UNOFFERED

pytestmark = pytest.mark.django_db(transaction=True)


def test_no_frame_names_another_one(transactional_db: None) -> None:
    with transaction.atomic():
        everybody = world.kept()
    session = everybody.ids("editor", "session_id")["own"]

    async def test() -> None:
        async with signed_in(everybody.users["editor"]) as socket:
            for model in UNOFFERED:
                for values in (NEW, {"message": "Hello", "sessionId": session}):
                    refused = await answered(socket, "ai:chat", {**values, "model": model})
                    assert (refused["type"], refused["code"]) == ("ai:error", "model_unavailable"), refused

    run(test)


@pytest.mark.parametrize(
    ("there", "more", "field"),
    [
        ({"data": {"first": "x" * 600_000}}, {"data": {"second": "x" * 600_000}}, "data"),
        (
            {"process": "x" * 600_000 + "END"},
            {"processPatches": [{"search": "END", "replace": "y" * 600_000}]},
            "process",
        ),
    ],
    ids=["a merge patch", "a patch of code"],
)
def test_a_live_edit_makes_no_value_longer_than_any_door_may(
    alice: User, nba: Graph, there: dict[str, Any], more: dict[str, Any], field: str
) -> None:
    Node.objects.filter(key="fetch-api").update(**there)
    before = Node.objects.get(key="fetch-api")

    async def test() -> None:
        async with at_graph(alice) as socket:
            await socket.frame("graph:opened")
            arguments = {"nodeKey": "fetch-api", "updates": more}
            edit = {"actions": [{"action": "update_node", "arguments": arguments}]}
            refused = await answered(socket, "graph:edit", edit)
            assert refused["type"] == "graph:error", refused
            assert f"{field} of node:fetch-api would be longer than 1,000,000 characters" in json.dumps(refused)
            renamed = {"actions": [{"action": "update_node", "arguments": {**arguments, "updates": {"name": "On"}}}]}
            assert (await answered(socket, "graph:edit", renamed))["type"] == "graph:ack"
        now = await in_db(Node.objects.get, key="fetch-api")
        assert (getattr(now, field), now.name) == (getattr(before, field), "On")

    run(test)
