from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.models import Allowance, Session, ValidationRule
from chat.proposals import policy
from graphs.models import Graph, Workspace
from graphs.objects.operations import Create, Delete, Operation, Update
from graphs.objects.refs import Ref
from tests.chat.admin.talk import talk

pytestmark = pytest.mark.django_db
TOOL = "propose_update_node"
FETCH = Ref("node", "fetch-api")
RENAME = Update(FETCH, {"name": "Fetch API"}, {"name": "Fetch"})
Ask = Callable[..., list[str]]


@pytest.fixture
def ask(alice: User, nba: Graph) -> Ask:
    """The levels that ask, for these operations."""
    session = talk(alice, nba.workspace).session

    def levels(*operations: Operation, requested: bool = False, tool: str = TOOL) -> list[str]:
        session.refresh_from_db()
        return [each["level"] for each in policy.asked_by(session, nba, tool, operations or (RENAME,), requested)]

    return levels


def allow(workspace: Workspace, **values: Any) -> Allowance:
    return Allowance.objects.create(workspace=workspace, **{"tool": TOOL, "kind": "node", **values})


def test_as_delivered_everything_asks(ask: Ask) -> None:
    assert ask() == ["default"]


def test_each_level_asks_by_itself(ask: Ask, demo_workspace: Workspace) -> None:
    allow(demo_workspace)
    assert ask() == []
    for level, workspace, tool in (("app", None, ""), ("workspace", demo_workspace, ""), ("tool", None, TOOL)):
        rule = ValidationRule.objects.create(workspace=workspace, tool=tool)
        assert ask() == [level]
        rule.delete()
    Session.objects.update(require_validation=True)
    assert ask() == ["session"]
    Session.objects.update(require_validation=False)
    assert ask(requested=True) == ["request"]


def test_it_names_every_level_that_asks(ask: Ask, demo_workspace: Workspace) -> None:
    for workspace, tool in ((demo_workspace, TOOL), (None, ""), (demo_workspace, "")):
        ValidationRule.objects.create(workspace=workspace, tool=tool)
    Session.objects.update(require_validation=True)
    assert ask(requested=True) == ["app", "workspace", "tool", "session", "request"]


def test_rules_of_others_do_not_ask(ask: Ask, demo_workspace: Workspace, other_workspace: Workspace) -> None:
    allow(demo_workspace)
    ValidationRule.objects.create(workspace=other_workspace, tool="")
    ValidationRule.objects.create(workspace=None, tool="propose_delete_node")
    assert ask() == []


@pytest.mark.parametrize(
    ("given", "passes"),
    [
        ({}, True),
        ({"field": "name"}, True),
        ({"object_key": "nba"}, True),
        ({"item_key": "fetch-api"}, True),
        ({"field": "process"}, False),
        ({"object_key": "other"}, False),
        ({"item_key": "root"}, False),
        ({"kind": "edge"}, False),
        ({"tool": "propose_batch"}, False),
    ],
)
def test_an_allowance_lets_through_what_it_names(
    ask: Ask, demo_workspace: Workspace, given: dict[str, Any], passes: bool
) -> None:
    allow(demo_workspace, **given)
    assert ask() == ([] if passes else ["default"])


def test_an_allowance_of_another_workspace_does_not_count(ask: Ask, other_workspace: Workspace) -> None:
    allow(other_workspace)
    assert ask() == ["default"]


def test_every_field_and_every_operation_has_to_be_covered(ask: Ask, demo_workspace: Workspace) -> None:
    allow(demo_workspace, field="name")
    both = Update(FETCH, {"name": "a", "process": ""}, {"name": "b", "process": "x"})
    assert ask(both) == ["default"]
    assert ask(RENAME, Update(Ref("edge", "e"), {"label": ""}, {"label": "x"})) == ["default"]
    allow(demo_workspace, field="process")
    assert ask(both) == []


def test_coming_and_going_is_covered_only_by_an_allowance_of_every_field(ask: Ask, demo_workspace: Workspace) -> None:
    record = {"name": "x"}
    allow(demo_workspace, field="name")
    assert ask(Create(FETCH, record)) == ["default"]
    assert ask(Delete(FETCH, record)) == ["default"]
    allow(demo_workspace)
    assert ask(Create(FETCH, record), Delete(FETCH, record)) == []


def test_an_allowance_for_one_object_is_none_for_another(ask: Ask, demo_workspace: Workspace) -> None:
    """A proposal about one object may change others beside it."""
    rename = Update(Ref("nodeType", "step"), {"displayName": "Step"}, {"displayName": "Stride"})
    given = allow(demo_workspace, kind="nodeType", object_key="nba")
    assert ask(rename) == ["default"]
    Allowance.objects.filter(pk=given.pk).update(object_key="step")
    assert ask(rename) == []
    assert ask(rename, RENAME) == ["default"]
