"""The database of every release is upgraded to today's tables, and everything in it goes on."""

import os
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.actions import deciding
from chat.actions.deciding import Decision
from chat.models import (
    Allowance,
    AlwaysSend,
    Budget,
    Message,
    Proposal,
    ProposalStatus,
    RunStatus,
    Session,
    Summary,
    ValidationRule,
)
from graphs.history import live_edits
from graphs.models import ChangeSet, Graph, LiveEdit, Node, Object, Origin
from graphs.site.access import member_of
from rag.models import Embedding
from tests import checker, forked
from tests.cast import signed_in
from tests.chat.engine.driving import engine, rested
from tests.graphs.api.callers import post_json, with_token
from tests.registered import shops
from tests.shop.models import Product
from tests.upgrades import database
from tests.upgrades.objects import told
from tests.vendors import Script, VendorServer
from tests.web_process import of_the_test

pytestmark = pytest.mark.django_db(transaction=True)

API = "/api/v1"
RELEASES = pytest.mark.parametrize("path", database.releases(), ids=lambda path: path.stem)


@RELEASES
def test_a_migration_that_was_released_stays_as_it_is(path: Path) -> None:
    """What it did, it has done."""
    released, now = database.facts_of(path)["digests"], database.digests()
    edited = [name for name, digest in released.items() if now.get(name) != digest]
    assert not edited, (
        f"released with {path.stem} and edited since: write a migration of its own. "
        f"If {path.stem} is not tagged yet, make its file again: pytest -n 0 tests/upgrades/make_release.py"
    )


@RELEASES
def test_a_release_is_upgraded_and_goes_on(path: Path, vendor: VendorServer) -> None:
    with shops():
        facts = database.restore(path)
        manage("check", "--database", "default")
        manage("makemigrations", "--check", "--dry-run")
        alice = User.objects.get(username="alice")
        holds_what_a_release_should()
        assert Message.objects.count() == facts["messages"]
        go_on_with_what_waits(alice, facts, vendor)
        save_what_was_live()
        opens_on_every_page(alice, facts)
        roll_back_to_the_first_version(with_token(alice), facts["first"])
        checker.check_gap_free()
        checker.check_replay()
        checker.check_proposals()


def manage(*arguments: str) -> None:
    """In a process of its own: here there are models of other tests, too."""
    code, said = forked.run("manage", arguments, {**os.environ, **of_the_test()})
    assert code == 0, said


def holds_what_a_release_should() -> None:
    """A file that lacks something proves nothing of it."""
    for model in (Allowance, AlwaysSend, Budget, Embedding, Summary, ValidationRule):
        assert model._default_manager.exists(), model
    assert set(ChangeSet.objects.values_list("origin", flat=True)) == {*Origin} - {Origin.GENERATION, Origin.AUTOMATION}
    assert Message.objects.exclude(retrieved="").exists(), "what was retrieved for a question"
    assert Object.objects.exclude(unsaved_since=None).count() == 2


def opens_on_every_page(alice: User, facts: dict[str, Any]) -> None:
    browser, program = signed_in(alice), with_token(alice)
    for page in ("/", "/graphs/nba/", "/graphs/imported/", "/inbox/"):
        assert browser.get(page).status_code == 200, page
    for session in Session.objects.all():
        messages = read(program, f"chat/sessions/{session.pk}/messages")["results"]
        assert {each["content"] for each in messages} <= set(session.messages.values_list("content", flat=True))
        assert messages[0]["role"] == "user"
        events = read(program, f"chat/sessions/{session.pk}/stream-events?after=0")["events"]
        assert [event["sequence"] for event in events] == list(range(1, session.stream.last_sequence + 1))
    for name in facts["first"]:
        assert read(program, f"history?object={name}")["results"], name
        assert read(program, f"objects/{name.replace(':', '/', 1)}")["title"]


def read(client: Client, path: str) -> Any:
    answer = client.get(f"{API}/{path}")
    assert answer.status_code == 200, (path, answer.content)
    return answer.json()


#: Of each conversation that waits: whether its proposal is approved, and what the model says then.
DECISIONS = {
    "graph waits": (True, "The node is called so now."),
    "object waits": (False, "It stays as it is."),
    "row waits": (True, "The lamp weighs so much now."),
}


def go_on_with_what_waits(alice: User, facts: dict[str, Any], vendor: VendorServer) -> None:
    """Two proposals are approved and one rejected; each time the model has the next word."""
    waiting = {name: Proposal.objects.get(session=facts["sessions"][name]) for name in DECISIONS}
    assert {each.status for each in waiting.values()} == {ProposalStatus.PENDING}
    vendor.script(*(Script(text=word) for _approved, word in DECISIONS.values()))
    with engine():
        for name, (approved, word) in DECISIONS.items():
            decision = Decision(approved, digest=waiting[name].digest)
            run = deciding.decide(member_of(alice), str(waiting[name].pk), decision).run
            assert run is not None
            ended = rested(run.run_id)
            assert (ended.status, ended.message.content) == (RunStatus.SUCCEEDED, word)
    assert Node.objects.get(graph=Graph.objects.get(key="nba"), key="return").name == "Result"
    lamp = Product.objects.get()
    assert (lamp.name, lamp.weight) == ("Lamp", 1.5)


def save_what_was_live() -> None:
    """The approval has saved those of its graph, before it; those of the other one an engine saves, unless we do."""
    live_edits.save_due(0)
    assert not Object.objects.exclude(unsaved_since=None).exists()
    assert not LiveEdit.objects.filter(change_set=None).exists()
    saved = set(LiveEdit.objects.values_list("object", "change_set"))
    # Each graph's edits together and once, whoever did it.
    assert len(saved) == len({graph for graph, _change_set in saved}) == 2


def roll_back_to_the_first_version(client: Client, first: dict[str, Any]) -> None:
    for of in Object.objects.filter(version__gt=1).order_by("pk"):
        body = {"scope": {"object": {"type": of.type, "id": of.key}, "version": 1}, "reason": "As it was."}
        answer = post_json(client, f"{API}/history/rollback", body)
        assert answer.status_code == 201, (of, answer.content)
    assert {str(of): told(of) for of in Object.objects.all()} == first
