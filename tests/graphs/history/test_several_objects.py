"""graphs/history/changes.py: several objects in one change set, each with a version and a stream of its own."""

import pytest
from django.contrib.auth.models import User

from chat.models import StreamEvent
from graphs.history import changes, rollback
from graphs.history.recording import Because
from graphs.history.rollback import NothingToUndo
from graphs.history.scopes import AsOf, ChangeSets
from graphs.models import Graph, Modification, NodeType, Object, Origin, Revision, Workspace
from graphs.objects.operations import Create, Delete, Update
from graphs.objects.preconditions import Conflicting
from graphs.objects.refs import Ref
from tests.graphs.workflows.live.conftest import Live
from tests.graphs.workflows.live.conftest import rename as rename_node

pytestmark = pytest.mark.django_db

STEP = Ref("nodeType", "step")
NODE = Ref("node", "fetch-api")


@pytest.fixture
def step(demo_workspace: Workspace) -> NodeType:
    return NodeType.objects.create(workspace=demo_workspace, key="step", display_name="Step")


def by(user: User, around: Object | None = None) -> Because:
    return Because(user, Origin.MANUAL, around=around)


def rename(ref: Ref, field: str, old: str, new: str) -> Update:
    return Update(ref, {field: old}, {field: new})


def heard() -> set[tuple[str, str]]:
    """The streams, and of what each heard that it changed."""
    events = StreamEvent.objects.filter(type="object_changed").values_list("stream__name", "data")
    return {(name, f"{data['object']['type']}:{data['object']['id']}") for name, data in events}


def test_each_object_gets_its_version_and_hears_of_its_part(alice: User, nba: Graph, step: NodeType) -> None:
    both = [rename(NODE, "name", "Fetch API", "Fetch"), rename(STEP, "displayName", "Step", "Stage")]
    applied = changes.apply(nba, both, by(alice))
    assert [(made.type, made.version) for made in applied.objects] == [("graph", 2), ("nodeType", 2)]
    assert heard() == {(f"graph_{nba.pk}", "graph:nba"), (f"nodeType_{step.pk}", "nodeType:step")}
    rows = Modification.objects.order_by("sequence").values_list("type", "object", "kind", "field")
    assert list(rows) == [("graph", nba.pk, "node", "name"), ("nodeType", step.pk, "nodeType", "displayName")]


def test_the_object_it_was_asked_for_on_hears_of_all_of_it(alice: User, nba: Graph, step: NodeType) -> None:
    changes.apply(nba, [rename(STEP, "displayName", "Step", "Stage")], by(alice, nba))
    nba.refresh_from_db()
    assert nba.version == 1, "nothing of the graph has changed"
    assert heard() == {(f"graph_{nba.pk}", "nodeType:step"), (f"nodeType_{step.pk}", "nodeType:step")}


def test_all_or_nothing(alice: User, nba: Graph, step: NodeType) -> None:
    both = [rename(NODE, "name", "Fetch API", "Fetch"), rename(STEP, "displayName", "something else", "Stage")]
    with pytest.raises(Conflicting):
        changes.apply(nba, both, by(alice))
    assert nba.nodes.get(key="fetch-api").name == "Fetch API"
    assert not Revision.objects.exists()


def test_two_graphs_in_one_change_set_are_taken_back_together(alice: User, nba: Graph) -> None:
    Graph.objects.create(workspace=nba.workspace, key="other", name="Other")
    both = [rename(Ref("graph", "other"), "name", "Other", "Another"), rename(NODE, "name", "Fetch API", "Fetch")]
    done = changes.apply(nba, both, by(alice))
    assert Graph.objects.get(key="other").name == "Another"
    rollback.roll_back(nba.workspace_id, alice, ChangeSets((done.change_set_id,)))
    assert Graph.objects.get(key="other").name == "Other"
    assert nba.nodes.get(key="fetch-api").name == "Fetch API"
    assert sorted(Object.objects.filter(type="graph").values_list("version", flat=True)) == [3, 3]


def test_a_node_type_is_rolled_back_in_a_workspace_without_graphs(alice: User, step: NodeType) -> None:
    workspace_id = step.workspace_id
    changes.apply(step, [rename(STEP, "displayName", "Step", "Stage")], by(alice))
    rollback.roll_back(workspace_id, alice, AsOf("nodeType", step.pk, 1))
    assert NodeType.objects.get().display_name == "Step"
    whole = {"displayName": "Step", "description": "", "category": "", "icon": "", "handles": {}, "process": ""}
    gone = changes.apply(step, [Delete(STEP, whole)], by(alice))
    assert not Object.objects.filter(type="nodeType").exists()
    rollback.roll_back(workspace_id, alice, ChangeSets((gone.change_set_id,)))
    back = NodeType.objects.get()
    assert (back.pk, back.display_name, back.version) == (step.pk, "Step", 5)
    with pytest.raises(NothingToUndo):
        rollback.roll_back(workspace_id, alice, ChangeSets((gone.change_set_id,)))


def test_what_is_created_in_one_change_set_goes_in_its_rollback(alice: User, nba: Graph) -> None:
    whole = {"displayName": "New", "description": "", "category": "", "icon": "", "handles": {}, "process": ""}
    made = changes.apply(nba, [Create(STEP, whole), rename(NODE, "name", "Fetch API", "Fetch")], by(alice))
    assert [(each.type, each.version) for each in made.objects] == [("graph", 2), ("nodeType", 1)]
    rollback.roll_back(nba.workspace_id, alice, ChangeSets((made.change_set_id,)))
    assert not NodeType.objects.exists()
    assert nba.nodes.get(key="fetch-api").name == "Fetch API"


def test_live_edits_of_one_of_several_are_saved_first(alice: User, nba: Graph, step: NodeType, live: Live) -> None:
    live(alice, *rename_node("root", "Begin"))
    live(alice, *rename_node("return", "End"))
    both = [rename(NODE, "name", "Fetch API", "Fetch"), rename(STEP, "displayName", "Step", "Stage")]
    changes.apply(nba, both, by(alice))
    versions = Revision.objects.filter(type="graph").order_by("version").values_list("version", flat=True)
    nba.refresh_from_db()
    assert (list(versions), nba.version) == ([3, 4], 4)
