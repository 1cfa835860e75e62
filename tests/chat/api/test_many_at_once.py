"""The sizes that are promised, through the doors: a change of a thousand items, an object with ten thousand changes."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from bench.long_history import create, fill
from graphs.models import Graph, Modification, Node
from tests.chat.api.callers import get, post
from tests.proposed import waiting

pytestmark = pytest.mark.django_db
THOUSAND = 1_000


def read(user: User, path: str) -> Any:
    answer = get(user, path)
    assert answer.status_code == 200, answer.content[:500]
    return answer.json()


def names_of(graph: Graph) -> set[str]:
    return set(graph.nodes.values_list("name", flat=True))


def test_a_thousand_operations_are_proposed_approved_and_undone(alice: User, nba: Graph) -> None:
    graph = create(nba.workspace, "thousand", THOUSAND)
    before = names_of(graph)
    steps = [
        {"tool": "propose_update_node", "arguments": {"nodeKey": f"n{n}", "updates": {"name": f"Better {n}"}}}
        for n in range(THOUSAND)
    ]
    (proposal,) = waiting(alice, graph, ("batch", {"actions": steps}))

    shown = read(alice, f"proposals/{proposal.pk}")
    assert len(shown["diff"]) == THOUSAND
    decided = post(alice, f"proposals/{proposal.pk}/decide", {"approved": True, "digest": shown["digest"]})
    assert decided.status_code == 200
    assert names_of(graph) == {f"Better {n}" for n in range(THOUSAND)}

    done = read(alice, "history?object=graph:thousand")["results"][0]
    assert done["modificationCount"] == THOUSAND
    preview = post(alice, f"history/{done['id']}/rollback", {"preview": True}).json()
    undone = post(alice, f"history/{done['id']}/rollback", {"digest": preview["digest"]})
    assert undone.status_code == 201
    assert names_of(graph) == before
    assert set(Node.objects.filter(graph=graph).values_list("version", flat=True)) == {3}


def test_an_object_with_ten_thousand_modifications_is_read_and_restored(alice: User, nba: Graph) -> None:
    graph = create(nba.workspace, "long", 100)
    fill(graph, 10_000)
    assert Modification.objects.filter(object=graph.pk).count() == 10_000

    page = read(alice, "history?object=graph:long")
    assert page["results"][0]["version"] == 10_001
    assert read(alice, "history/versions?object=graph:long&a=1")["total"] == 100
    restored = post(alice, "history/rollback", {"scope": {"object": {"type": "graph", "id": "long"}, "version": 1}})
    assert restored.status_code == 201
    assert restored.json()["modificationCount"] == 100
    assert names_of(graph) == {f"Name {n}" for n in range(-98, 2)}
