"""The same proposal is decided through two web processes at the same moment, and the model goes on once."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.error import HTTPError

import pytest
from django.contrib.auth.models import User

from chat.models import Proposal, Run, RunStatus
from graphs.models import ChangeSet, Role, Workspace
from tests import checker
from tests.cast import PASSWORD, member
from tests.chat.engine.driving import until
from tests.registered import shops
from tests.site import Api, Site, site
from tests.things import THINGS, new_thing
from tests.web_process import PATIENT

pytestmark = [pytest.mark.processes, pytest.mark.faults, pytest.mark.django_db(transaction=True)]

#: Of each kind of thing.
ROUNDS = 50 if os.environ.get("FULL") else 1
Deciding = tuple[Api, str, dict[str, Any]]


@pytest.fixture
def here(transactional_db: None, alice: User, demo_workspace: Workspace) -> Iterator[Site]:
    member("dora", demo_workspace, Role.EDITOR)
    with shops(), site(2, "tests.faults.selling", LIMIT_MESSAGES="10000/min", **PATIENT) as started:
        yield started


def at_once(*asked: Deciding) -> list[int]:
    def status(one: Deciding) -> int:
        who, path, body = one
        try:
            who.post(path, body)
        except HTTPError as error:
            return error.code
        return 200

    with ThreadPoolExecutor(len(asked)) as threads:
        return sorted(threads.map(status, asked))


@pytest.mark.timeout(1200)
def test_one_outcome_whichever_process_is_asked(here: Site, alice: User, demo_workspace: Workspace) -> None:
    first, second = here.processes
    owner, dora = Api(first.url, "alice", PASSWORD), Api(second.url, "dora", PASSWORD)
    for number, kind in enumerate(THINGS * ROUNDS):
        thing = new_thing(kind, demo_workspace, number)
        proposals = thing.proposed(alice, thing.rename_call(), thing.update_call(**{thing.text: "new"}))
        paths = [f"/api/v1/proposals/{each.pk}/decide" for each in proposals]
        found = at_once(
            *((who, path, {"approved": True}) for who in (owner, dora) for path in paths),
            (dora, paths[0], {"approved": False}),
        )
        assert found == [200, 200, 409, 409, 409]
        session = proposals[0].session
        until(lambda: not session.runs.filter(status__in=[RunStatus.QUEUED, RunStatus.RUNNING]).exists())  # noqa: B023
        for proposal in proposals:
            stored = Proposal.objects.get(pk=proposal.pk)
            effects = ChangeSet.objects.filter(cause=f"proposal:{proposal.pk}").count()
            assert effects == (stored.status == "applied")
        assert Run.objects.filter(session=session).count() == 2
    checker.check_run(here)


@pytest.mark.timeout(1200)
def test_a_stop_and_an_approval_through_two_processes(here: Site, alice: User, demo_workspace: Workspace) -> None:
    first, second = here.processes
    owner, dora = Api(first.url, "alice", PASSWORD), Api(second.url, "dora", PASSWORD)
    for number, kind in enumerate(THINGS * ROUNDS):
        (proposal,) = new_thing(kind, demo_workspace, number).proposed(alice)
        at_once(
            (owner, f"/api/v1/chat/sessions/{proposal.session_id}/stop", {}),
            (dora, f"/api/v1/proposals/{proposal.pk}/decide", {"approved": True}),
        )
        proposal.refresh_from_db()
        assert proposal.status in {"applied", "cancelled"}
        assert ChangeSet.objects.filter(cause=f"proposal:{proposal.pk}").count() == (proposal.status == "applied")
        live = proposal.session.runs.filter(status__in=[RunStatus.QUEUED, RunStatus.RUNNING])
        until(lambda: not live.exists())  # noqa: B023
    checker.check_run(here)
