"""Whatever happened to rows of an application: rolled back they are what they were, or what is in the way is named."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from hypothesis import given
from hypothesis import strategies as st

from graphs.history import rollback
from graphs.history.compare import between
from graphs.history.rollback import Clashing, NothingToUndo
from graphs.history.scopes import AsOf, ChangeSets
from graphs.models import Modification
from graphs.objects.refs import Ref
from graphs.site.access import Member, member_of
from tests.graphs.random_changes import after
from tests.graphs.random_rows import RowStory, happen, state
from tests.graphs.test_rollback_of_anything import forgotten, often
from tests.registered import product, shops
from tests.shop.models import Shop


@pytest.fixture
def member(alice: User) -> Iterator[Member]:
    """Of a workspace with two shops, and products in one of them."""
    with shops():
        corner, _market = (Shop.objects.create(workspace=alice.memberships.get().workspace, name=n) for n in "AB")
        for name in ("Lamp", "Chair"):
            product(corner, name, data={"problem": {"a": [1, 1.0, True]}, "other": 1})
        yield member_of(alice)


@often
@given(st.data())
def test_a_row_as_it_was(member: Member, data: Any) -> None:
    with forgotten():
        story = happen(data.draw, member, data.draw(st.integers(1, 8)))
        header = data.draw(st.sampled_from(sorted(story.versions)))
        version = data.draw(st.sampled_from(sorted(story.versions[header])))
        before = state(member)
        try:
            done = rollback.roll_back(member.workspace.pk, member.user, AsOf("product", header, version))
        except NothingToUndo:
            done = None
        key = _key(story, header)
        assert state(member) == {**before, key: story.versions[header][version]}
        if done:
            rollback.roll_back(member.workspace.pk, member.user, ChangeSets((done.change_set_id,)))
        assert state(member) == before


@often
@given(st.data())
def test_what_is_between_two_versions_of_a_row(member: Member, data: Any) -> None:
    with forgotten():
        story = happen(data.draw, member, data.draw(st.integers(1, 8)))
        header = data.draw(st.sampled_from(sorted(story.versions)))
        known = story.versions[header]
        a, b = (data.draw(st.sampled_from(sorted(known))) for _ in range(2))
        ref = Ref("product", _key(story, header))
        operations = list(between("product", header, a, b))
        assert after({ref: known[a]}, operations) == {ref: known[b]}


@often
@given(st.data())
def test_a_change_set_of_rows(member: Member, data: Any) -> None:
    """Taken back, and that again, all is as before; or something stands in the way and nothing was changed."""
    with forgotten():
        happen(data.draw, member, data.draw(st.integers(1, 8)))
        made = list(Modification.objects.order_by("id").values_list("change_set", flat=True).distinct())
        if not made:
            return
        scope, before = ChangeSets((data.draw(st.sampled_from(made)),)), state(member)
        try:
            done = rollback.roll_back(member.workspace.pk, member.user, scope)
        except (Clashing, NothingToUndo):
            assert state(member) == before
        else:
            assert state(member) != before
            rollback.roll_back(member.workspace.pk, member.user, ChangeSets((done.change_set_id,)))
            assert state(member) == before


def _key(story: RowStory, header: int) -> str:
    return str(Modification.objects.filter(object=header).values_list("key", flat=True).first() or _only(story, header))


def _only(story: RowStory, header: int) -> str:
    """Of an object that never changed."""
    (record,) = story.versions[header].values()
    return next(key for key, each in story.states[0].items() if each == record)
