"""Live edits as changes: done in the order of the changes they give what they gave in their own."""

from collections.abc import Iterable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from graphs.history.live_edits import stretches
from graphs.models import LiveEdit
from graphs.objects.operations import Create, Delete, Operation, Record, Update, inverses, to_json
from graphs.objects.refs import Ref

State = dict[Ref, Record]
NODES = [Ref("node", name) for name in "abcd"]
EDGES = [Ref("edge", name) for name in "efg"]


def made(person: int, version: int, *operations: dict[str, Any]) -> LiveEdit:
    items = [f"{operation['type']}:{operation['id']}" for operation in operations]
    return LiveEdit(person=person, person_label=str(person), version=version, operations=operations, items=items)


def test_a_node_that_an_edge_was_led_away_from_goes_after_that() -> None:
    edits = [
        made(1, 1, {"action": "update", "type": "node", "id": "root", "old": {"name": "a"}, "new": {"name": "b"}}),
        made(2, 2, {"action": "update", "type": "edge", "id": "e", "old": {"source": "y"}, "new": {"source": "z"}}),
        made(1, 3, {"action": "delete", "type": "node", "id": "y", "record": {"name": "y", "id": 1, "version": 1}}),
    ]
    assert [[edit.version for edit in stretch.edits] for stretch in stretches(edits)] == [[1], [2], [3]]


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_any_edits_of_several_people(data: st.DataObject) -> None:
    """As one change of each stretch: no step meets anything but what it expects, the end is the same."""
    begin = after({}, [Create(NODES[0], {"name": 0, "size": 0}), Create(NODES[1], {"name": 0, "size": 0})])
    state, edits, done = begin, [], list[tuple[Operation, ...]]()
    for version in range(1, data.draw(st.integers(1, 9)) + 1):
        operations = data.draw(asked(state, done))
        if not operations:
            continue
        state = after(state, operations)
        done.append(operations)
        edits.append(made(data.draw(st.integers(1, 3)), version, *map(to_json, operations)))
    now = begin
    found = stretches(edits)
    for stretch in found:
        now = after(now, stretch.operations)
        assert {edit.person for edit in stretch.edits} == {stretch.person}
    assert now == state
    assert sorted(edit.version for stretch in found for edit in stretch.edits) == [edit.version for edit in edits]


@st.composite
def asked(draw: st.DrawFn, state: State, done: list[tuple[Operation, ...]]) -> tuple[Operation, ...]:
    """One edit that fits the state: of a node, of an edge, or what takes an earlier one back, if that still fits."""
    if done and draw(st.integers(0, 4)) == 0:
        back = inverses(draw(st.sampled_from(done)))
        return back if fits(state, back) else ()
    nodes = [item for item in NODES if item in state]
    item = draw(st.sampled_from([*NODES, *EDGES] if nodes else NODES))
    values = {"name": st.integers(0, 2), "size": st.integers(0, 2)}
    if item.type == "edge":
        values = dict.fromkeys(("source", "target"), st.sampled_from([node.key for node in nodes]))
    if item not in state:
        return (Create(item, draw(st.fixed_dictionaries(values))),)
    record = state[item]
    if draw(st.booleans()):
        edges = [edge for edge in EDGES if item.key in state.get(edge, {}).values()]
        return (*(Delete(edge, state[edge]) for edge in edges), Delete(item, record))
    new = {
        name: value for name, value in draw(st.fixed_dictionaries({}, optional=values)).items() if value != record[name]
    }
    return (Update(item, {name: record[name] for name in new}, new),) if new else ()


def fits(state: State, operations: Iterable[Operation]) -> bool:
    try:
        after(state, operations)
    except AssertionError:
        return False
    return True


def after(state: State, operations: Iterable[Operation]) -> State:
    """The operations done together; fails where an item is not as they say, or an edge is left without its nodes."""
    now = dict(state)
    for operation in operations:
        match operation:
            case Create(item, record):
                assert item not in now
                now[item] = record
            case Delete(item, record):
                assert now.pop(item, None) == record
            case Update(item, old, new):
                assert item in now
                assert {name: now[item][name] for name in old} == old != new
                now[item] = now[item] | new
    ends = {end for item, record in now.items() if item.type == "edge" for end in record.values()}
    assert all(Ref("node", end) in now for end in ends)
    return now
