"""A limit for each text at its door: what bodies and frames may hold is read from their descriptions, and tried."""

import json
import typing
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.concurrency.database import in_db
from chat.sockets import frames, graph_frames
from graphs.models import Graph, Node
from tests.chat.inprocess import at_graph, run
from tests.doors.knocking import knock
from tests.doors.matrix import client_of
from tests.doors.test_streaming_doors import answered
from tests.doors.world import World

#: Texts whose description names no limit, and what limits them instead; each is tried below.
ELSEWHERE = {
    "/api/v1/chat/messages.message": "MAX_MESSAGE_CHARS",
    "Chat.message": "MAX_MESSAGE_CHARS",
    "/api/v1/chat/links.objects[]": "what there is of this name: nothing",
    "/api/v1/objects/{object_type}/{object_id}/always-send.part": "what there is of this name: nothing",
    "/api/v1/history/rollback.scope.changeSets[]": "the form of an id",
    "/api/v1/graphs/import.file": "MAX_IMPORT_BYTES",
}
LONG = "x" * 200_000
NAMED = {"enum", "const", "maxLength"}


def unlimited(
    schema: dict[str, Any], root: dict[str, Any], at: str, seen: frozenset[str] = frozenset()
) -> Iterator[str]:
    """The places of texts and lists that may be as long as they like. What is free JSON is limited as a whole."""
    if (name := schema.get("$ref")) is not None:
        if name not in seen:
            found: Any = root
            for step in name.removeprefix("#/").split("/"):
                found = found[step]
            yield from unlimited(found, root, at, seen | {name})
        return
    if schema.get("type") == "string" and not NAMED & schema.keys() and schema.get("format") != "uuid":
        yield at
    if schema.get("type") == "array":
        if "maxItems" not in schema:
            yield f"{at} (a list)"
        yield from unlimited(schema.get("items", {}), root, f"{at}[]", seen)
    for field, inner in schema.get("properties", {}).items():
        yield from unlimited(inner, root, f"{at}.{field}", seen)
    for kind in ("anyOf", "oneOf", "allOf"):
        for inner in schema.get(kind, ()):
            yield from unlimited(inner, root, at, seen)


def test_every_text_of_every_body_has_a_limit(everybody: World) -> None:
    document = client_of(everybody, "editor", program=True).get("/api/v1/schema").json()
    found, bodies = set(), 0
    for path, methods in document["paths"].items():
        for operation in methods.values():
            for content in operation.get("requestBody", {}).get("content", {}).values():
                bodies += 1
                found |= set(unlimited(content["schema"], document, path))
    assert bodies > 20
    assert found == {place for place in ELSEWHERE if place.startswith("/")}


def test_every_text_of_every_frame_has_a_limit() -> None:
    found = set()
    for union in (frames.AnyFrame, graph_frames.AnyFrame):
        for frame in typing.get_args(typing.get_args(union)[0]):
            schema = frame.model_json_schema()
            found |= set(unlimited(schema, schema, frame.__name__))
    assert found == {place for place in ELSEWHERE if not place.startswith("/")}


@pytest.mark.parametrize(
    "schema", [{"type": "string"}, {"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": "array", "items": {}}]
)
def test_it_would_be_found(schema: dict[str, Any]) -> None:
    assert list(unlimited({"properties": {"a": schema}}, {}, ""))
    assert not list(unlimited({"properties": {"a": {"type": "string", "maxLength": 9}}}, {}, ""))


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
def test_what_no_description_limits_is_limited_all_the_same(
    everybody: World, method: str, path: str, body: dict[str, Any]
) -> None:
    answer = knock(client_of(everybody, "editor", program=True), method, f"/api/v1/{path}", body)
    assert 400 <= answer.status < 500 or json.loads(answer.body) == {"results": []}, answer.body[:300]
    assert len(answer.body) < 10_000
    assert not answer.writes


@pytest.mark.django_db(transaction=True)
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
            assert f"{field} of node:fetch-api would be longer than 1000000 characters" in json.dumps(refused)
            renamed = {"actions": [{"action": "update_node", "arguments": {**arguments, "updates": {"name": "On"}}}]}
            assert (await answered(socket, "graph:edit", renamed))["type"] == "graph:ack"
        now = await in_db(Node.objects.get, key="fetch-api")
        assert (getattr(now, field), now.name) == (getattr(before, field), "On")

    run(test)
