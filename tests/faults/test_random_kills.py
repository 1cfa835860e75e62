"""kill -9 of web, worker and supervisor at random moments: nothing lost, nothing twice, nobody waits for ever.

Everything is as `make run` starts it, on a data folder of its own. The supervisor is started again on the same folder;
the others are its business.
"""

import json
import os
import random
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta

import psutil
import pytest
from celery import Celery
from django.contrib.auth.models import User
from django.db.models import F
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from chat.events.folding import MARK
from chat.models import IdempotencyKey, Message, Run, StreamEvent
from config import local
from graphs.models import NodeType
from graphs.objects.refs import Ref
from tests import checker
from tests.captures import canary_of
from tests.cast import PASSWORD
from tests.chat.engine.driving import until
from tests.faults.caller import Caller
from tests.site import Api
from tests.vendors import VendorServer
from tests.whole_site import WholeSite, whole_site

pytestmark = [pytest.mark.processes, pytest.mark.faults]

#: Five kills: of these a full run has twenty rounds.
ROUND = ("web", "web", "web", "worker", "supervisor")
ROUNDS = 20 if os.environ.get("FULL") else 1
WITHIN_S = 6
#: Within which everybody must have been answered, a start of everything on a busy machine included.
PATIENCE_S = 150
PEOPLE = (("alice", "demo", "nba"), ("charlie", "other", "newsletter"))
#: Of each person about the graph, and about an object that is none.
CALLERS_EACH = 2
LOOKS = {"graph": ("search_nodes", {"query": "fetch"}), "nodeType": ("search_objects", {"query": "fetch"})}


@pytest.fixture
def here(django_db_blocker: DjangoDbBlocker) -> Iterator[WholeSite]:
    with django_db_blocker.unblock(), VendorServer() as vendor, whole_site(vendor) as site:
        yield site


def question(workspace: str, about: Ref) -> str:
    name, arguments = LOOKS[about.type]
    look = {"text": "I look.", "tool_calls": [{"name": name, "arguments": arguments}]}
    tell = {"text": " ".join(["one", "two", canary_of(workspace)] * 8), "delay_s": 0.25}
    return f"SCRIPT={json.dumps([look, tell])} {canary_of(workspace)} {uuid.uuid4()}"


def call(here: WholeSite) -> list[Caller]:
    """Everybody asks at once."""
    callers = []
    for username, workspace, graph in PEOPLE:
        token = Api(here.url, username, PASSWORD).token
        for about in (Ref("graph", graph), type_of(workspace)) * CALLERS_EACH:
            callers.append(Caller(here, username, token, about, question(workspace, about), PATIENCE_S))
    for caller in callers:
        caller.start()
    return callers


def answered_in_peace(here: WholeSite) -> str:
    """The stream of an answer of many words. Each of the others may have been cut at its first, which leaves nothing to
    fold."""
    username, workspace, graph = PEOPLE[0]
    token = Api(here.url, username, PASSWORD).token
    caller = Caller(here, username, token, Ref("graph", graph), question(workspace, Ref("graph", graph)), PATIENCE_S)
    caller.start()
    accepted = caller.served()
    assert caller.events[-1]["type"] == "ai:complete", caller.events[-1]
    return str(accepted["stream"])


def type_of(workspace: str) -> Ref:
    return Ref("nodeType", NodeType.objects.filter(workspace__slug=workspace).order_by("key")[0].key)


def strike(here: WholeSite, kind: str, chance: random.Random) -> None:
    if kind == "supervisor":
        here.up.process.kill()
        here.start_again()
        return
    victim = chance.choice(until(lambda: here.children(kind), PATIENCE_S))
    if kind == "worker":
        keep_busy(here)
        time.sleep(chance.uniform(0, 0.3))
    with suppress(psutil.NoSuchProcess):  # it ended by itself meanwhile, for want of a database say
        victim.kill()


def keep_busy(here: WholeSite) -> None:
    """Work for the worker: all that beat ever asks of it."""
    broker = local.celery_url(local.server_paths(here.data_dir).redis_url)
    with Celery(broker=broker) as app:
        for _ in range(5):
            for task in ("delete_leftovers", "compact_old_events"):
                app.send_task(f"chat.tasks.{task}", queue="default")


def remember_something_old() -> None:
    old = IdempotencyKey.objects.create(user=User.objects.get(username="alice"), key=str(uuid.uuid4()), body_digest="")
    IdempotencyKey.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(days=2))


@pytest.mark.timeout(60 * ROUNDS + 300)
def test_nothing_is_lost_and_nothing_comes_twice(here: WholeSite) -> None:
    chance = random.Random(20261120)
    for _ in range(ROUNDS):
        callers = call(here)
        started = time.monotonic()
        moments = sorted(chance.uniform(0, WITHIN_S) for _ in ROUND)
        for moment, kind in zip(moments, chance.sample(ROUND, len(ROUND)), strict=True):
            time.sleep(max(started + moment - time.monotonic(), 0))
            strike(here, kind, chance)
        accepted = [caller.served() for caller in callers]
        assert any(caller.connections > 1 for caller in callers), "nobody noticed any of the kills"
        here.wait_until_ready()
        asked = Message.objects.filter(pk__in=[each["userMessageId"] for each in accepted], role=Message.Role.USER)
        assert asked.count() == len(callers)
        checker.check_run(here, *callers)
    assert Message.objects.filter(role=Message.Role.USER).count() == ROUNDS * len(callers)
    undisturbed = answered_in_peace(here)
    remember_something_old()
    keep_busy(here)
    until(lambda: not IdempotencyKey.objects.filter(body_digest="").exists(), PATIENCE_S)
    until(lambda: not Run.objects.filter(folded_to__lt=F("last_sequence")).exists(), PATIENCE_S)
    assert StreamEvent.objects.filter(stream__name=undisturbed, data__has_key=MARK).exists()
    checker.check_database()
