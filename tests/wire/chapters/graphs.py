"""Graphs and node types: lists, one, export and import."""

from typing import Any

from tests.chat.inprocess import request
from tests.wire.story import API, Story

N8N = {
    "name": "Alerts",
    "nodes": [
        {"id": "1", "name": "Webhook", "type": "n8n-nodes-base.webhook", "position": [0, 0], "parameters": {}},
        {"id": "2", "name": "Slack", "type": "n8n-nodes-base.slack", "position": [200, 0], "parameters": {"a": 1}},
    ],
    "connections": {
        "Webhook": {
            "main": [[{"node": "Slack", "type": "main", "index": 0}, {"node": "Gone", "type": "main", "index": 0}]]
        }
    },
}
NODE_RED = [
    {"id": "t1", "type": "tab", "label": "Flow 1"},
    {"id": "n1", "type": "inject", "z": "t1", "name": "Tick", "x": 100, "y": 80, "wires": [["n2"]]},
    {"id": "n2", "type": "debug", "z": "t1", "name": "", "x": 300, "y": 80, "wires": []},
]


async def tell(story: Story) -> None:
    await _lists(story)
    await _one(story)
    native = await story.call("the native file", "GET", "graphs/nba/export?format=native", who="bob")
    await story.call("an unknown format", "GET", "graphs/nba/export?format=n8n")
    await story.call("an absent graph", "GET", "graphs/nowhere/export")
    await _imports(story, native)
    await _made(story)
    await _replaced(story, native)
    await _looked_through(story, native)


async def _lists(story: Story) -> None:
    first = await story.call("a page", "GET", "graphs?limit=1")
    second = await story.call("the next page", "GET", _path(first["next"]))
    await story.call("back to the first page", "GET", _path(second["previous"]))
    await story.call("a search", "GET", "graphs?search=players", who="bob")
    await story.call("a search without a result", "GET", "graphs?search=zzzz")
    await story.call("a limit of nothing", "GET", "graphs?limit=0")
    await story.call("a cursor that is none", "GET", "graphs?cursor=none")
    types = await story.call("a page of types", "GET", "node-types?limit=2")
    await story.call("the next page of types", "GET", _path(types["next"]))


async def _one(story: Story) -> None:
    answer = await request("GET", f"{API}graphs/nba", authorization=f"Bearer {await story.token('bob')}")
    await story.call("the whole graph", "GET", "graphs/nba", who="bob")
    await story.call("unchanged", "GET", "graphs/nba", who="bob", if_none_match=answer.headers["etag"])
    await story.call("a foreign graph", "GET", "graphs/newsletter")
    await story.call("an absent graph", "GET", "graphs/nowhere")
    await story.call("no graph is called import", "GET", "graphs/import")


async def _imports(story: Story, native: dict[str, Any]) -> None:
    await story.send_file("a viewer", native, who="bob")
    await story.send_file("the native file under another key", native, key="nba-again")
    await story.send_file("a key that is taken", native, key="nba")
    await story.send_file("a key that is none", native, key="No Key!")
    await story.send_file("n8n, with a warning", N8N, format="n8n")
    await story.send_file("Node-RED, found by itself", NODE_RED)
    await story.send_file("a broken reference", native | {"edges": [{"source": "root", "target": "gone"}]})
    await story.send_file("no JSON", '{"format": ')
    await story.send_file("no file", None)
    await story.send_file("an unknown field", native, colour="red")
    seen = (await story.call("the graph of the file", "GET", "graphs/alerts"))["untrustedSince"]
    await story.call("a viewer looks through it", "POST", "graphs/alerts/trust", who="bob")
    await story.call("it is not said what was looked through", "POST", "graphs/alerts/trust")
    await story.call("looked through", "POST", f"graphs/alerts/trust?untrustedSince={seen}")
    await story.call("an absent graph is looked through", "POST", "graphs/nowhere/trust")


async def _made(story: Story) -> None:
    await story.call("an empty graph", "POST", "graphs", {"name": "Late orders", "description": "Who waits."})
    await story.call("a copy", "POST", "graphs", {"copyOf": "nba"})
    await story.call("a viewer makes none", "POST", "graphs", {"name": "Mine"}, who="bob")
    await story.call("a copy of a foreign graph", "POST", "graphs", {"copyOf": "newsletter"})
    await story.call("without a name", "POST", "graphs", {})
    await story.call("a key that is taken", "POST", "graphs", {"name": "Mine", "key": "nba"})
    for name, arguments in (
        ("update_graph", {"name": "Very late orders"}),
        ("create_sheet", {"name": "Errors"}),
        ("update_sheet", {"sheetKey": "errors", "position": 0}),
        ("delete_sheet", {"sheetKey": "main"}),
        ("delete_sheet", {"sheetKey": "errors"}),
        ("delete_graph", {}),
    ):
        body = {"actions": [{"action": name, "arguments": arguments}]}
        await story.call(f"{name} by hand", "POST", "graphs/late-orders/changes", body)


async def _replaced(story: Story, native: dict[str, Any]) -> None:
    await story.send_file("the same key again, without a choice", native)
    await story.send_file("in place of the graph", native | {"name": "Games"}, ifExists="replace")
    await story.send_file("nothing where the key is taken", native, ifExists="refuse")
    await story.send_file("another choice", native, ifExists="ask")


def _path(address: str) -> str:
    return address.partition(API)[2]


async def _looked_through(story: Story, native: dict[str, Any]) -> None:
    brought = [{"key": "mailer", "displayName": "Mailer"}]
    await story.send_file("a file with a type", native | {"name": "Mails", "nodeTypes": brought}, key="mails")
    seen = "untrustedSince=2026-01-01T00:00:00Z"
    await story.call("another mark was seen", "POST", f"graphs/mails/trust?{seen}")
    await story.call("a viewer looks through a type", "POST", "node-types/mailer/trust", who="bob")
    await story.call("another mark of a type was seen", "POST", f"node-types/mailer/trust?{seen}")
    types = (await story.call("the types, one with a mark", "GET", "node-types"))["results"]
    (mark,) = (each["untrustedSince"] for each in types if each["key"] == "mailer")
    await story.call("it is not said of a type what was looked through", "POST", "node-types/mailer/trust")
    await story.call("a type is looked through", "POST", f"node-types/mailer/trust?untrustedSince={mark}")
    await story.call("a built-in type is looked through", "POST", "node-types/note/trust")
