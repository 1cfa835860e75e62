"""The doors that Django does not open: every frame of the chat socket, server-sent events and `wait: true`."""

import json
import typing
import uuid
from collections.abc import AsyncIterator
from typing import Any

import pytest

from chat.sockets import frames, graph_frames
from tests.chat.inprocess import Socket, asked, at_graph, opened, request, run, signed_in
from tests.doors import world
from tests.doors.rules import NOTE
from tests.doors.world import MEMBERSHIPS, NOWHERE, OBJECT_TYPES, PEOPLE, Id, RoleName, World

#: What each frame says beside its type, and what the owner of the ids is answered: a type, or the code of a refusal.
FRAMES: dict[str, list[tuple[dict[str, Any], str]]] = {
    "ai:subscribe": [
        ({"sessionId": "{session}"}, "ai:subscribed"),
        ({"stream": "{stream}"}, "ai:subscribed"),
        *(({"stream": f"{{stream of {type_}}}"}, "ai:subscribed") for type_ in OBJECT_TYPES),
    ],
    "ai:unsubscribe": [({"sessionId": "{session}"}, "ai:unsubscribed"), ({"stream": "{stream}"}, "ai:unsubscribed")],
    "ai:retry": [({"sessionId": "{session}"}, "conflict")],
    "ai:deepen": [({"messageId": "{message}"}, "conflict")],
    "ai:resume": [
        ({"sessionId": "{session}", "answer": "Yes"}, "conflict"),
        ({"sessionId": "{proposer}", "proposalId": "{proposal}", "answer": "Yes"}, "validation"),
    ],
    "ai:interrupt": [({"sessionId": "{session}"}, "ai:accepted")],
    "ai:chat": [
        *(
            ({"message": "Hello", "context": {"type": type_, "id": f"{{{type_}}}"}}, "ai:accepted")
            for type_ in OBJECT_TYPES
        ),
        ({"message": "Hello", "sessionId": "{session}"}, "ai:accepted"),
    ],
}
#: Says who one is; `tests/chat/access/test_identity.py` has its abuses.
INTRODUCTION = "ai:authenticate"
#: Method is POST; the path and the body of each request that can wait for its run.
WAITING: list[tuple[str, dict[str, Any]]] = [
    ("chat/messages", {"message": "Hello", "sessionId": "{session}"}),
    ("chat/sessions/{session}/resume", {"answer": "Yes"}),
    ("chat/sessions/{session}/retry", {}),
    ("chat/messages/{message}/deepen", {}),
    ("proposals/{proposal}/decide", {"approved": True}),
    ("proposals/{proposal}/propose-again", {}),
]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def everybody(transactional_db: None) -> World:
    return world.kept()


def names_of(everybody: World, role: RoleName) -> dict[Id, dict[str, str]]:
    sessions, streams = everybody.ids(role, "session_id"), everybody.ids(role, "stream_name")
    messages = everybody.ids(role, "message_id")
    proposals = everybody.ids(role, "proposal_id")
    objects: dict[str, dict[Id, str]] = {type_: everybody.ids(role, type_) for type_ in OBJECT_TYPES}
    objects |= {f"stream of {type_}": _streams_of(everybody, role, type_) for type_ in OBJECT_TYPES}
    found = {}
    for kind in sessions:
        proposal = proposals.get(kind, proposals["random"])
        found[kind] = {
            **{name: ids.get(kind, ids["random"]) for name, ids in objects.items()},
            "session": sessions[kind],
            "message": messages[kind],
            "stream": streams[kind],
            "proposal": proposal,
            "proposer": everybody.proposers.get(proposal, NOWHERE),
        }
    return found


def _streams_of(everybody: World, role: RoleName, type_: str) -> dict[Id, str]:
    """Of objects; without those of what is deleted, which members may read on."""
    return {kind: name for kind, name in everybody.streams_of(role, type_).items() if kind != "deleted"}


def filled(values: Any, names: dict[str, str]) -> Any:
    text = json.dumps(values)
    for name, value in names.items():
        text = text.replace(f"{{{name}}}", value)
    return json.loads(text)


def nameless(answer: dict[str, Any], names: dict[str, str]) -> str:
    text = json.dumps({name: value for name, value in answer.items() if name != "_id"})
    for value in names.values():
        text = text.replace(value, "ID")
    return text


async def answered(socket: Socket, type_: str, values: dict[str, Any]) -> dict[str, Any]:
    own_id = uuid.uuid4().hex
    socket.send(type_, _id=own_id, **values)
    return await socket.until(lambda each: next((one for one in each.received if one.get("_id") == own_id), None))


def test_every_frame_has_a_rule() -> None:
    union = typing.get_args(typing.get_args(frames.AnyFrame)[0])
    types = {typing.get_args(frame.model_fields["type"].annotation)[0] for frame in union}
    assert types == {*FRAMES, INTRODUCTION}


def test_every_frame_answers_each_as_the_rules_say(everybody: World) -> None:
    async def test() -> None:
        for role in PEOPLE:
            names = names_of(everybody, role)
            async with signed_in(everybody.users[role]) as socket:
                wrong = [
                    fault
                    for type_, rows in FRAMES.items()
                    for values, due in rows
                    async for fault in faults(socket, role, type_, values, due, names)
                ]
                shown = json.dumps(socket.received)
            wrong += [f"shows {secret}" for secret in everybody.secrets_for(role, in_admin=False) if secret in shown]
            assert not wrong, (role, wrong)

    run(test)


