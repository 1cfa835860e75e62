"""What the API answers is what its OpenAPI document says."""

import asyncio
from typing import Any

import pytest
from django.contrib.auth.models import User
from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator
from pytest_django import Settings

from chat.concurrency.database import in_db
from chat.models import Run
from chat.providers.pieces import ToolCallDelta, ToolCallStart, TurnEnd
from chat.providers.provider_error import ProviderError
from graphs.models import Graph
from tests.chat.inprocess import Answer, Model, request, run

pytestmark = pytest.mark.django_db(transaction=True)
CHAT = "/api/v1/chat/"


def check(document: dict[str, Any], operation: str, answer: Answer) -> None:
    found = next(
        each
        for item in document["paths"].values()
        for each in item.values()
        if isinstance(each, dict) and each.get("operationId") == operation
    )
    described = found["responses"].get(str(answer.status), {}).get("content", {})
    assert described or answer.status == 204, (operation, answer.status, answer.body)
    if described:
        schema = described["application/json"]["schema"] | {"components": document["components"]}
        Draft202012Validator(schema).validate(answer.json())


async def rested(run_id: str) -> None:
    while await in_db(Run.objects.filter(pk=run_id, ended_at=None).exists):
        await asyncio.sleep(0.02)


def test_every_answer_has_the_shape_that_is_described(
    alice: User, nba: Graph, model: Model, settings: Settings
) -> None:
    settings.TOOL_ROUNDS, settings.TOOL_ROUNDS_EXTENDED = 1, 2
    document = SchemaGenerator().get_schema(request=None, public=True)
    body = {"message": "Hello", "context": {"type": "graph", "id": "nba"}}

    async def test() -> None:
        model.say("One")
        model.end()
        accepted = await request("POST", f"{CHAT}messages", alice, body)
        check(document, "postMessage", accepted)
        await rested(accepted.json()["runId"])
        model.say(ToolCallStart("c1", "read_node_detail"), ToolCallDelta("c1", '{"nodeKey": "root"}'))
        model.say(TurnEnd("tool_calls"))
        limited = await request("POST", f"{CHAT}messages", alice, {**body, "wait": True})
        check(document, "postMessage", limited)
        path = f"{CHAT}sessions/{limited.json()['sessionId']}"
        check(document, "getSession", await request("GET", path, alice))
        model.say("Two", ProviderError("network", "gone"))
        failed = await request("POST", f"{path}/resume", alice, {"continue": True, "wait": True})
        check(document, "resumeSession", failed)
        check(document, "listMessages", await request("GET", f"{path}/messages", alice))
        check(document, "retrySession", await request("POST", f"{path}/retry", alice, {}))
        check(document, "listMessages", await request("GET", f"{path}/messages", alice))
        check(document, "listSessions", await request("GET", f"{CHAT}sessions", alice))
        check(document, "updateSession", await request("PATCH", path, alice, {"title": "New"}))
        check(document, "listSessionEvents", await request("GET", f"{path}/stream-events", alice))
        message = failed.json()["messageId"]
        check(document, "listMessageEvents", await request("GET", f"{CHAT}messages/{message}/stream-events", alice))
        stream = failed.json()["streamId"]
        check(document, "listStreamEvents", await request("GET", f"/api/v1/streams/events/{stream}", alice))
        check(document, "listModels", await request("GET", f"{CHAT}models", alice))
        check(document, "stopSession", await request("POST", f"{path}/stop", alice, {}))
        check(document, "deleteSession", await request("DELETE", path, alice))

    run(test)
