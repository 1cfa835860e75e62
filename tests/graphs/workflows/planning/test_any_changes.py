"""Whatever is asked for, of whatever graph: it is refused, or done, and then taken back without a trace."""

import os
from typing import Any

import pytest
from django.contrib.auth.models import User
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from graphs.history import rollback
from graphs.history.scopes import ChangeSets
from graphs.models import Edge, Graph, Node, NodeType, Sheet
from graphs.objects import planning
from graphs.objects.actions import Action, ChangeRefused, parse
from graphs.objects.operations import Planned, from_json, to_json
from graphs.workflows.actions import ACTIONS
from tests.graphs.workflows.planning.asking import done, undone, without_versions

EXAMPLES = 1_000 if "FULL" in os.environ else 50
KEYS = ["a", "b", "c", "d", "new", "zebra"]
HANDLE_IDS = ["L-0", "R-0", "x", ""]
TYPES = ["html", "note", "own", "used", "unknown"]

keys = st.sampled_from(KEYS)
sheets = st.sampled_from(["main", "second", "nowhere"])
types = st.sampled_from(TYPES)
texts = st.sampled_from(["", "a", "a name", "Ünïcode 🎈", "line\nline\r\n"])
places = st.integers(-500, 500) | st.floats(-500, 500, allow_nan=False)
values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from([0.5, 1.0, 1e20, 1e-9, "x", ""]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
    max_leaves=5,
)
data = st.dictionaries(st.sampled_from("abc"), values, max_size=3)
points = st.builds(
    lambda id_, type_: {"id": id_, "type": type_}, st.sampled_from(["L-0", "R-0", "x"]), st.sampled_from(["in", "out"])
)
handles = st.dictionaries(st.sampled_from("RLTB"), st.lists(points, max_size=2), max_size=2)
edge_keys = st.sampled_from(["a-b", "b-c", "c-a", "gone", "a:R-0--b:L-0", "new:R-0--a:L-0"])
patches = st.lists(
    st.builds(lambda old, new: {"search": old, "replace": new}, st.sampled_from("alc"), texts), max_size=2
)


def some(required: dict[str, Any], **optional: Any) -> Any:
    return st.fixed_dictionaries(required, optional=optional)


node = {"typeKey": types, "sheet": sheets}
rest = {"name": texts, "key": keys, "process": texts, "data": data, "handles": handles}
connection = some(
    {
        "direction": st.sampled_from(["in", "out"]),
        "handle": st.sampled_from(HANDLE_IDS),
        "otherKey": keys,
        "otherHandle": st.sampled_from(HANDLE_IDS),
    },
    label=texts,
)
edge = {
    "sourceKey": keys,
    "sourceHandle": st.sampled_from(HANDLE_IDS),
    "targetKey": keys,
    "targetHandle": st.sampled_from(HANDLE_IDS),
}
updates = some({}, name=texts, type=types, process=texts, data=data, handles=handles, width=st.floats(1, 500))
data_patches = st.lists(
    st.builds(
        lambda path, new: {"path": path, "search": "x", "replace": new}, st.sampled_from(["/a", "/b/0", "/"]), texts
    ),
    max_size=2,
)
patched = some({"processPatches": patches}, dataPatches=data_patches)
ARGUMENTS: dict[str, Any] = {
    "create_node": some({**node, "posX": places, "posY": places}, **rest),
    "update_node": some({"nodeKey": keys, "updates": updates | patched}),
    "replace_data": some({"nodeKey": keys, "data": data}),
    "move_node": some({"nodeKey": keys, "posX": places, "posY": places}, sheet=sheets),
    "delete_node": some({"nodeKey": keys}),
    "create_edge": some(edge, sheet=sheets, label=texts),
    "update_edge": some({"edgeKey": edge_keys, "label": texts}),
    "delete_edge": some({"edgeKey": edge_keys}),
    "create_node_with_edges": some({**node, "edges": st.lists(connection, min_size=1, max_size=3)}, **rest),
    "configure_node_type": some(
        {"mode": st.sampled_from(["create", "update"])},
        typeKey=st.sampled_from(["own", "fresh", "html"]), displayName=texts, icon=texts, handles=handles,
        process=texts,
    ),
    "delete_node_type": some({"typeKey": types}),
    "create_sheet": some({"name": texts}, key=sheets, position=st.integers(0, 3)),
    "update_sheet": some({"sheetKey": sheets}, name=texts, position=st.integers(0, 3)),
    "delete_sheet": some({"sheetKey": sheets}),
    "update_graph": some({}, name=texts, description=texts),
    "delete_graph": some({}),
    "reorganize_layout": some({}, nodeKeys=st.lists(keys, min_size=1, max_size=3), sheet=sheets),
}  # fmt: skip
actions = st.one_of([arguments.map(lambda given, name=name: (name, given)) for name, arguments in ARGUMENTS.items()])


@pytest.fixture
def cycle(nba: Graph) -> Graph:
    """Four nodes on two sheets, three of them in a circle; of a type of the workspace, and of one nobody described."""
    Node.objects.all().delete()
    main, second = nba.sheets.get(), Sheet.objects.create(graph=nba, key="second", name="Second", position=1)
    points = {"L": [{"id": "L-0", "type": "in", "accept": "any"}], "R": [{"id": "R-0", "type": "out", "accept": "any"}]}
    NodeType.objects.create(workspace=nba.workspace, key="own", display_name="Own", handles=points)
    rows = {
        key: Node.objects.create(graph=nba, sheet=sheet, key=key, type=kind, handles=held, data={"a": 1}, process="abc")
        for key, sheet, kind, held in (
            ("a", main, "own", points), ("b", main, "used", points), ("c", second, "html", {}),
            ("d", second, "note", {}),
        )
    }  # fmt: skip
    for source, target in ("ab", "bc", "ca"):
        Edge.objects.create(
            graph=nba, sheet=rows[source].sheet, key=f"{source}-{target}", source=rows[source], target=rows[target],
            source_handle="R-0", target_handle="L-0",
        )  # fmt: skip
    return nba


def test_every_action_is_tried() -> None:
    assert ARGUMENTS.keys() == ACTIONS.keys() - {"batch"}


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(asked=st.lists(actions, min_size=3, max_size=10))
def test_it_is_refused_or_done_and_taken_back(
    cycle: Graph, alice: User, asked: list[tuple[str, dict[str, Any]]]
) -> None:
    before = without_versions(cycle)
    planned, possible = all_that_can_be_done(cycle, asked)
    event(f"{len(possible)} actions done")
    if planned is None:
        return
    assert planning.plan(cycle, possible) == planned
    assert tuple(map(from_json, map(to_json, planned.operations))) == planned.operations
    applied = done(cycle, planned)
    assert without_versions(cycle) != before or all(item.item.type == "nodeType" for item in planned.operations)
    if Graph.objects.filter(pk=cycle.pk).exists():
        undone(cycle, applied)
    else:
        rollback.roll_back(cycle.workspace_id, alice, ChangeSets((applied.change_set_id,)))
    assert without_versions(cycle) == before


def all_that_can_be_done(graph: Graph, asked: list[tuple[str, dict[str, Any]]]) -> tuple[Planned | None, list[Action]]:
    """The plan of those actions that are not refused after the ones before them."""
    possible: list[Action] = []
    planned = None
    for name, arguments in asked:
        try:
            action = parse(name, arguments)
            planned = planning.plan(graph, [*possible, action])
        except (ValidationError, ChangeRefused) as refused:
            assert str(refused)  # noqa: PT017
            continue
        possible.append(action)
    return planned, possible