async def faults(
    socket: Socket, role: RoleName, type_: str, values: dict[str, Any], due: str, names: dict[Id, dict[str, str]]
) -> AsyncIterator[str]:
    absent = nameless(await answered(socket, type_, filled(values, names["random"])), names["random"])
    if '"not_found"' not in absent:
        yield f"{type_} {values}: {absent} for an id that never was"
    for kind, named in names.items():
        answer = await answered(socket, type_, filled(values, named))
        if kind == "own" and role in MEMBERSHIPS:
            if due not in (answer["type"], answer.get("code")):
                yield f"{type_} {values}, own id: {answer} instead of {due}"
        elif nameless(answer, named) != absent:
            yield f"{type_} {values}, {kind} id: {answer} instead of {absent}"


def test_who_does_not_say_who_they_are_is_shown_out(everybody: World) -> None:
    async def test() -> None:
        for type_, rows in FRAMES.items():
            for values, _due in rows:
                async with opened() as socket:
                    socket.send(type_, _id=1, **filled(values, names_of(everybody, "editor")["own"]))
                    assert await socket.closed() == 4401, type_
                    assert not socket.received

    run(test)


#: What each frame of a graph's socket says, and what an editor and a viewer are answered.
GRAPH_FRAMES: dict[str, tuple[dict[str, Any], str, str]] = {
    "graph:edit": ({"actions": [{"action": "create_node", "arguments": NOTE}]}, "graph:ack", "forbidden"),
    "graph:undo": ({"version": 2**30}, "not_found", "forbidden"),
    "graph:save": ({}, "graph:saved", "forbidden"),
    "graph:presence": ({"selection": 7}, "validation", "validation"),
}


def test_every_frame_of_a_graph_has_a_rule() -> None:
    union = typing.get_args(typing.get_args(graph_frames.AnyFrame)[0])
    types = {typing.get_args(frame.model_fields["type"].annotation)[0] for frame in union}
    assert types == {*GRAPH_FRAMES, "graph:authenticate"}


def test_graphs_open_for_members_and_are_edited_by_editors(everybody: World) -> None:
    async def test() -> None:
        for role in PEOPLE:
            keys = everybody.ids(role, "key")
            refusals = []
            for kind, key in keys.items():
                async with at_graph(everybody.users[role], key) as socket:
                    if kind == "own" and role in MEMBERSHIPS:
                        await socket.frame("graph:opened")
                        for type_, (values, editor, viewer) in GRAPH_FRAMES.items():
                            answer = await answered(socket, type_, values)
                            due = viewer if role == "viewer" else editor
                            assert due in (answer["type"], answer.get("code")), (role, type_, answer)
                    else:
                        refusals.append(nameless(await socket.frame("graph:error"), {"key": key}))
                        assert await socket.closed() == 4404
                    shown = json.dumps(socket.received)
                for secret in everybody.secrets_for(role, in_admin=False):
                    assert secret not in shown, (role, secret)
            assert len(set(refusals)) == 1, (role, refusals)

    run(test)


def test_server_sent_events_are_for_owners(everybody: World) -> None:
    async def test() -> None:
        for role in PEOPLE:
            streams = everybody.ids(role, "stream_name")
            absent = await _sse(everybody, role, streams["random"])
            assert absent[0] == 404
            for kind, name in streams.items():
                got = await _sse(everybody, role, name)
                assert got == ((200, b"") if kind == "own" and role in MEMBERSHIPS else absent), (role, kind)
                if kind != "own":
                    assert await _sse(everybody, role, f"{streams['own']},{name}") == absent, (role, kind)
        assert (await request("GET", f"/api/v1/streams/sse?streams={streams['own']}")).status == 401
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            answer = await request(method, f"/api/v1/streams/sse?streams={streams['own']}", everybody.users["editor"])
            assert answer.status == 405

    run(test)


async def _sse(everybody: World, role: RoleName, names: str) -> tuple[int, bytes]:
    """Status and, of a refusal, the body."""
    async with asked("GET", f"/api/v1/streams/sse?streams={names}", everybody.users[role]) as answer:
        await answer.until(lambda each: each.status)
        if answer.status == 200:
            return 200, b""
        await answer.until(lambda each: each.complete)
        return answer.status, answer.body


def test_a_cursor_of_foreign_streams_is_refused(everybody: World) -> None:
    async def test() -> None:
        own, foreign = (everybody.talks[role].session.stream for role in ("editor", "stranger"))
        user = everybody.users["editor"]
        bodies = set()
        for cursor in (f"{foreign.pk}-1", "999999-1", f"{own.pk}-1.{foreign.pk}-1", f"{own.pk}-999999", "nonsense"):
            path = f"/api/v1/streams/sse?streams={own.name}&cursor={cursor}"
            answer = await request("GET", path, user)
            assert answer.status == 400
            bodies.add(answer.body)
        assert len(bodies) == 1

    run(test)


def test_waiting_for_a_foreign_run_is_the_same_as_for_none(everybody: World) -> None:
    async def test() -> None:
        for role in PEOPLE:
            names = names_of(everybody, role)
            for path, body in WAITING:
                bodies = {}
                for kind, named in names.items():
                    if kind == "own" and role in MEMBERSHIPS:
                        continue
                    answer = await request(
                        "POST",
                        f"/api/v1/{filled(path, named)}",
                        everybody.users[role],
                        filled(body, named) | {"wait": True},
                    )
                    assert answer.status == 404, (role, path, kind)
                    bodies[kind] = answer.body
                assert len(set(bodies.values())) == 1, (role, path)

    run(test)
