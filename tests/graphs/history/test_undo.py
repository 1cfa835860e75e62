from typing import Any

import pytest

from graphs.history.undo import Left, Undone, undo
from graphs.objects.operations import Create, Delete, Operation, Update
from graphs.objects.preconditions import Stored
from graphs.objects.refs import Ref
from graphs.workflows.preconditions import GraphBefore
from graphs.workflows.rows import References

NODE = Ref("node", "a")


def edit(old: Any, new: Any) -> Update:
    return Update(NODE, {"name": old}, {"name": new})


def standing(**record: Any) -> GraphBefore:
    """The node with this record, or no node."""
    found = {NODE: Stored(NODE, record, 1, 7)} if record else {}
    return GraphBefore(found, {}, References({}, {"a": 7} if record else {}))


def undone(done: list[Operation], *left: Left, **now: Any) -> Undone:
    return undo(done, standing(**now), left)


@pytest.mark.parametrize(
    ("done", "now", "expected"),
    [
        ([edit("a", "b")], "b", edit("b", "a")),
        ([edit("a", "b"), edit("b", "c")], "c", edit("c", "a")),
        # the last one, or both, were taken back already
        ([edit("a", "b"), edit("b", "c"), edit("c", "d")], "c", edit("c", "a")),
        ([edit("a", "b"), edit("b", "c"), edit("c", "d")], "b", edit("b", "a")),
        ([edit("a", "b"), edit("b", "c"), edit("c", "d")], "a", None),
        ([edit(1, 2)], 1, None),
    ],
)
def test_what_is_still_there_is_taken_back(done: list[Operation], now: Any, expected: Operation | None) -> None:
    found = undone(done, name=now)
    assert (found.operations, found.clashes) == ((expected,) if expected else (), ())


@pytest.mark.parametrize(
    ("done", "now"),
    [
        ([edit("a", "b")], "x"),
        ([edit(1, 2)], True),
        # somebody edited between the two
        ([edit("a", "b"), edit("x", "c")], "c"),
        ([edit("a", "b"), edit("x", "c")], "b"),
    ],
)
def test_an_edit_of_others_is_a_clash(done: list[Operation], now: Any) -> None:
    found = undone(done, name=now)
    assert [(clash.code, clash.field) for clash in found.clashes] == [("changed", "name")]
    assert undone(done, Left(NODE, "name"), name=now).operations == ()


def test_an_item_that_came_went_and_changed() -> None:
    made = [Create(NODE, {"name": "a"}), edit("a", "b")]
    assert undone([*made], name="b").operations == (Delete(NODE, {"name": "b"}),)
    assert undone([*made]) == Undone((), (), ())
    gone = [edit("a", "b"), Delete(NODE, {"name": "b", "id": 7, "version": 2})]
    assert undone([*gone]).operations == (Create(NODE, {"name": "a", "id": 7, "version": 2}),)
    assert undone([*gone], name="b").operations == (edit("b", "a"),)
    assert undone([*gone], name="a") == Undone((), (), ())
    assert {clash.code for clash in undone([*gone], name="x").clashes} == {"changed"}
    another = [edit("a", "b"), Delete(NODE, {"name": "b", "id": 8, "version": 2})]
    assert {clash.code for clash in undone([*another], name="x").clashes} == {"recreated", "changed"}


def test_an_edit_of_a_node_that_is_gone_is_a_clash() -> None:
    (clash,) = undone([edit("a", "b")]).clashes
    assert (clash.code, clash.field, clash.expected) == ("gone", "name", "b")


def test_an_item_that_came_is_left_as_a_whole() -> None:
    made = [Create(NODE, {"name": "a"}), edit("a", "b")]
    found = undone([*made], Left(NODE, "name"), name="c")
    assert (found.operations, found.clashes, found.left) == ((), (), (Left(NODE, "name"),))
