"""Whatever changes a graph and a node type holds them in one order, whichever of them it is about."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction

from chat.actions import deciding
from chat.actions.deciding import Decision
from graphs.history import changes, editing, rollback
from graphs.history.recording import Because
from graphs.history.scopes import ChangeSets
from graphs.models import Graph, NodeType, Object, Origin, Workspace
from graphs.objects.actions import parse
from graphs.objects.holding import hold_workspace
from graphs.objects.planning import plan
from graphs.site.access import member_of
from graphs.workflows.imports import import_graph
from tests.cast import draw_nba
from tests.chat.engine.driving import until
from tests.chat.spending.paid import somebody_waits
from tests.graphs.workflows.interchange.samples import native, parsed
from tests.proposed import RENAME, Call, waiting

pytestmark = pytest.mark.django_db(transaction=True)
CONFIGURE: Call = ("configure_node_type", {"mode": "update", "typeKey": "step", "displayName": "Stage"})
UPDATE: Call = ("update_object", {"object": "nodeType:step", "updates": {"displayName": "Stage"}})


@pytest.fixture
def step(demo_workspace: Workspace) -> NodeType:
    return NodeType.objects.create(workspace=demo_workspace, key="step", display_name="Step")


@pytest.fixture
def graph(step: NodeType) -> Graph:
    """Made after the type, which is held first."""
    return draw_nba(step.workspace)


def batch(*calls: Call) -> Call:
    return "batch", {"actions": [{"tool": f"propose_{tool}", "arguments": given} for tool, given in calls]}


def approval(alice: User, graph: Graph, call: Call, edited: Call | None = None) -> Callable[[], object]:
    (made,) = waiting(alice, graph, call)
    decision = Decision(True)
    if edited is not None:
        shown = deciding.preview(member_of(alice), str(made.pk), edited[1])
        decision = Decision(True, edited_arguments=edited[1], digest=shown.digest)
    return lambda: deciding.decide(member_of(alice), str(made.pk), decision)


def rolling_back(alice: User, graph: Graph, *calls: Call) -> Callable[[], object]:
    planned = plan(graph, [parse(*call) for call in calls])
    done = changes.apply(graph, planned.operations, Because(alice, Origin.MANUAL)).change_set_id
    return lambda: rollback.roll_back(graph.workspace_id, alice, ChangeSets((done,)))


def editing_both(alice: User, graph: Graph, *calls: Call) -> Callable[[], object]:
    request = editing.Request([parse(*call) for call in calls])
    return lambda: editing.edit(member_of(alice), graph, request)


DEEDS: dict[str, Callable[[User, Graph], Callable[[], object]]] = {
    "approve": lambda alice, graph: approval(alice, graph, batch(RENAME, UPDATE)),
    "approve of a graph": lambda alice, graph: approval(alice, graph, batch(RENAME, CONFIGURE)),
    "approve edited": lambda alice, graph: approval(alice, graph, batch(RENAME, UPDATE), batch(RENAME, UPDATE)),
    "propose": lambda alice, graph: lambda: waiting(alice, graph, batch(RENAME, UPDATE)),
    "propose one by one": lambda alice, graph: lambda: waiting(alice, graph, RENAME, UPDATE),
    "edit": lambda alice, graph: editing_both(alice, graph, RENAME, UPDATE),
    "edit a graph": lambda alice, graph: editing_both(alice, graph, RENAME, CONFIGURE),
    "roll back": lambda alice, graph: rolling_back(alice, graph, RENAME, UPDATE),
}


@pytest.mark.parametrize("name", DEEDS)
def test_who_waits_for_the_first_holds_nothing_that_comes_after_it(
    alice: User, graph: Graph, step: NodeType, name: str
) -> None:
    deed = DEEDS[name](alice, graph)

    def done() -> None:
        try:
            deed()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Object.objects.select_for_update(no_key=True).get(pk=step.pk)
            running = pool.submit(done)
            until(lambda: running.done() or somebody_waits())
            assert not running.done()
            assert Object.objects.select_for_update(no_key=True, nowait=True).get(pk=graph.pk)
        running.result()


def importing(workspace: Workspace, key: str, **given: Any) -> Callable[[], object]:
    file = parsed(native(key=key, nodeTypes=[{"key": "probe", "displayName": "Probe"}]))

    def done() -> None:
        try:
            import_graph(workspace, file, **given)
        finally:
            connection.close()

    return done


def test_a_file_that_replaces_a_graph_waits_for_its_header_and_holds_no_row_of_it(graph: Graph) -> None:
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Object.objects.select_for_update(no_key=True).get(pk=graph.pk)
            running = pool.submit(importing(graph.workspace, "nba", if_exists="replace"))
            until(lambda: running.done() or somebody_waits())
            assert not running.done()
            assert Graph.objects.select_for_update(nowait=True).get(pk=graph.pk)
        running.result()


def test_a_file_with_types_waits_for_the_workspace_before_it_takes_a_key(demo_workspace: Workspace) -> None:
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            hold_workspace(demo_workspace.pk)
            running = pool.submit(importing(demo_workspace, "new"))
            until(lambda: running.done() or somebody_waits())
            assert not running.done()
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = '1s'")
            assert Graph.objects.create(workspace=demo_workspace, key="new", name="Ours").key == "new"
        running.result()
    assert set(Graph.objects.values_list("key", flat=True)) == {"new", "new-2"}


def test_a_file_that_waits_for_a_graph_that_is_deleted_makes_another_one(demo_workspace: Workspace) -> None:
    """The types that came with the graph are there still."""
    importing(demo_workspace, "nba")()
    first = Object.objects.get(type="graph", key="nba")
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Object.objects.select_for_update(no_key=True).get(pk=first.pk)
            running = pool.submit(importing(demo_workspace, "nba", if_exists="replace"))
            until(lambda: running.done() or somebody_waits())
            Graph.objects.filter(pk=first.pk).delete()
        running.result()
    assert Graph.objects.get(key="nba").pk != first.pk
