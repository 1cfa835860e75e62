"""A node changes only as far as its edges could still be made, whichever door the change comes through."""

from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User

from graphs.history import changes, rollback
from graphs.history.recording import Because
from graphs.history.rollback import Clashing, LeftOut
from graphs.history.rollback_conflicts import named
from graphs.history.scopes import ChangeSets
from graphs.models import Edge, Graph, Node, NodeType, Origin
from graphs.objects.actions import ChangeRefused
from graphs.objects.operations import Create, Update
from graphs.objects.refs import Ref
from graphs.workflows.connecting import Connectable
from tests.graphs.workflows.planning.asking import Asked, done, one, plan, refused, shown

FETCH, TO_RETURN = Ref("node", "fetch-api"), Ref("edge", "fetch-api-return")
EDGE = {"sourceKey": "fetch-api", "targetKey": "return", "targetHandle": "L-0"}
NEW_EDGE = Ref("edge", "fetch-api:R-1--return:L-0")
ANY_IN, ANY_OUT = {"id": "L-0", "type": "in", "accept": "any"}, {"id": "R-0", "type": "out", "accept": "any"}
BOTH = {"L": [ANY_IN], "R": [ANY_OUT]}


@pytest.fixture
def handled(nba: Graph) -> Graph:
    """All nodes have an in and an out handle, which their edges use."""
    Node.objects.filter(graph=nba).update(handles=BOTH)
    Edge.objects.filter(graph=nba).update(source_handle="R-0", target_handle="L-0")
    return nba


def updated(graph: Graph, **updates: Any) -> str:
    return refused(graph, "update_node", nodeKey="fetch-api", updates=updates)


def test_the_edge_that_would_not_fit_is_named_with_why_and_what_to_do(handled: Graph) -> None:
    told = updated(handled, handles={"L": [ANY_IN]})
    assert told == (
        'The edge "fetch-api-return" would not fit any more: "fetch-api" has no out handle, so no edge can leave it. '
        "Delete it, too, or leave its nodes as they are."
    )


def test_a_handle_gives_and_accepts_what_its_edges_bring(handled: Graph) -> None:
    narrow = {"L": [{**ANY_IN, "accept": "entryType"}], "R": [ANY_OUT]}
    assert 'The edge "root-fetch-api"' in updated(handled, handles=narrow)
    Node.objects.filter(key="return").update(handles={"L": [{**ANY_IN, "accept": "msg"}]})
    other = {"L": [ANY_IN], "R": [{**ANY_OUT, "accept": "file"}]}
    assert 'Handle "L-0" of "return" accepts msg only' in updated(handled, handles=other)
    assert one(
        handled, "update_node", nodeKey="fetch-api", updates={"handles": {**BOTH, "R": [{**ANY_OUT, "accept": "msg"}]}}
    )


def test_a_type_is_one_that_the_next_node_accepts_and_no_note(handled: Graph) -> None:
    NodeType.objects.create(workspace=handled.workspace, key="other", display_name="Other")
    Node.objects.filter(key="return").update(handles={"L": [{**ANY_IN, "accept": "api-call"}]})
    assert '"fetch-api" is of the type other' in updated(handled, type="other")
    assert "notes have no edges" in updated(handled, type="note")
    assert one(handled, "update_node", nodeKey="root", updates={"type": "other"}).operations


def test_a_node_without_handles_gets_those_that_its_edges_use(nba: Graph) -> None:
    Edge.objects.filter(key="fetch-api-return").update(source_handle="out")
    assert 'has no out handle "out". It has: R-0.' in updated(nba, handles=BOTH)
    named_so = {"L": [ANY_IN], "R": [{**ANY_OUT, "id": "out"}]}
    assert 'The edge "root-fetch-api"' in updated(nba, handles={"R": named_so["R"]})
    # A node without any handle takes what is given.
    Node.objects.filter(key="fetch-api").update(handles=named_so)
    assert one(nba, "update_node", nodeKey="fetch-api", updates={"handles": {}}).operations


