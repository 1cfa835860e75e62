"""Live edits under kill -9, without Valkey, cut anywhere: each that was acknowledged is there, saved once."""

import itertools
import os
import random
import signal
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from chat.models import StreamEvent
from graphs.history import live_edits
from graphs.history.editing import Request
from graphs.models import ChangeSet, Edge, Graph, LiveEdit, Modification, Node, Revision, Role
from graphs.objects import actions
from graphs.site.access import member_of
from graphs.site.api import tokens
from graphs.workflows.live import editing
from tests import cast
from tests.chat.engine.driving import until
from tests.faults.graph_socket import AWAY, PATIENCE_S, acknowledged, at, heard, new_note, say
from tests.faults.outage import Outage
from tests.faults.test_approval_kills import cut_before
from tests.site import Site, site
from tests.web_process import WebProcess

pytestmark = [pytest.mark.processes, pytest.mark.faults, pytest.mark.timeout(900)]

KILLS = 20 if os.environ.get("FULL") else 2


class Editor:
    """A program that creates one node after the other, and sends again what was not acknowledged."""

    def __init__(self, username: str) -> None:
        self.username = username
        self.token = tokens.issue(User.objects.get(username=username)).access
        self.acknowledged: list[str] = []
        self._ids = (f"{username}-{number}" for number in itertools.count())
        self._unanswered: str | None = None

    def edit(self, web: WebProcess, count: int | None = None) -> None:
        """So many, or as long as the process lives."""
        try:
            with at(web, self.token) as socket:
                for _ in itertools.count() if count is None else range(count):
                    self.create(socket)
        except AWAY:
            assert count is None

    def create(self, socket: ClientConnection) -> None:
        """One node, acknowledged."""
        id_ = self._unanswered = self._unanswered or next(self._ids)
        acknowledged(socket, new_note(id_))
        self.acknowledged.append(id_)
        self._unanswered = None


def check(editors: list[Editor]) -> None:
    """Every acknowledged edit is in the rows, and in exactly one change set of its person."""
    until(lambda: not LiveEdit.objects.filter(saved_at=None).exists(), PATIENCE_S)
    nodes = set(Node.objects.filter(type="note").values_list("key", flat=True))
    created = list(Modification.objects.filter(action="create").values_list("key", "change_set__actor_label"))
    assert len(created) == len(set(created)) == len(nodes) == LiveEdit.objects.count()
    assert {key for key, _who in created} == nodes
    for editor in editors:
        assert nodes >= set(editor.acknowledged)
        assert {who for key, who in created if key.startswith(f"{editor.username}-")} <= {editor.username}
    assert set(LiveEdit.objects.values_list("change_set", flat=True)) == set(
        ChangeSet.objects.values_list("pk", flat=True)
    )
    assert Graph.objects.get(key="nba").unsaved_since is None


@pytest.fixture
def here(transactional_db: None, alice: User, nba: Graph) -> Iterator[Site]:
    cast.member("dora", nba.workspace, Role.EDITOR)
    with site(2, LIMIT_CHANGES="100000/min") as started:
        yield started


def test_kill_9_loses_no_acknowledged_edit(here: Site) -> None:
    chance = random.Random(20261122)
    editors = [Editor("alice"), Editor("dora")]
    with ThreadPoolExecutor(len(editors)) as pool:
        for _ in range(KILLS):
            victim = here.processes[chance.randrange(2)]
            busy = [pool.submit(editor.edit, victim) for editor in editors]
            all_go_on(editors)
            time.sleep(chance.uniform(0, 0.3))
            victim.kill()
            for work in busy:
                work.result(PATIENCE_S)
            here.replace(victim).wait_until_ready()
    for editor in editors:
        editor.edit(here.web, 1)
    check(editors)


def test_a_process_that_drains_saves_what_its_people_did(here: Site) -> None:
    editor, web = Editor("alice"), here.web
    with at(web, editor.token) as socket:
        for _ in range(3):
            editor.create(socket)
        assert LiveEdit.objects.filter(saved_at=None).count() == 3
        assert web.terminate() == 0
        with pytest.raises(ConnectionClosed):
            heard(socket, lambda frame: False)
        assert socket.close_code == 4012
    assert not LiveEdit.objects.filter(saved_at=None).exists(), "nobody waited for the clock of another process"
    check([editor])


def all_go_on(editors: list[Editor]) -> None:
    """Until each of them was told of another edit that it is taken."""
    before = [len(editor.acknowledged) for editor in editors]
    until(lambda: all(len(each.acknowledged) > known for each, known in zip(editors, before, strict=True)), PATIENCE_S)


def test_without_valkey_the_others_hear_a_little_later(outage: Outage) -> None:
    alice = outage.alice()
    outage.valkey.end(signal.SIGKILL)
    try:
        with at(outage.processes[0], alice.token) as mine, at(outage.processes[1], alice.token) as other:
            for number in range(3):
                note = {"typeKey": "note", "sheet": "main", "posX": 0, "posY": 0, "key": f"without-valkey-{number}"}
                asked = [{"action": "create_node", "arguments": note}]
                say(mine, {"type": "graph:edit", "_id": uuid.uuid4().hex, "actions": asked})
                version = heard(mine, lambda frame: frame["type"] in {"graph:ack", "graph:error"})["version"]
                told = heard(other, lambda frame: frame["type"] == "graph:edited")
                assert (told["version"], told["by"]) == (version, "alice")
    finally:
        outage.valkey.start()
    until(lambda: outage.statuses("/readyz") == [200, 200], PATIENCE_S)
    until(lambda: not LiveEdit.objects.filter(saved_at=None).exists(), PATIENCE_S)
    assert Modification.objects.filter(action="create", key__startswith="without-valkey-").count() == 3


@pytest.mark.django_db(transaction=True)
def test_an_edit_or_a_save_that_is_cut_anywhere_did_nothing(alice: User, nba: Graph) -> None:
    asked = actions.parse("delete_node", {"nodeKey": "fetch-api"})
    request = Request([asked], key="mine", digest="mine")

    def stored() -> tuple[object, ...]:
        models = (Node, Edge, Graph, LiveEdit, ChangeSet, Modification, Revision, StreamEvent)
        return tuple(list(model.objects.order_by("pk").values()) for model in models)

    for act in (
        lambda: editing.edit(member_of(alice), nba.pk, request),
        lambda: live_edits.save_edits(nba.pk),
    ):
        before, statement = stored(), 1
        while cut_before(statement, act):
            assert stored() == before, f"cut before statement {statement}"
            statement += 1
        assert statement > 5
    assert Modification.objects.filter(action="delete").count() == 3
