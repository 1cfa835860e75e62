"""Makes the database of this release, to be kept for ever, when its version is tagged:

.venv/bin/python -m pytest -n 0 tests/upgrades/make_release.py

It writes `tests/upgrades/releases/<version>.txt`, which is committed with the tag. Everything in it came through the
doors of the product: the API, live editing, the engine; only what the admin alone can do is stored as the admin does.
"""

import json
import tomllib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.test import Client
from pytest_django import Settings

from chat.actions import deciding
from chat.actions.deciding import Decision
from chat.models import Allowance, Budget, BudgetPeriod, BudgetUnit, Message, Proposal, Run, RunStatus, ValidationRule
from chat.sockets import frames, graph_commands, graph_frames
from graphs.models import Graph, Object, Workspace
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from rag.embeddings import embedding_models, serving_model
from tests.cast import draw_nba
from tests.chat.engine.driving import Engine, ask, rested
from tests.graphs.api.callers import post_json, upload, with_token
from tests.rag.embeddings.steps import work
from tests.registered import product, shops
from tests.shop.models import Product, Shop
from tests.upgrades import database
from tests.upgrades.objects import told
from tests.vendors import Script, ScriptedCall, VendorServer

pytestmark = pytest.mark.django_db(transaction=True)

API = "/api/v1"
ROOT = Path(__file__).parents[2]
SEARCH = ScriptedCall("search_nodes", {"query": "fetch"})
LONG = "word " * 2_200