def test_of_many_edges_at_many_handles_a_refusal_tells_the_first(
    handled: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever may edit chooses both numbers, and how long the names of handles are."""
    hub, fetch = Node.objects.get(key="root"), Node.objects.get(key="fetch-api")
    new = partial(Edge, graph=handled, sheet=hub.sheet, source=fetch, source_handle="R-0", target=hub)
    Edge.objects.bulk_create(new(key=f"to-hub-{n}", target_handle=f"L-{n}") for n in range(1_000))
    named = {"label": "x" * 200, "type": "in"}
    Node.objects.filter(key="root").update(
        handles={
            side: [{**named, "id": f"L-{n}"} for n in range(100 * at, 100 * at + 100)] for at, side in enumerate("LRTB")
        }
    )
    looked_through = []
    of = Connectable.of
    monkeypatch.setattr(Connectable, "of", lambda node: looked_through.append(node) or of(node))
    other = {side: [{**named, "id": f"{side}-{n:03}" + "y" * 90} for n in range(100)] for side in "LRTB"}

    with pytest.raises(ChangeRefused) as refused_:
        one(handled, "update_node", nodeKey="root", updates={"handles": other})

    assert len(looked_through) == 3  # both nodes as they are, and the hub as it would be
    assert str(refused_.value).endswith("\nAnd 395 more.")
    assert len(refused_.value.problems) == 101
    assert refused_.value.problems[-1] == "And 300 more."
    assert max(map(len, refused_.value.problems)) < 2_000


def test_steps_are_looked_at_together(handled: Graph) -> None:
    """The node changes first, and then what would not fit goes, or comes."""
    changed = ("update_node", {"nodeKey": "fetch-api", "updates": {"handles": {"L": [ANY_IN]}}})
    planned = plan(handled, changed, ("delete_edge", {"edgeKey": "fetch-api-return"}))
    assert shown(planned.operations) == [("update", "node", "fetch-api"), ("delete", "edge", "fetch-api-return")]
    edge = {**EDGE, "sourceHandle": "R-0", "targetKey": "root"}
    with pytest.raises(ChangeRefused, match="fetch-api:R-0--root:L-0"):
        plan(handled, ("create_edge", edge), changed, ("delete_edge", {"edgeKey": "fetch-api-return"}))


def test_what_was_wrong_before_may_stay_so(handled: Graph) -> None:
    """Imported edges may lead to the node itself, to no handle, or where they are not accepted."""
    Edge.objects.filter(key="fetch-api-return").update(source_handle="gone")
    Edge.objects.filter(key="root-fetch-api").update(target=Node.objects.get(key="root"))
    Node.objects.filter(key="return").update(handles={"L": [{**ANY_IN, "accept": "entryType"}]})
    more = {**BOTH, "R": [ANY_OUT, {**ANY_OUT, "id": "R-1"}]}
    assert one(handled, "update_node", nodeKey="fetch-api", updates={"handles": more, "name": "Ask"}).operations
    assert one(handled, "update_node", nodeKey="root", updates={"handles": more}).operations
    told = refused(handled, "update_node", nodeKey="root", updates={"handles": {"L": [ANY_IN]}})
    assert 'The edge "root-fetch-api"' in told


def test_an_edge_that_came_since_the_proposal_keeps_its_handle(handled: Graph) -> None:
    more = {**BOTH, "R": [ANY_OUT, {**ANY_OUT, "id": "R-1"}]}
    Node.objects.filter(key="fetch-api").update(handles=more)
    planned = one(handled, "update_node", nodeKey="fetch-api", updates={"handles": BOTH})
    Edge.objects.filter(key="fetch-api-return").update(source_handle="R-1")
    with pytest.raises(ChangeRefused, match='The edge "fetch-api-return" would not fit any more'):
        done(handled, planned)
    assert Node.objects.get(key="fetch-api").handles == more


def by(user: User) -> Because:
    return Because(user, Origin.MANUAL)


def test_handles_that_are_taken_back_are_in_the_way_of_later_edges(handled: Graph, alice: User, bob: User) -> None:
    more = {**BOTH, "R": [ANY_OUT, {**ANY_OUT, "id": "R-1"}]}
    made = changes.apply(handled, [Update(FETCH, {"handles": BOTH}, {"handles": more})], by(alice))
    done(handled, one(handled, "create_edge", **EDGE, sourceHandle="R-1"), bob)
    scope = ChangeSets((made.change_set_id,))

    with pytest.raises(Clashing) as refused_:
        rollback.roll_back(handled.workspace_id, alice, scope)

    (clash,) = named(refused_.value.plan)
    assert (clash.clash.code, clash.clash.item, clash.clash.field, clash.clash.by) == (
        "unfit",
        FETCH,
        "handles",
        NEW_EDGE,
    )
    assert clash.changed_by == "bob"
    assert clash.sentence.startswith('The edge "fetch-api:R-1--return:L-0" would not fit any more: ')
    preview = rollback.preview(handled.workspace_id, scope, [LeftOut(FETCH, "handles")])
    assert (preview.clashes, preview.operations) == ((), ())


def test_an_edge_comes_back_where_it_still_fits(handled: Graph, alice: User, bob: User) -> None:
    narrow = {"L": [{**ANY_IN, "accept": "entryType"}]}
    gone = done(handled, one(handled, "delete_edge", edgeKey="fetch-api-return"), alice)
    changed = done(handled, one(handled, "update_node", nodeKey="return", updates={"handles": narrow}), bob)
    scope = ChangeSets((gone.change_set_id,))

    with pytest.raises(Clashing) as refused_:
        rollback.roll_back(handled.workspace_id, alice, scope)

    (clash,) = named(refused_.value.plan)
    assert (clash.clash.code, clash.clash.item, clash.clash.by) == ("unfit", TO_RETURN, None)
    assert "accepts entryType only" in clash.sentence
    rollback.roll_back(handled.workspace_id, bob, ChangeSets((changed.change_set_id,)))
    rollback.roll_back(handled.workspace_id, alice, scope)
    assert Edge.objects.filter(key="fetch-api-return").exists()


@pytest.mark.parametrize(
    "deleted", [("delete_edge", {"edgeKey": "fetch-api-return"}), ("delete_node", {"nodeKey": "return"})]
)
def test_an_edge_that_never_fitted_comes_back_as_it_was(handled: Graph, alice: User, deleted: Asked) -> None:
    Edge.objects.filter(key="fetch-api-return").update(source_handle="gone")
    gone = done(handled, plan(handled, deleted), alice)
    done(
        handled,
        one(
            handled,
            "update_node",
            nodeKey="fetch-api",
            updates={"name": "Ask", "handles": {**BOTH, "T": [{**ANY_IN, "id": "up"}]}},
        ),
    )
    rollback.roll_back(handled.workspace_id, alice, ChangeSets((gone.change_set_id,)))
    assert Edge.objects.get(key="fetch-api-return").source_handle == "gone"


def test_an_import_may_bring_what_nobody_could_make(handled: Graph) -> None:
    """Its file is a whole graph, and a warning says so."""
    loop = Create(
        Ref("edge", "loop"),
        {"source": "root", "sourceHandle": "x", "target": "root", "targetHandle": "y", "label": "", "sheet": "main"},
    )
    lost = Update(FETCH, {"handles": BOTH}, {"handles": {"L": [ANY_IN]}})
    changes.apply(handled, [loop, lost], Because(None, Origin.IMPORT))
    assert Edge.objects.filter(key="loop").exists()
