"""Recorded answers with things wrong in them, through the engine into the database: nothing breaks or runs twice."""

import json
import os
import re
from itertools import product

import pytest
from django.contrib.auth.models import User

from chat.models import RunStatus, StreamEvent
from graphs.models import Graph
from tests import checker
from tests.chat.engine.driving import Engine
from tests.faults.vendors.asking import Asked, ask_all, batches, results_of
from tests.vendors import Script, VendorServer, recorded
from tests.vendors.mutations import HARMLESS, MUTATIONS, STRANGE_TEXTS, UNUSABLE_CALLS

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

FULL = bool(os.environ.get("FULL"))
DONE = "Both are read."


def some(cases: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """All of them, or a few that reach every wire."""
    return cases if FULL else cases[::7]


def asked_about(user: User, vendor: VendorServer, name: str, cases: list[tuple[str, str]]) -> list[Asked]:
    scripts = [
        (kind, [Script(raw=MUTATIONS[what](kind, recorded.events(kind, name))), Script(text=DONE)])
        for kind, what in cases
    ]
    return [each for batch in batches(scripts) for each in ask_all(user, vendor, batch)]


def test_what_changes_nothing_has_the_same_effect(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    cases = some(list(product(recorded.KINDS, HARMLESS)))
    for case, asked in zip(cases, asked_about(alice, vendor, "three_tools", cases), strict=True):
        assert (asked.run.outcome, asked.run.message.content) == ("finished", DONE), case
        results = results_of(asked.run)
        assert len(results) == 3, case
        assert not any("error" in result for result in results), case
        assert "fetch-api" in json.dumps(results[0]), case
        first, second = asked.costs()
        assert (first.estimated, second.estimated) == (case[1].startswith("usage"), False), case
    checker.check_database()


def test_strange_characters_reach_nobody(running: Engine, vendor: VendorServer, alice: User, nba: Graph) -> None:
    cases = list(product(recorded.KINDS, STRANGE_TEXTS))
    for case, asked in zip(cases, asked_about(alice, vendor, "text", cases), strict=True):
        assert asked.run.outcome == "finished", case
        assert "\ufffd" in asked.run.message.content, case
    assert not [
        event for event in StreamEvent.objects.all() if re.search("[\x00\ud800-\udfff]", json.dumps(event.data))
    ]
    checker.check_database()


def test_calls_that_nobody_can_run_have_no_effect_and_the_model_is_told(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    cases = some(list(product(recorded.KINDS, UNUSABLE_CALLS)))
    for case, asked in zip(cases, asked_about(alice, vendor, "three_tools", cases), strict=True):
        assert asked.run.status == RunStatus.SUCCEEDED, (case, asked.run.error)
        assert asked.run.message.content == DONE, case
        results = results_of(asked.run)
        assert len(results) == 3, case
        assert all("error" in result for result in results), (case, results)
        told = json.dumps(asked.requests(vendor)[-1].body)
        assert told.count("error") >= 3, case
    checker.check_database()
