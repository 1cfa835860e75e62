"""The socket of a graph: edits that are acknowledged when they are stored, and what the others hear of them."""

import asyncio
import json
import uuid
from contextlib import AsyncExitStack
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from chat.concurrency.database import in_db
from chat.engine import runtime
from chat.live import room
from chat.providers.pieces import ToolCallDelta, ToolCallStart, TurnEnd
from graphs.history import live_edits
from graphs.models import ChangeSet, Graph, LiveEdit, Membership, Modification, Node, Role
from graphs.site.api import tokens
from tests.cast import member
from tests.chat.inprocess import Model, Socket, at_graph, opened, run, signed_in
from tests.graphs.api.callers import post_json, with_token

pytestmark = pytest.mark.django_db(transaction=True)


def rename(name: str, key: str = "fetch-api") -> dict[str, Any]:
    return {"actions": [{"action": "update_node", "arguments": {"nodeKey": key, "updates": {"name": name}}}]}


async def edit(socket: Socket, values: dict[str, Any], own_id: str = "") -> dict[str, Any]:
    """The acknowledgement, or the refusal."""
    own_id = own_id or uuid.uuid4().hex
    socket.send("graph:edit", _id=own_id, **values)
    return await answer(socket, own_id)


async def answer(socket: Socket, own_id: str) -> dict[str, Any]:
    return await socket.until(lambda each: next((one for one in each.received if one.get("_id") == own_id), None))


@pytest.fixture
def dora(nba: Graph) -> User:
    return member("dora", nba.workspace, Role.EDITOR)


def test_an_edit_is_stored_when_it_is_acknowledged_and_told_to_all(alice: User, bob: User, nba: Graph) -> None:
    async def test() -> None:
        async with at_graph(alice) as mine, at_graph(bob) as other:
            opened_at = await other.frame("graph:opened")
            assert (opened_at["version"], opened_at["mayEdit"], opened_at["unsaved"]) == (1, False, False)
            acknowledged = await edit(mine, rename("Fetch all"))
            assert (acknowledged["type"], acknowledged["version"]) == ("graph:ack", 2)
            assert await in_db(Node.objects.filter(name="Fetch all").count) == 1

            for socket in (mine, other):
                told = await socket.frame("graph:edited")
                assert (told["version"], told["by"]) == (2, "alice")
                assert told["operations"] == acknowledged["operations"]
            assert told["operations"] == [
                {"action": "update", "type": "node", "id": "fetch-api", "version": 2, "new": {"name": "Fetch all"}}
            ]
            mine.send("graph:save", _id="now")
            saved = await answer(mine, "now")
            assert (await other.frame("graph:saved"))["changeSetIds"] == saved["changeSetIds"]
        change_set = await in_db(ChangeSet.objects.get)
        assert ([str(change_set.pk)], change_set.actor_label, change_set.origin) == (
            *(saved["changeSetIds"], "alice", "manual"),
        )

    run(test)


