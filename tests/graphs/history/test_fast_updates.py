"""Changes that are one statement, with their comparison and history, and where they must not be."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from graphs.history import changes
from graphs.models import ChangeSet, Edge, Graph, Modification, Node, Object, Revision
from graphs.objects.operations import Update
from graphs.objects.preconditions import Conflict, Conflicting
from graphs.objects.refs import Ref
from graphs.workflows import rows as graph_rows
from tests.graphs.history.test_rollback import FETCH, RETURN, TO_FETCH, back, by

ABSENT = Ref("node", "absent")
#: What nodes hold that is easily mistaken for something else.
VALUES: list[tuple[str, Any, Any]] = [
    ("name", "Fetch API", "⟦x⟧ '%s' \\ \""),
    ("name", "Fetch API", ""),
    ("process", "", "null"),
    ("data", {}, {"a": [True, 1, 0.1, None, "1"], "b": {}}),
    ("data", {}, []),
    ("posX", 0, -0.1),
    ("posY", 0.0, 1e21),
    ("width", None, 80.5),
    ("height", None, 0),
]


def change(graph: Graph, *operations: Update) -> None:
    changes.apply(graph, operations, by(None))


@pytest.mark.django_db
def test_a_change_with_its_notice_is_one_statement(nba: Graph) -> None:
    with CaptureQueriesContext(connection) as captured:
        change(nba, Update(FETCH, {"name": "Fetch API"}, {"name": "Fetch"}))
    assert len([query for query in captured if "SAVEPOINT" not in query["sql"]]) == 1


@pytest.mark.django_db
@pytest.mark.parametrize(("field", "old", "new"), VALUES)
def test_every_value_is_written_recorded_and_expected_again(nba: Graph, field: str, old: Any, new: Any) -> None:
    Node.objects.filter(key="fetch-api").update(process="", data={}, handles={}, pos_x=0, pos_y=0)
    with CaptureQueriesContext(connection) as captured:
        change(nba, Update(FETCH, {field: old}, {field: new}))
        assert graph_rows.nodes(nba, ["fetch-api"])["fetch-api"].record[field] == new
        assert list(Modification.objects.values_list("field", "old", "new")) == [(field, old, new)]
        change(nba, Update(FETCH, {field: new}, {field: old}))
    assert graph_rows.nodes(nba, ["fetch-api"])["fetch-api"].record[field] == old
    assert len([query for query in captured if "WITH held AS" in query["sql"]]) == 2
    assert not [query for query in captured if "WITH revisions AS" in query["sql"]]
    assert Revision.objects.filter(object=nba.pk).count() == 2


@pytest.mark.django_db
def test_what_other_parts_have_to_fit_goes_the_long_way(nba: Graph, alice: User) -> None:
    """Edges are looked at when the handles of their node change."""
    Edge.objects.all().delete()
    before, after = {"handles": graph_rows.nodes(nba)["fetch-api"].record["handles"]}, {"handles": {"R": []}}
    with CaptureQueriesContext(connection) as captured:
        change(nba, Update(FETCH, before, after))
        back(nba, alice, changes.apply(nba, [Update(FETCH, after, before)], by(None)))
    assert not [query for query in captured if "WITH held AS" in query["sql"]]
    assert graph_rows.nodes(nba)["fetch-api"].record["handles"] == after["handles"]
    assert Modification.objects.filter(field="handles").count() == 3


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("field", "there", "expected"),
    [
        ("data", {"a": True}, {"a": 1}),
        ("data", {"a": 1}, {"a": True}),
        ("data", {"a": None}, {}),
        ("data", {}, None),
        ("process", "null", None),
        ("pos_x", 1.0, True),
        ("name", "Fetch", "fetch"),
        ("name", "Fetch", "Fetch "),
    ],
)
def test_what_is_only_nearly_the_same_is_a_conflict(nba: Graph, field: str, there: Any, expected: Any) -> None:
    Node.objects.filter(key="fetch-api").update(**{field: there})
    name = {"pos_x": "posX"}.get(field, field)
    good = Update(RETURN, {name: graph_rows.nodes(nba, ["return"])["return"].record[name]}, {name: there})
    with pytest.raises(Conflicting) as refused:
        change(nba, good, Update(FETCH, {name: expected}, {name: good.old[name]}))

    assert refused.value.conflicts == (Conflict(FETCH, name, expected, there),)
    assert not ChangeSet.objects.exists()
    assert (Graph.objects.get(pk=nba.pk).version, Node.objects.get(key="return").version) == (1, 1)


@pytest.mark.django_db
def test_different_fields_and_edges_are_changed_as_well(nba: Graph) -> None:
    change(nba, Update(FETCH, {"name": "Fetch API"}, {"name": "F"}), Update(RETURN, {"width": None}, {"width": 9.5}))
    change(nba, Update(TO_FETCH, {"label": ""}, {"label": "then"}))

    assert (Node.objects.get(key="fetch-api").name, Node.objects.get(key="return").width) == ("F", 9.5)
    assert (Edge.objects.get(key="root-fetch-api").label, Graph.objects.get(pk=nba.pk).version) == ("then", 3)


@pytest.mark.django_db
def test_what_is_gone_is_named(nba: Graph) -> None:
    with pytest.raises(Conflicting) as refused:
        change(nba, Update(ABSENT, {"name": "A"}, {"name": "B"}))
    assert refused.value.conflicts == (Conflict(ABSENT, "", {"name": "A"}, None),)
    nba.delete()
    with pytest.raises(Object.DoesNotExist):
        change(Graph(pk=0, workspace=nba.workspace, key="nba"), Update(FETCH, {"name": "A"}, {"name": "B"}))
    assert not ChangeSet.objects.exists()


def while_it_waits(first: Callable[[], None], second: Callable[[], None]) -> Future[None]:
    """What came of the second, on a connection of its own; the first commits when the second waits for it."""
    backend: Future[int] = Future()

    def run() -> None:
        try:
            connection.ensure_connection()
            backend.set_result(connection.connection.info.backend_pid)
            second()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool, transaction.atomic(), connection.cursor() as cursor:
        first()
        done = pool.submit(run)
        waits = False
        while not (waits or done.done()):
            cursor.execute("SELECT cardinality(pg_blocking_pids(%s)) > 0", [backend.result(30)])
            waits = cursor.fetchone()[0]
        assert waits
    return done


@pytest.mark.django_db(transaction=True)
def test_what_changed_while_it_waited_is_compared_as_it_is_then(nba: Graph, alice: User) -> None:
    late = while_it_waits(
        lambda: change(nba, Update(FETCH, {"name": "Fetch API"}, {"name": "Fetch"})),
        lambda: change(
            nba,
            Update(RETURN, {"name": "Return"}, {"name": "End"}),
            Update(FETCH, {"name": "Fetch API"}, {"name": "F"}),
        ),
    )
    refusal = late.exception()
    assert isinstance(refusal, Conflicting)
    assert refusal.conflicts == (Conflict(FETCH, "name", "Fetch API", "Fetch"),)
    assert Node.objects.get(key="return").name == "Return"

    following = while_it_waits(
        lambda: change(nba, Update(FETCH, {"name": "Fetch"}, {"name": "Get"})),
        lambda: change(
            nba, Update(RETURN, {"name": "Return"}, {"name": "End"}), Update(FETCH, {"name": "Get"}, {"name": "G"})
        ),
    )
    assert following.exception() is None
    assert set(Node.objects.filter(key__in=["fetch-api", "return"]).values_list("name", flat=True)) == {"G", "End"}
    assert list(Revision.objects.values_list("version", flat=True)) == [4, 3, 2]


@pytest.mark.django_db(transaction=True)
def test_a_neighbour_that_changed_while_it_waited_is_in_nobodys_way(nba: Graph) -> None:
    late = while_it_waits(
        lambda: change(nba, Update(FETCH, {"name": "Fetch API"}, {"name": "Fetch"})),
        lambda: change(nba, Update(FETCH, {"posX": Node.objects.get(key="fetch-api").pos_x}, {"posX": 12.5})),
    )
    assert late.exception() is None
    found = Node.objects.get(key="fetch-api")
    assert (found.name, found.pos_x, found.version) == ("Fetch", 12.5, 3)
