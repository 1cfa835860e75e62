"""The first job of the product, end to end in a real browser: import, ask, watch, come back."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from chat.models import Message, Proposal, Run, RunStatus, Session
from tests.browser import PATIENCE_S
from tests.chat.engine.driving import until
from tests.faults.crash_scripts import asked
from tests.flows.visitor import Visitor, page_of
from tests.site import Site
from tests.things import Thing, a_part_and_a_row

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Visit = Callable[..., Visitor]

N8N = {
    "name": "Ask the API",
    "nodes": [
        {"name": "Start", "type": "n8n-nodes-base.manualTrigger", "position": [0, 0], "parameters": {}},
        {
            "name": "Clean up",
            "type": "n8n-nodes-base.code",
            "position": [200, 0],
            "parameters": {"jsCode": "return items.filter((item) => item.json.active);"},
        },
    ],
    "connections": {
        "Start": {"main": [[{"node": "Clean up", "type": "main", "index": 0}]]},
        "Clean up": {"main": [[{"node": "Nowhere", "type": "main", "index": 0}]]},
    },
}


def test_alice_imports_a_workflow_and_asks_about_it(one_process: Site, visit: Visit, tmp_path: Path) -> None:
    file = tmp_path / "ask.json"
    file.write_text(json.dumps(N8N))
    alice = visit(one_process.web.url).sign_in("alice")
    alice.page.get_by_role("link", name=re.compile("Import")).first.click()
    alice.page.set_input_files("input[type=file]", str(file))
    alice.page.get_by_role("button", name=re.compile("Import")).click()
    expect(alice.page.get_by_text("Nowhere")).to_be_visible()
    alice.page.get_by_role("link", name=re.compile("Open|Ask the API")).first.click()
    alice.connected()
    expect(alice.page.locator("graph-view").get_by_text("Clean up").first).to_be_visible()
    answer = alice.ask('SCRIPT={"text": "It keeps what is {{node:clean-up}}."}')
    answer.get_by_role("button", name="clean-up").or_(answer.get_by_role("link", name="clean-up")).click()
    expect(alice.page.locator("graph-view").get_by_text("item.json.active").first).to_be_visible()
    assert alice.errors == []


@a_part_and_a_row
def test_alice_watches_the_model_look_things_up(its_site: Site, visit: Visit, thing: Thing) -> None:
    alice = visit(its_site.web.url, "alice").open_page_of(thing)
    answer = alice.ask(asked({"tool_calls": looks_at(thing)}, {"text": "Both are read."}))
    expect(answer).to_contain_text("Both are read.")
    badge = answer.locator("summary, button").filter(has_text=re.compile("fetch.api", re.IGNORECASE)).first
    badge.click()
    expect(answer).to_contain_text("return fetch(url)")


def looks_at(thing: Thing) -> list[dict[str, Any]]:
    if thing.item.type == "node":
        names, arguments = ("read_node_detail", "list_node_edges"), {"nodeKey": thing.item.key}
    else:
        names, arguments = ("read_object", "read_history"), {"object": str(thing.item)}
    return [{"name": name, "arguments": arguments} for name in names]


def test_alice_reloads_in_the_middle_of_an_answer(one_process: Site, visit: Visit) -> None:
    alice = visit(one_process.web.url, "alice").open_graph()
    text = " ".join(f"word{number}" for number in range(1, 121))
    answer = alice.ask(f'SCRIPT={{"text": "{text}", "delay_s": 0.06}}')
    expect(answer).to_contain_text("word5 ")
    alice.page.reload()
    alice.connected()
    again = alice.answers.nth(0)
    expect(again).to_contain_text("word60 ")
    expect(again.locator(".markdown")).to_have_text(text, timeout=40_000)
    expect(alice.button("Stop")).to_be_hidden()
    assert Message.objects.get(role="assistant").content == text


def test_alice_goes_on_in_a_second_tab(one_process: Site, visit: Visit) -> None:
    alice = visit(one_process.web.url, "alice").open_graph()
    first = alice.ask('SCRIPT={"text": "one two three four five six", "delay_s": 0.15}')
    expect(first).to_contain_text("one")
    other = alice.new_tab().open_graph()
    other.chat.locator(".title").click()
    other.chat.locator(".menu").get_by_text("SCRIPT").first.click()
    expect(other.answers.nth(0)).to_contain_text("six")
    expect(first).to_contain_text("six")
    other.ask("SCRIPT:hello")
    expect(alice.answers.nth(1)).to_contain_text("Hello! This is a scripted answer.")


def test_alice_stops_an_answer(one_process: Site, visit: Visit) -> None:
    alice = visit(one_process.web.url, "alice").open_graph()
    answer = alice.ask("SCRIPT:slow")
    expect(answer).to_contain_text("word3 ")
    alice.button("Stop").click()
    assert one_process.vendor.requests[0].disconnected.wait(PATIENCE_S)
    expect(answer).to_contain_text("Stopped")
    expect(answer).to_contain_text("word3 ")
    assert Run.objects.get().status == RunStatus.CANCELLED


def test_alice_is_told_what_went_wrong_and_goes_on(one_process: Site, visit: Visit) -> None:
    alice = visit(one_process.web.url, "alice").open_graph()
    for scenario, sentence, tries in (
        ("rate_limit_long", "Try again in 60 minutes", ["Retry"]),
        ("server_error", "not available at the moment", ["Retry"]),
        ("auth_error", "refused our key", []),
        ("timeout", "took too long", ["Retry"]),
        ("network", "broke off", ["Retry"]),
        ("content_filter", "filtered this conversation", ["Ask for a shorter answer"]),
        ("context_length", "too long for the model", ["Summarise and try again"]),
        ("internal", "unexpected went wrong", []),
    ):
        answer = alice.ask(f"SCRIPT:{scenario}")
        expect(answer).to_contain_text(sentence, timeout=30_000)
        expect(answer.locator(".tries > button")).to_have_text(tries)
    expect(alice.ask("SCRIPT:hello")).to_contain_text("Hello!")
    assert "canary-key-of-the-vendor" not in alice.page.content() + one_process.logs()


def test_alice_tries_again(one_process: Site, visit: Visit) -> None:
    alice = visit(one_process.web.url, "alice").open_graph()
    answer = alice.ask("SCRIPT:cut")
    expect(answer).to_contain_text("broke off")
    answer.get_by_role("button", name=re.compile("again|Retry")).click()
    expect(alice.answers.nth(1)).to_contain_text("broke off")
    expect(alice.questions).to_have_count(1)


def test_alice_decides_how_to_go_on_after_five_rounds(one_process: Site, visit: Visit) -> None:
    alice = visit(one_process.web.url, "alice").open_graph()
    alice.ask("SCRIPT:endless_tools")
    alice.chat.get_by_role("button", name=re.compile("[Ss]ummar")).click()
    expect(alice.answers).to_have_count(2)
    until(lambda: len(one_process.vendor.requests) == 6)
    assert "tools" not in one_process.vendor.requests[5].body


def test_bob_may_look_and_ask_but_not_import(one_process: Site, visit: Visit) -> None:
    bob = visit(one_process.web.url, "bob").open_home()
    expect(bob.page.get_by_role("link", name=re.compile("Import"))).to_have_count(0)
    assert bob.page.goto(f"{one_process.web.url}/graphs/import/").status in {403, 404}  # type: ignore[union-attr]
    bob.open_graph()
    expect(bob.ask("SCRIPT:hello")).to_contain_text("Hello!")


@a_part_and_a_row
def test_bob_sees_what_is_proposed_and_has_no_say_in_it(
    its_site: Site, visit: Visit, thing: Thing, alice: User
) -> None:
    (proposal,) = thing.proposed(alice)
    bob = visit(its_site.web.url, "bob").open_page_of(thing)
    wanted = {"tool_calls": [changing(thing)]}, {"text": "I may not."}
    expect(bob.ask(asked(*wanted))).to_contain_text("I may not.")
    assert Proposal.objects.get() == proposal
    bob.open_inbox()
    expect(bob.page.locator("proposal-inbox .line")).to_have_count(1)
    expect(bob.page.get_by_role("button", name="Approve")).to_have_count(0)
    assert thing.called == "Fetch API"


def changing(thing: Thing) -> dict[str, Any]:
    name, arguments = thing.rename_call()
    return {"name": f"propose_{name}", "arguments": {**arguments, "reason": "As you said."}}


@a_part_and_a_row
def test_charlie_sees_nothing_of_it(its_site: Site, visit: Visit, thing: Thing) -> None:
    alice = visit(its_site.web.url, "alice").open_page_of(thing)
    expect(alice.ask("SCRIPT:hello")).to_contain_text("Hello!")
    session = Session.objects.get()
    charlie = visit(its_site.web.url, "charlie").open_home()
    expect(charlie.page.get_by_text("NBA")).to_have_count(0)
    for path in (
        page_of(thing),
        f"/api/v1/objects/{thing.around.type}/{thing.around.key}",
        f"/api/v1/history?object={thing.around.type}:{thing.around.key}",
        f"/api/v1/streams/events/{thing.stream}",
        f"/api/v1/chat/sessions/{session.pk}/messages",
        f"/api/v1/streams/events/{session.stream.name}",
    ):
        answer = charlie.page.goto(f"{its_site.web.url}{path}")
        assert answer is not None
        assert answer.status == 404


def test_alice_reads_it_in_french(one_process: Site, visit: Visit) -> None:
    alice = visit(one_process.web.url, "alice", locale="fr-FR").open_graph()
    expect(alice.page.locator("html")).to_have_attribute("lang", "fr")
    answer = alice.ask("SCRIPT:auth_error")
    expect(answer).to_contain_text("clé")
    expect(alice.composer).to_have_attribute("placeholder", "Une question sur ce workflow…")