def test_the_model_reads_what_is_not_saved_yet(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        async with at_graph(alice) as mine, signed_in(alice) as chat:
            for number, name in enumerate(("Fetch scores", "Fetch results")):
                await edit(mine, rename(name))
                chat.send("ai:chat", _id=number, message="fetch", context={"type": "graph", "id": "nba"})
                session = (await chat.frame("ai:accepted", _id=number))["sessionId"]
                model.say(ToolCallStart("c1", "read_node_detail"), ToolCallDelta("c1", '{"nodeKey": "fetch-api"}'))
                model.say(TurnEnd("tool_calls"), "Done.")
                model.end()
                await chat.frame("ai:complete", sessionId=session)
                result = await chat.frame("ai:tool_result", sessionId=session)
                assert name in json.dumps(result["result"])
                assert name in str(model.requests[2 * number].messages), "what was retrieved for the question"
            assert not await in_db(ChangeSet.objects.exists)

    run(test)


def test_what_was_not_acknowledged_is_sent_again_and_done_once(alice: User, nba: Graph) -> None:
    async def test() -> None:
        async with at_graph(alice) as socket:
            first = await edit(socket, rename("Fetch all"), "mine")
        async with at_graph(alice) as socket:
            again = await edit(socket, rename("Fetch all"), "mine")
            socket.received.clear()
            other = await edit(socket, rename("Fetch one"), "mine")
        assert again == first
        assert other["code"] == "idempotency_key"
        assert await in_db(LiveEdit.objects.count) == 1

    run(test)


def test_what_was_not_acknowledged_may_be_sent_over_rest(alice: User, nba: Graph) -> None:
    async def test() -> None:
        async with at_graph(alice) as socket:
            await edit(socket, rename("Fetch all"), "mine")

    run(test)
    body = rename("Fetch all") | {"expected": []}
    again = post_json(with_token(alice), "/api/v1/graphs/nba/changes", body, headers={"Idempotency-Key": "mine"})
    assert (again.status_code, again.json()["id"]) == (201, str(ChangeSet.objects.get().pk))


def test_who_loses_is_shown_both_sides(alice: User, dora: User, nba: Graph) -> None:
    async def test() -> None:
        seen = {"expected": [{"type": "node", "id": "fetch-api", "version": 1}]}
        async with at_graph(alice) as mine, at_graph(dora) as hers:
            await edit(mine, rename("Fetch all") | seen)
            refused = await edit(hers, rename("Fetch one") | seen)
            assert (refused["type"], refused["code"]) == ("graph:error", "conflict")
            (sides,) = refused["conflicts"]
            assert (sides["expected"], sides["found"], sides["wanted"], sides["by"]) == (
                *("Fetch API", "Fetch all", "Fetch one", "alice"),
            )
            edited = await edit(mine, rename("Begin", "root"))
            mine.send("graph:undo", _id="undo", version=edited["version"])
            undone = await answer(mine, "undo")
            assert undone["operations"][0]["new"] == {"name": "Start"}
            hers.send("graph:undo", _id="not-hers", version=edited["version"])
            assert (await answer(hers, "not-hers"))["code"] == "not_found"

    run(test)


def test_whichever_page_of_the_person_closes_last(alice: User, nba: Graph) -> None:
    async def test() -> None:
        async with at_graph(alice) as watching:
            await watching.frame("graph:opened")
            async with at_graph(alice) as editing:
                await edit(editing, rename("Mine"))
            assert await in_db(ChangeSet.objects.count) == 0

    run(test)
    assert ChangeSet.objects.count() == 1


def test_it_is_saved_when_the_last_page_of_the_person_closes(alice: User, dora: User, nba: Graph) -> None:
    async def test() -> None:
        async with at_graph(dora) as hers:
            async with at_graph(alice) as tab:
                async with at_graph(alice) as other_tab:
                    await edit(other_tab, rename("Fetch all"))
                await edit(tab, rename("Begin", "root"))
                assert not await in_db(ChangeSet.objects.exists)
            assert (await hers.frame("graph:saved"))["version"] == 3
        assert await in_db(Modification.objects.count) == 2
        assert await in_db(ChangeSet.objects.count) == 1

    run(test)


def test_everybody_sees_who_else_is_there_and_what_they_look_at(alice: User, bob: User, nba: Graph) -> None:
    async def test() -> None:
        async with at_graph(bob) as other:
            async with at_graph(alice) as mine:
                mine.send("graph:presence", selection=["root"], cursor={"sheet": "main", "x": 1.5, "y": 2})
                shown = await other.until(
                    lambda socket: next(
                        (
                            person
                            for each in socket.received
                            if each["type"] == "graph:presence"
                            for person in each["people"]
                            if person["selection"]
                        ),
                        None,
                    )
                )
                assert (shown["name"], shown["selection"]) == ("alice", ["root"])
                assert shown["cursor"] == {"sheet": "main", "x": 1.5, "y": 2}
                assert shown["id"] == (await mine.frame("graph:opened"))["you"]
            await other.until(lambda socket: [each["name"] for each in socket.received[-1]["people"]] == ["bob"])

    run(test)


def test_what_people_point_at_is_told_once_for_all_that_happens_in_a_moment(alice: User, nba: Graph) -> None:
    async def test() -> None:
        async with at_graph(alice) as socket:
            await socket.frame("graph:opened")
            rooms = runtime.current().rooms
            (here,) = rooms._rooms.values()
            (watcher,) = here.watchers
            told_before = here.people_number
            for x in range(50):
                watcher.person.cursor = {"sheet": "main", "x": x, "y": 0}
                rooms.show_presence_soon(watcher.room)
            await socket.until(lambda each: '"x": 49' in json.dumps(each.received))
            assert here.people_number == told_before + 1

    run(test)


def test_what_other_processes_say_is_shown_and_nonsense_is_not(alice: User, nba: Graph) -> None:
    async def test() -> None:
        async with at_graph(alice) as socket:
            await socket.frame("graph:opened")
            heard = runtime.current().rooms._heard
            for nonsense in (b"", b"\xff", b"[]", b"{}", b'{"graph": [], "process": 1}'):
                heard(nonsense)
            heard(json.dumps({"graph": nba.pk, "process": "x", "people": 7}).encode())
            people = [None, {"id": "1", "name": "dora", "selection": []}]
            heard(json.dumps({"graph": nba.pk, "process": "x", "people": people}).encode())
            await socket.until(
                lambda each: any(
                    {person["name"] for person in one["people"]} == {"alice", "dora"}
                    for one in each.received
                    if one["type"] == "graph:presence"
                )
            )

    run(test)


def test_other_changes_are_told_as_a_whole_and_gone_graphs_end_the_socket(alice: User, nba: Graph) -> None:
    async def test() -> None:
        async with at_graph(alice) as socket:
            await socket.frame("graph:opened")
            await in_db(Graph.objects.filter(pk=nba.pk).update, version=7)
            assert (await socket.frame("graph:changed"))["version"] == 7
            await in_db(_delete, nba)
            assert await socket.closed() == 4404

    run(test)


def _delete(graph: Graph) -> None:
    Graph.objects.get(pk=graph.pk).delete()


def test_who_is_far_behind_reads_the_graph_again(nba: Graph, monkeypatch: pytest.MonkeyPatch, alice: User) -> None:
    async def test() -> None:
        monkeypatch.setattr(room, "REMEMBERED", 2)
        async with at_graph(alice) as socket:
            await socket.frame("graph:opened")
            (here,) = runtime.current().rooms._rooms.values()
            (watcher,) = here.watchers
            for name in ("a", "b", "c"):
                await edit(socket, rename(name))
            await socket.frame("graph:edited", version=4)
            watcher.version = 1
            socket.received.clear()
            watcher.news.set()
            assert (await socket.frame("graph:changed"))["version"] == 4

    run(test)


def test_a_change_that_is_too_large_to_be_kept_is_read_again(
    alice: User, bob: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "REMEMBERED_BYTES", 10_000)

    async def test() -> None:
        async with at_graph(alice) as mine, at_graph(bob) as other:
            await other.frame("graph:opened")
            code = {"nodeKey": "fetch-api", "updates": {"process": "x" * 20_000}}
            done = await edit(mine, {"actions": [{"action": "update_node", "arguments": code}]})
            assert done["operations"][0]["new"] == {"process": "x" * 20_000}
            assert (await other.frame("graph:changed"))["version"] == done["version"]
            await edit(mine, rename("Fetch all"))
            assert (await other.frame("graph:edited"))["version"] == done["version"] + 1

    run(test)


def test_sockets_of_graphs_are_counted_beside_those_of_the_chat(alice: User, nba: Graph, settings: Settings) -> None:
    """The page of a graph has one of each: as many pages may be open as there may be sockets."""
    settings.LIMIT_SOCKETS = 2

    async def test() -> None:
        async with AsyncExitStack() as tabs:
            for _ in range(2):
                await tabs.enter_async_context(signed_in(alice))
                await (await tabs.enter_async_context(at_graph(alice))).frame("graph:opened")
            token = (await in_db(tokens.issue, alice)).access
            async with opened(path="/ws/graphs/nba/") as third:
                third.send("graph:authenticate", token=token)
                refused = await third.frame("graph:error")
                assert (refused["code"], refused["error"]) == (
                    *("too_many_sockets", "You have too many connections open. Close some tabs."),
                )
                assert await third.closed() == 4429
            async with opened() as chat:
                chat.send("ai:authenticate", token=token)
                assert (await chat.frame("ai:error"))["code"] == "too_many_sockets"
        async with signed_in(alice), at_graph(alice) as again:
            await again.frame("graph:opened")

    run(test)


def test_viewers_watch_strangers_and_removed_members_do_not(
    alice: User, bob: User, charlie: User, nba: Graph, settings: Settings
) -> None:
    async def test() -> None:
        async with at_graph(bob) as socket:
            for frame in ({"type": "graph:edit", **rename("Bob")}, {"type": "graph:undo", "version": 1}):
                socket.send(frame.pop("type"), _id="mine", **frame)
                assert (await answer(socket, "mine"))["code"] == "forbidden"
                socket.received.clear()
            socket.send("graph:save", _id="save")
            assert (await answer(socket, "save"))["code"] == "forbidden"
        refusals = []
        for user, key in ((charlie, "nba"), (alice, "never-was"), (alice, "%00"), (alice, "\x00"), (alice, "x" * 101)):
            async with at_graph(user, key) as socket:
                refusals.append(await socket.frame("graph:error"))
                assert await socket.closed() == 4404
        assert all(refused == refusals[0] for refused in refusals)
        async with at_graph(alice) as socket:
            await socket.frame("graph:opened")
            await in_db(Membership.objects.filter(user=alice).delete)
            socket.send("graph:edit", _id="late", **rename("Late"))
            assert await socket.closed() == 4403
        assert not await in_db(LiveEdit.objects.exists)

    run(test)


NONSENSE: list[Any] = [
    {"type": "graph:edit", "_id": "a"},
    {"type": "graph:edit", "_id": "a", "actions": []},
    {"type": "graph:edit", "_id": "a", "actions": [{"action": "drop_table", "arguments": {}}]},
    {"type": "graph:edit", "_id": "a", "actions": [{"action": "update_node", "arguments": {"nodeKey": "root"}}]},
    {"type": "graph:edit", "_id": "a", **rename("x"), "owner": 1},
    {"type": "graph:edit", "_id": 7, **rename("x")},
    {"type": "graph:edit", **rename("x")},
    {"type": "graph:edit", "_id": "a", **rename("x"), "expected": [{"type": "node", "id": "root", "version": -1}]},
    {"type": "graph:edit", "_id": "a", **rename("x", "nowhere")},
    {"type": "graph:undo", "_id": "a", "version": 2**31},
    {"type": "graph:presence", "_id": "a", "selection": ["x"] * 51},
    {"type": "graph:presence", "_id": "a", "cursor": {"sheet": "main", "x": 1e9, "y": 0}},
    {"type": "graph:nothing", "_id": "a"},
    {"type": "ai:chat", "_id": "a", "message": "Hello"},
    [],
    "graph:edit",
    None,
]


def test_nonsense_is_refused_and_the_socket_stays(alice: User, nba: Graph) -> None:
    async def test() -> None:
        async with at_graph(alice) as socket:
            for nonsense in NONSENSE:
                socket.received.clear()
                socket.send_text(json.dumps(nonsense))
                refused = await socket.frame("graph:error")
                assert refused["code"] in {"validation", "refused"}, nonsense
            socket.send_text('{"type": "graph:edit", "_id": "nul", "actions": [{"action": "\\u0000"}]}')
            await socket.frame("graph:error", _id="nul")
            assert (await edit(socket, rename("Still here")))["type"] == "graph:ack"

    run(test)


def test_who_does_not_say_who_they_are_is_shown_out(nba: Graph) -> None:
    async def test() -> None:
        async with opened(path="/ws/graphs/nba/") as socket:
            socket.send("graph:edit", _id="a", **rename("x"))
            assert await socket.closed() == 4401
            assert not socket.received
        async with opened({"origin": "https://evil.example"}, path="/ws/graphs/nba/") as socket:
            assert not socket.accepted
        for path in ("/ws/graphs/", "/ws/graphs/nba", "/ws/graphs/a/b/"):
            async with opened(path=path) as socket:
                assert not socket.accepted

    run(test)


def test_two_processes_that_save_at_once_make_one_change_set(alice: User, nba: Graph) -> None:
    async def test() -> None:
        async with at_graph(alice) as socket:
            await edit(socket, rename("Fetch all"))
            found = await asyncio.gather(*(in_db(live_edits.save_edits, nba.pk) for _ in range(4)))
        assert sum(map(len, found)) == 1
        assert await in_db(ChangeSet.objects.count) == 1

    run(test)
