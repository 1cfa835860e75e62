from collections.abc import Iterator
from urllib.parse import urlencode

import psycopg
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection

from bench import streaming, systems
from bench.servers import Servers
from chat.engine.runtime import conninfo
from graphs.models import Membership, Role, Workspace

BRIEF = streaming.Scale(streams=(1,), rounds=1, steady_s=0.5, probes=1)


@pytest.fixture
def test_servers(transactional_db: None, demo_workspace: Workspace) -> Iterator[Servers]:
    """The database of the test for both systems, and the person who asks."""
    demo = User.objects.create_user("demo", "demo@example.org", systems.PASSWORD)
    Membership.objects.create(user=demo, workspace=demo_workspace, role=Role.EDITOR)
    found = connection.get_connection_params()
    places = {name: str(found[name]) for name in ("host", "port") if found.get(name)}
    url = f"postgresql://{found['user']}@/{found['dbname']}?{urlencode(places)}"
    yield Servers(url, settings.REDIS_URL, conninfo())
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS relay_event")


@pytest.mark.processes
def test_it_measures_reference_and_product(test_servers: Servers) -> None:
    with systems.vendor() as vendor, psycopg.connect(test_servers.reference, autocommit=True) as database:
        variables = systems.environment(test_servers, vendor)
        with streaming.running(test_servers, vendor, variables) as (reference, product):
            rounds = streaming.Rounds(reference, product, database, BRIEF)
            rounds.perform()

    for name in ("reference", "product"):
        (measured,) = rounds.found[name, 1]
        assert 0 < measured.p50 <= measured.p99
        assert measured.transactions > 0  # others write to this server meanwhile: no upper bound holds
        assert measured.first_ms > 0
        assert measured.tokens_a_frame >= 1
    rows = list(streaming.rows(rounds, BRIEF.streams))
    assert [row.what for row in rows if row.target is not None] == [
        "added delay per token, p50, 1 streams",
        "added delay per token, p99, 1 streams",
        "transactions per token, 1 streams",
        "request to first token, 1 stream",
        "request to first token while 1 run",
        "CPU per token, 1 streams",
    ]
