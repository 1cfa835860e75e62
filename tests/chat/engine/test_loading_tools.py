"""A conversation about a graph reaches the other objects of its workspace, with tools that are sent once asked for."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.actions import deciding
from chat.actions.deciding import Decision
from chat.models import AlwaysSend, Proposal, Run
from graphs.models import Graph, Membership, Role
from graphs.site.access import member_of
from rag.texts.tables import decode
from tests import checker
from tests.chat.engine.driving import Engine, answer_of, ask, rested
from tests.registered import pin, pins
from tests.vendors import RecordedRequest, Script, ScriptedCall, VendorServer

pytestmark = pytest.mark.django_db(transaction=True)

LOAD = ScriptedCall("load_object_tools", {}, id="call_l")


def offered(request: RecordedRequest) -> list[str]:
    return [tool["function"]["name"] for tool in request.body["tools"]]


def results(request: RecordedRequest) -> list[dict[str, Any]]:
    return [decode(entry["content"]) for entry in request.body["messages"] if entry["role"] == "tool"]


def test_the_tools_come_with_the_next_request_and_stay(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    read = ScriptedCall("read_object", {"object": "graph:nba"}, id="call_o")
    vendor.script(
        Script(tool_calls=(LOAD,)), Script(tool_calls=(read,)), Script(text="It fetches games."), Script(text="Yes.")
    )
    first = ask(alice, "What is graph:nba?")
    rested(first.run_id)
    rested(ask(alice, "Is it used?", session_id=str(first.session_id)).run_id)
    at_once, *later = [offered(request) for request in vendor.requests]
    assert "read_object" not in at_once
    for names in later:
        assert names[: len(at_once)] == at_once
        assert {"read_object", "propose_update_object"} <= set(names)
    loaded, found = results(vendor.requests[2])
    assert "read_object" in loaded["tools"]
    assert found["title"] == "NBA scores"


def test_what_was_not_loaded_cannot_be_called(running: Engine, vendor: VendorServer, alice: User, nba: Graph) -> None:
    early = ScriptedCall("read_object", {"object": "graph:nba"}, id="call_o")
    vendor.script(Script(tool_calls=(LOAD, early)), Script(text="Once more."))
    accepted = ask(alice, "What is graph:nba?")
    rested(accepted.run_id)
    (round_, _last) = answer_of(accepted).rounds
    assert [call.status for call in round_.calls] == ["ok", "error"]
    assert "call load_object_tools first" in results(vendor.requests[1])[1]["error"]


def test_a_viewer_is_offered_nothing_that_writes(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    Membership.objects.filter(user=alice).update(role=Role.VIEWER)
    vendor.script(Script(tool_calls=(LOAD,)), Script(text="There you are."))
    rested(ask(alice, "Which types are there?").run_id)
    assert "read_object" in offered(vendor.requests[1])
    assert not [name for name in offered(vendor.requests[1]) if name.startswith("propose_")]


def test_another_object_is_changed_from_a_conversation_about_a_graph(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    with pins():
        lamp = pin(nba.workspace, "Lamp")
        change = {"object": f"pin:{lamp.pk}", "updates": {"object_key": "Sun"}, "reason": "Brighter."}
        rename = ScriptedCall("propose_update_object", change, id="call_u")
        vendor.script(Script(tool_calls=(LOAD,)), Script(tool_calls=(rename,)), Script(text="Done."))
        assert rested(ask(alice, "Rename the lamp to Sun").run_id).outcome == "waiting"
        proposal = Proposal.objects.get()
        assert AlwaysSend.objects.get(pk=lamp.pk).object_key == "Lamp"
        deciding.decide(member_of(alice), str(proposal.pk), Decision(True, ""))
        rested(Run.objects.latest("created_at").pk)
        assert "propose_update_object" in offered(vendor.requests[2]), "a run that goes on has them, too"
        assert AlwaysSend.objects.get(pk=lamp.pk).object_key == "Sun"
    checker.check_database()
