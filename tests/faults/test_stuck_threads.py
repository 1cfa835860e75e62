"""SIGTERM ends a web process within its time, whatever its threads do."""

import json
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.web import ending
from graphs.history import changes
from graphs.models import Graph, Role
from graphs.objects.operations import Update
from graphs.objects.refs import Ref
from graphs.site.api import tokens
from tests.cast import member
from tests.chat.engine.driving import until
from tests.faults import stuck as stuck_process
from tests.graphs.history.test_rollback import by
from tests.proposed import RENAME, waiting
from tests.site import Site, site
from tests.web_process import QUICK

pytestmark = [
    pytest.mark.processes,
    pytest.mark.faults,
    pytest.mark.timeout(300),
    pytest.mark.django_db(transaction=True),
]

#: What DRAIN_S is in tests, with its more: 34 in earnest.
WITHIN_S = float(QUICK["DRAIN_S"]) + ending.MORE_S
#: The machine may be busy.
SLACK_S = 10
DRAIN_S = 1


def is_deaf(here: Site) -> bool:
    try:
        urllib.request.urlopen(f"{here.web.url}/healthz", timeout=1).close()
    except TimeoutError:
        return True
    return False


@pytest.mark.parametrize(
    ("stuck", "within_s"), [("turns", DRAIN_S + stuck_process.MORE_S), ("held", stuck_process.DEAF_S)]
)
def test_it_ends_and_says_where_it_was(stuck: str, within_s: float, tmp_path: Path) -> None:
    begin = tmp_path / "begin"
    with site(1, "tests.faults.stuck", STUCK=stuck, STUCK_AT=str(begin), DRAIN_S=str(DRAIN_S)) as here:
        begin.touch()
        if stuck == "turns":
            assert here.web.process.poll() is None
        else:
            until(lambda: is_deaf(here))
        code = here.web.terminate(within_s + SLACK_S)
        assert code == 1
        assert "get_stuck" in here.logs(), "where the thread was"


def test_one_whose_threads_end_ends_in_peace() -> None:
    with site(1) as here:
        assert here.web.terminate(WITHIN_S) == 0
        assert "get_stuck" not in here.logs()
        assert "Timeout" not in here.logs()


def asked(url: str, token: str, path: str, body: Any = None) -> tuple[int, dict[str, str], dict[str, Any]]:
    """Status, headers and document of an answer that is a problem."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{url}{path}", data, headers)
    with pytest.raises(urllib.error.HTTPError) as answered:
        urllib.request.urlopen(request, timeout=60).close()
    return answered.value.code, dict(answered.value.headers), json.loads(answered.value.read())


#: What ends a process without runs: goodbyes, and then threads; far less than what runs have.
SOON_S = ending.GOODBYE_S + ending.THREADS_S


def test_previews_that_would_take_for_ever_end_with_the_process(
    alice: User, bob: User, nba: Graph, tmp_path: Path
) -> None:
    """They are told so, and it ends in peace."""
    (proposal,) = waiting(alice, nba, RENAME)
    dora = member("dora", nba.workspace, Role.EDITOR)
    change = changes.apply(nba, [Update(Ref("node", "return"), {"name": "Return"}, {"name": "End"})], by(None))
    begun = tmp_path / "begun"
    with (
        site(1, "tests.faults.stuck", STUCK="previews", STUCK_AT=str(begun), DRAIN_S="25") as here,
        ThreadPoolExecutor() as pool,
    ):
        previews = [
            pool.submit(asked, here.web.url, tokens.issue(who).access, path, body)
            for who, path, body in (
                (alice, f"/api/v1/proposals/{proposal.pk}/preview", {}),
                (dora, f"/api/v1/history/{change.change_set_id}/rollback", {"preview": True}),
                (dora, f"/api/v1/history/{change.change_set_id}/rollback", {"preview": True}),
            )
        ]
        until(begun.exists)
        assert here.web.terminate(SOON_S + SLACK_S) == 0
        for preview in previews:
            status, headers, document = preview.result(60)
            assert (status, document["code"], "restarts" in document["detail"]) == (503, "unavailable", True)
            assert int(headers["Retry-After"]) > 0
        assert "Timeout" not in here.logs()


def test_large_answers_that_would_take_for_ever_do_not_keep_the_process(
    alice: User, nba: Graph, tmp_path: Path
) -> None:
    """Whoever waits is told so; the thread, which asks nobody, is given up and named."""
    begun = tmp_path / "begun"
    with (
        site(1, "tests.faults.stuck", STUCK="exports", STUCK_AT=str(begun), DRAIN_S="25") as here,
        ThreadPoolExecutor() as pool,
    ):
        token = tokens.issue(alice).access
        exports = [pool.submit(asked, here.web.url, token, "/api/v1/graphs/nba/export") for _ in range(3)]
        until(begun.exists)
        assert here.web.terminate(SOON_S + SLACK_S) == 1
        for export in exports:
            status, headers, document = export.result(60)
            assert (status, document["code"]) == (503, "unavailable")
            assert int(headers["Retry-After"]) > 0
        assert "export_for_ever" in here.logs()


def test_the_times_are_those_that_are_promised() -> None:
    assert 25 + ending.MORE_S < 35
    assert 25 + SOON_S < 25 + ending.MORE_S
    assert ending.DEAF_S + ending.LOOK_S <= 35
