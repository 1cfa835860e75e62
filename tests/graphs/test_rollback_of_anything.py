"""Whatever happened, rolling it back gives exactly what was there, or names what stands in the way."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from graphs.history import compare, rollback
from graphs.history.compare import between
from graphs.history.rollback import Clashing, LeftOut, NothingToUndo
from graphs.history.scopes import AsOf, Caused, ChangeSets, Scope
from graphs.models import ChangeSet, Graph
from graphs.objects.operations import Record
from graphs.objects.refs import Ref
from tests.graphs.random_changes import Story, after, happen, picture, state
from tests.graphs.recorded import recorded

FULL = bool(os.environ.get("FULL"))
EXAMPLES = 400 if FULL else 8
often = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    derandomize=not FULL,
    # Explaining a failure would trace every line of Django, also while nothing fails.
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@contextmanager
def forgotten() -> Iterator[None]:
    """What happens inside is as if it never did."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@often
@given(st.data())
def test_an_object_as_it_was(nba: Graph, alice: User, data: Any) -> None:
    with forgotten():
        story = happen(data.draw, nba, data.draw(st.integers(1, 8)))
        latest = story.version
        version = data.draw(st.integers(1, latest - 1))
        _back_and_forth(story, alice, AsOf("graph", nba.pk, version))


@often
@given(st.data())
def test_what_is_between_two_versions_leads_from_one_to_the_other(nba: Graph, data: Any) -> None:
    with forgotten():
        story = happen(data.draw, nba, data.draw(st.integers(1, 8)))
        a, b = (data.draw(st.integers(1, story.version)) for _ in range(2))
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(compare, "NEAR", data.draw(st.sampled_from([0, 500])))
            patched.setattr(compare, "FEW_FIELDS", data.draw(st.sampled_from([2, 2_000])))
            operations = between("graph", nba.pk, a, b)
        assert after(story.states[a - 1], list(operations)) == story.states[b - 1]


@often
@given(st.data())
def test_a_part_of_what_happened(nba: Graph, alice: User, data: Any) -> None:
    """Without a clash the graph is as if that part had never happened; with one nothing was changed."""
    with forgotten():
        story = happen(data.draw, nba, data.draw(st.integers(1, 8)))
        scopes: list[Scope] = [ChangeSets((done.change_set_id,)) for done in story.applied]
        scopes += [Caused(cause) for done in story.applied for cause in done.because.causes]
        scope = data.draw(st.sampled_from(scopes))
        before, made = picture(nba), ChangeSet.objects.count()
        try:
            _back_and_forth(story, alice, scope)
        except Clashing:
            assert (picture(nba), ChangeSet.objects.count()) == (before, made)
            _without_what_clashes(nba, alice, scope)


def _back_and_forth(story: Story, actor: User, scope: Scope) -> None:
    """Rolled back, it is as it was or as if that had not happened; and that undone, as before."""
    graph = story.graph
    before, digest = picture(graph), rollback.preview(graph.workspace_id, scope).digest
    try:
        done = rollback.roll_back(graph.workspace_id, actor, scope, digest=digest)
    except NothingToUndo:
        done = None
    if isinstance(scope, AsOf):
        assert picture(graph) == story.pictures[scope.version]
    elif (expected := _without(story, scope)) is not None:
        assert state(graph) == expected
    if done:
        rollback.roll_back(graph.workspace_id, actor, ChangeSets((done.change_set_id,)))
    assert picture(graph) == before


def _without(story: Story, scope: Scope) -> dict[Ref, Record] | None:
    """What there would be if only the rest had happened; None where the rest would not fit."""
    now = story.states[0]
    for done in story.applied:
        if isinstance(scope, ChangeSets) and done.change_set_id in scope.ids:
            continue
        if isinstance(scope, Caused) and scope.cause in done.because.causes:
            continue
        try:
            now = after(now, recorded(done))
        except (AssertionError, KeyError):
            return None
    return now


def _without_what_clashes(graph: Graph, actor: User, scope: Scope) -> None:
    """Whoever leaves out what clashes, again and again, gets the rest."""
    left: set[LeftOut] = set()
    for _round in range(20):
        plan = rollback.preview(graph.workspace_id, scope, left)
        more = {LeftOut(clash.item, clash.field) for _graph, clash in plan.clashes} - left
        if not more:
            break
        left |= more
    assert not plan.clashes
    try:
        rollback.roll_back(graph.workspace_id, actor, scope, left, digest=plan.digest)
    except NothingToUndo:
        assert not plan.operations
