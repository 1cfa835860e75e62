"""chat/queue/embeddings.py: what takes long to be embedded, who pauses it and lets it go on."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connections
from django.utils import timezone

from graphs.models import Graph, Role
from rag.embeddings import locks, long_waits
from rag.embeddings.held_back import WITHOUT_END
from rag.models import EmbeddedCollection, Embedding, EmbeddingFailure, EmbeddingModel
from tests.cast import member
from tests.chat.api.callers import get, post
from tests.graphs.api.callers import problem

pytestmark = pytest.mark.django_db
MODEL = "custom/tiny"


@pytest.fixture
def admin(nba: Graph) -> User:
    return member("dora", nba.workspace, Role.ADMIN)


@pytest.fixture(autouse=True)
def waiting(nba: Graph, monkeypatch: pytest.MonkeyPatch) -> EmbeddingModel:
    """A graph of three nodes that counts as large, of which one has a vector."""
    monkeypatch.setattr(long_waits, "LARGE", 2)
    model = EmbeddingModel.objects.create(name=MODEL, dimensions=2, serves=True)
    values = {"collection": f"graph:{nba.pk}", "model": MODEL, "dimensions": 2, "content_hash": b"x" * 16}
    Embedding.objects.create(target_type="node", target_id=nba.nodes.all()[0].pk, vector=[0, 1], **values)
    return model


def entries(user: User) -> list[dict[str, Any]]:
    return get(user, "queue").json()["results"]


def name(graph: Graph) -> str:
    return f"embedding:graph:{graph.pk}"


def test_a_large_graph_is_told_to_everybody_with_how_far_it_is(bob: User, nba: Graph) -> None:
    (entry,) = entries(bob)
    told = ("id", "kind", "state", "title", "object", "url", "progress", "person", "own", "mayCancel", "mayRetry")
    assert [entry[each] for each in told] == [
        *(name(nba), "embedding", "waiting", "NBA scores", {"type": "graph", "id": "nba"}, "/graphs/nba/"),
        *({"done": 1, "total": 3}, "", False, False, False),
    ]
    assert entry["reason"] == "It waits for a worker, which takes one after the other."
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s, %s)", [locks.ADVISORY_LOCK, locks.number(f"graph:{nba.pk}", MODEL)])
    try:
        assert (entries(bob)[0]["state"], entries(bob)[0]["reason"]) == ("running", "")
    finally:
        with connections["default"].cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock_all()")


def test_strangers_and_small_graphs_have_none(bob: User, charlie: User, monkeypatch: pytest.MonkeyPatch) -> None:
    assert entries(charlie) == []
    monkeypatch.setattr(long_waits, "LARGE", 3)
    assert entries(bob) == []


def test_what_is_true_already_is_not_told(bob: User, nba: Graph) -> None:
    EmbeddedCollection.objects.create(collection=f"graph:{nba.pk}", model=MODEL, version=nba.version, fitted=True)
    assert entries(bob) == []


def test_it_says_what_it_waits_for(bob: User, nba: Graph, waiting: EmbeddingModel) -> None:
    waiting.retry_at = timezone.now() + timedelta(hours=1)
    waiting.save()
    assert entries(bob)[0]["reason"].startswith("The model does not answer. It is asked again at")
    EmbeddedCollection.objects.create(
        collection=f"graph:{nba.pk}", model=MODEL, paused_until=timezone.now() + timedelta(minutes=5)
    )
    assert entries(bob)[0]["reason"].startswith("No budget pays for it now.")


def test_admins_pause_it_and_let_it_go_on(admin: User, alice: User, bob: User, nba: Graph) -> None:
    path = f"queue/{name(nba)}"
    for user in (alice, bob):
        problem(post(user, f"{path}/cancel"), 403, "forbidden")
        problem(post(user, f"{path}/retry"), 403, "forbidden")
    problem(post(admin, f"{path}/retry"), 409, "conflict")
    assert entries(admin)[0]["mayCancel"]
    assert post(admin, f"{path}/cancel").status_code == 204
    (entry,) = entries(admin)
    assert (entry["state"], entry["mayCancel"], entry["mayRetry"]) == ("paused", False, True)
    assert EmbeddedCollection.objects.get().paused_until == WITHOUT_END
    assert not entries(bob)[0]["mayRetry"]
    EmbeddingFailure.objects.create(
        target_type="node", target_id=1, collection=f"graph:{nba.pk}", model=MODEL, code="internal"
    )
    assert post(admin, f"{path}/retry").status_code == 204
    assert entries(admin)[0]["state"] == "waiting"
    assert EmbeddedCollection.objects.get().paused_until is None
    assert EmbeddingFailure.objects.get().retry_at is not None


def test_of_other_workspaces_and_of_none_it_is_absent(admin: User, charlie: User, nba: Graph) -> None:
    theirs = Graph.objects.create(workspace=charlie.memberships.get().workspace, key="theirs", name="Theirs")
    for wrong in (name(theirs), "embedding:graph:999999", "embedding:graph", "embedding:x:1", "embedding:graph:x"):
        for command in ("cancel", "retry"):
            problem(post(admin, f"queue/{wrong}/{command}"), 404, "not_found")
    assert not EmbeddedCollection.objects.exists()


def test_what_is_done_is_a_conflict(admin: User, nba: Graph) -> None:
    EmbeddedCollection.objects.create(collection=f"graph:{nba.pk}", model=MODEL, version=nba.version, fitted=True)
    problem(post(admin, f"queue/{name(nba)}/cancel"), 409, "conflict")
    assert EmbeddedCollection.objects.get().paused_until is None