@pytest.fixture(autouse=True)
def as_a_site(settings: Settings, vendor: VendorServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """With vectors, which are short here, and with a model whose window is soon full."""
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_MODEL = "custom", "tiny"
    monkeypatch.setenv("CUSTOM_CONTEXT_WINDOW", "14600")
    serving_model.clear_cache()
    yield
    serving_model.clear_cache()
    embedding_models._remote.cache_clear()


def ok(answer: Any) -> Any:
    assert 200 <= answer.status_code < 300, answer.content
    return answer.json()


def change(client: Client, object_: str, action: str, /, **arguments: Any) -> str:
    """The id of the change set."""
    body = {"actions": [{"action": action, "arguments": arguments}], "reason": "By hand."}
    return str(ok(post_json(client, f"{API}/objects/{object_.replace(':', '/', 1)}/changes", body))["id"])


def rename(name: str, key: str = "fetch-api") -> ScriptedCall:
    return ScriptedCall("propose_update_node", {"nodeKey": key, "updates": {"name": name}, "reason": "Clearer."})


def asked(user: User, text: str, **more: Any) -> Run:
    run = rested(ask(user, text, model="custom", **more).run_id)
    assert run.status == RunStatus.SUCCEEDED, run.error
    return run


def approve(user: User, run: Run) -> None:
    for waiting in Proposal.objects.filter(message=run.message_id):
        decided = deciding.decide(member_of(user), str(waiting.pk), Decision(True, digest=waiting.digest))
        assert decided.run is None or rested(decided.run.run_id).status == RunStatus.SUCCEEDED


def begin_objects(client: Client, workspace: Workspace) -> dict[str, Any]:
    """Graphs drawn and imported, a node type, rows of an application: each at its first version, and what it is."""
    draw_nba(workspace)
    exported = client.get(f"{API}/graphs/nba/export").content
    document = json.loads(exported) | {"name": "Imported", "key": "imported"}
    ok(upload(client, json.dumps(document).encode(), key="imported"))
    ok(post_json(client, f"{API}/objects/nodeType", {"fields": {"displayName": "Retry", "process": "again()"}}))
    shop = Shop.objects.create(workspace=workspace, name="Corner shop")
    lamp = product(shop, "Lamp", price="12.50", data={"problem": "Too dark", "scores": {"a": 1}})
    ok(client.get(f"{API}/objects/shop/{shop.pk}"))
    ok(client.get(f"{API}/objects/product/{lamp.pk}"))
    return {str(of): told(of) for of in Object.objects.order_by("pk")}


def change_by_hand(client: Client, lamp: str, node_type: str) -> None:
    """Histories with several change sets, one of them taken back, one made outside."""
    change(client, "graph:nba", "update_node", nodeKey="root", updates={"name": "Begin"})
    log = {"typeKey": "return", "sheet": "main", "posX": 0, "posY": 300, "key": "log", "name": "Log"}
    change(client, "graph:nba", "create_node", **log)
    change(client, "graph:nba", "delete_edge", edgeKey="fetch-api-return")
    done = change(client, "graph:imported", "update_object", updates={"description": "Comes from elsewhere."})
    ok(post_json(client, f"{API}/history/{done}/rollback", {}))
    change(client, "graph:imported", "update_object", updates={"name": "Once imported"})
    change(client, node_type, "update_object", updates={"icon": "again", "process": "again(3)"})
    change(client, lamp, "update_object", updates={"price": "15.00", "data.problem": "Too bright"})
    Product.objects.update(notes="Saved by another program")
    change(client, lamp, "update_object", updates={"data.scores": {"a": 2}})


def talk(vendor: VendorServer, alice: User, lamp: Ref) -> dict[str, Run]:
    """Conversations at rest; the last three wait for decisions."""
    vendor.script(
        Script(tool_calls=(SEARCH,)), Script(text="It is {{node:fetch-api}}."),
        Script(text="I rename it.", tool_calls=(rename("Fetch games"),)), Script(text="Renamed."),
    )  # fmt: skip
    finished = asked(alice, "What fetches?")
    renamed = asked(alice, "Call it so.", session_id=str(finished.session_id))
    approve(alice, renamed)
    vendor.script(*(Script(text=text) for text in ("One.", "Two.", "In brief: two questions.", "Three.")))
    summarised = asked(alice, f"Opening question {LONG}")
    for text in ("Next", "Last"):
        asked(alice, f"{text} question {LONG}", session_id=str(summarised.session_id))
    proposals = (
        ScriptedCall(
            "propose_update_object", {"object": str(lamp), "updates": {"name": "Dark lamp"}, "reason": "Is so."}
        ),
        ScriptedCall(
            "propose_update_object", {"object": str(lamp), "updates": {"weight": 1.5}, "reason": "Was weighed."}
        ),
        rename("Result", "return"),
    )
    vendor.script(*(Script(text="I propose.", tool_calls=(call,)) for call in proposals))
    about_lamp = asked(alice, "Name the lamp.", context=lamp)
    weighed = asked(alice, "Weigh the lamp.", context=lamp)
    about_graph = asked(alice, "Name the end.")
    Proposal.objects.update(expires_at=Now() + timedelta(days=36_500))
    waiting = {"object waits": about_lamp, "row waits": weighed, "graph waits": about_graph}
    assert {run.outcome for run in waiting.values()} == {"waiting"}
    return {"finished": renamed, "summarised": summarised} | waiting


def edit_live(alice: User, graph: Graph) -> None:
    """In the rows, and not yet in the history."""
    for number, name in enumerate(("Star", "Start here")):
        frame = {
            "type": "graph:edit",
            "_id": f"live-{number}",
            "actions": [{"action": "update_node", "arguments": {"nodeKey": "root", "updates": {"name": name}}}],
        }
        graph_commands.edit(alice, "demo", graph.pk, frames.read(frame, graph_frames.adapter))


def rule(workspace: Workspace, alice: User) -> None:
    """What admins say."""
    Budget.objects.create(workspace=workspace, unit=BudgetUnit.TOKENS, period=BudgetPeriod.MONTH, limit=10**7)
    ValidationRule.objects.create(workspace=workspace, tool="propose_delete_node")
    Allowance.objects.create(
        workspace=workspace, tool="propose_move_node", kind="node", field="posX", object_key="nba", given_by=alice
    )


def make(folder: Path, vendor: VendorServer, workspace: Workspace, alice: User) -> Path:
    """Writes the file of this version, and returns its path."""
    client = with_token(alice)
    with shops():
        first = begin_objects(client, workspace)
        lamp = Ref("product", str(Product.objects.get().pk))
        rule(workspace, alice)
        ok(client.put(f"{API}/graphs/nba/always-send", {"alwaysSend": True}, content_type="application/json"))
        change_by_hand(client, str(lamp), next(name for name in first if name.startswith("nodeType:")))
        work()
        runs = talk(vendor, alice, lamp)
        for graph in Graph.objects.all():
            edit_live(alice, graph)
        work()
        facts = {
            "first": first,
            "sessions": {name: str(run.session_id) for name, run in runs.items()},
            "messages": Message.objects.count(),
        }
        version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
        path = folder / f"{version}.txt"
        database.write(path, facts)
    assert path.stat().st_size < 400_000
    return path


@pytest.mark.timeout(300)
def test_make(running: Engine, vendor: VendorServer, demo_workspace: Workspace, alice: User, bob: User) -> None:
    make(database.FOLDER, vendor, demo_workspace, alice)
