from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from chat.models import Allowance, ProposalStatus, Session, ValidationRule
from chat.proposals import policy
from graphs.models import Workspace
from graphs.objects.operations import Create, Delete, Operation, Update
from graphs.objects.refs import Ref
from tests.chat.admin.talk import talk
from tests.graphs.admin.staff import auditor
from tests.things import Thing, beside, type_of

pytestmark = pytest.mark.django_db
Ask = Callable[..., list[str]]


@pytest.fixture
def ask(alice: User, thing: Thing) -> Ask:
    """The levels that ask, for these operations; the thing gets another name if there are none."""
    session = talk(alice, thing.workspace).session

    def levels(*operations: Operation, requested: bool = False) -> list[str]:
        session.refresh_from_db()
        changes = operations or (thing.to("Fetch"),)
        return [each["level"] for each in policy.asked_by(session, thing.around, renaming(thing), changes, requested)]

    return levels


def renaming(thing: Thing) -> str:
    """The tool that gives it another name."""
    return f"propose_{thing.rename_call()[0]}"


def allow(thing: Thing, **values: Any) -> Allowance:
    named = {"workspace": thing.workspace, "tool": renaming(thing), "kind": thing.item.type}
    return Allowance.objects.create(**{**named, **values})


def test_as_delivered_everything_asks(ask: Ask) -> None:
    assert ask() == ["default"]


def test_each_level_asks_by_itself(ask: Ask, thing: Thing) -> None:
    allow(thing)
    assert ask() == []
    for level, workspace, tool in (
        ("app", None, ""), ("workspace", thing.workspace, ""), ("tool", None, renaming(thing))
    ):  # fmt: skip
        rule = ValidationRule.objects.create(workspace=workspace, tool=tool)
        assert ask() == [level]
        rule.delete()
    Session.objects.update(require_validation=True)
    assert ask() == ["session"]
    Session.objects.update(require_validation=False)
    assert ask(requested=True) == ["request"]


def test_it_names_every_level_that_asks(ask: Ask, thing: Thing) -> None:
    for workspace, tool in ((thing.workspace, renaming(thing)), (None, ""), (thing.workspace, "")):
        ValidationRule.objects.create(workspace=workspace, tool=tool)
    Session.objects.update(require_validation=True)
    assert ask(requested=True) == ["app", "workspace", "tool", "session", "request"]


def test_rules_of_others_do_not_ask(ask: Ask, thing: Thing, other_workspace: Workspace) -> None:
    allow(thing)
    ValidationRule.objects.create(workspace=other_workspace, tool="")
    ValidationRule.objects.create(workspace=None, tool=f"propose_{thing.delete_call()[0]}")
    assert ask() == []


@pytest.mark.parametrize(
    ("named", "passes"),
    [
        (lambda thing: {}, True),
        (lambda thing: {"field": thing.name}, True),
        (lambda thing: {"object_key": thing.around.key}, True),
        (lambda thing: {"item_key": thing.item.key}, True),
        (lambda thing: {"field": thing.text}, False),
        (lambda thing: {"object_key": "other"}, False),
        (lambda thing: {"object_key": beside(thing).item.key}, False),
        (lambda thing: {"item_key": beside(thing).item.key}, False),
        (lambda thing: {"kind": "edge"}, False),
        (lambda thing: {"tool": "propose_batch"}, False),
    ],
)
def test_an_allowance_lets_through_what_it_names(
    ask: Ask, thing: Thing, named: Callable[[Thing], dict[str, Any]], passes: bool
) -> None:
    allow(thing, **named(thing))
    assert ask() == ([] if passes else ["default"])


def test_an_allowance_of_another_workspace_does_not_count(ask: Ask, thing: Thing, other_workspace: Workspace) -> None:
    allow(thing, workspace=other_workspace)
    assert ask() == ["default"]


def test_every_field_and_every_operation_has_to_be_covered(ask: Ask, thing: Thing) -> None:
    allow(thing, field=thing.name)
    both = Update(thing.item, {thing.name: "a", thing.text: ""}, {thing.name: "b", thing.text: "x"})
    assert ask(both) == ["default"]
    assert ask(thing.to("Fetch"), Update(Ref("edge", "e"), {"label": ""}, {"label": "x"})) == ["default"]
    allow(thing, field=thing.text)
    assert ask(both) == []


def test_coming_and_going_is_covered_only_by_an_allowance_of_every_field(ask: Ask, thing: Thing) -> None:
    record = {thing.name: "x"}
    allow(thing, field=thing.name)
    assert ask(Create(thing.item, record)) == ["default"]
    assert ask(Delete(thing.item, record)) == ["default"]
    allow(thing)
    assert ask(Create(thing.item, record), Delete(thing.item, record)) == []


def test_an_allowance_for_one_object_is_none_for_another(ask: Ask, thing: Thing) -> None:
    """A proposal about one object may change others beside it."""
    other = type_of(thing.workspace, "step", "Step")
    given = allow(thing, kind="nodeType", object_key="nba")
    assert ask(other.to("Stride")) == ["default"]
    Allowance.objects.filter(pk=given.pk).update(object_key="step")
    assert ask(other.to("Stride")) == []
    assert ask(other.to("Stride"), thing.to("Fetch")) == ["default"]


#: A product is what has fields that are values within a JSON column.
with_paths = pytest.mark.parametrize("kind_of_thing", ["product"], indirect=True)


@with_paths
@pytest.mark.parametrize(
    ("field", "passes"), [("", True), ("data.problem", True), ("data.scores", False), ("data", False), ("name", False)]
)
def test_an_allowance_names_a_value_within_a_column(ask: Ask, thing: Thing, field: str, passes: bool) -> None:
    allow(thing, field=field)
    assert ask(Update(thing.item, {"data.problem": None}, {"data.problem": "Too dark"})) == (
        [] if passes else ["default"]
    )


@with_paths
def test_an_allowance_that_was_given_for_a_path_lets_a_proposal_through(alice: User, thing: Thing) -> None:
    """As an administrator gives it, and as a model calls."""
    client = auditor(thing.workspace)
    given = {"workspace": thing.workspace.pk, "tool": renaming(thing), "object_key": thing.item.key}
    assert _given(client, given | {"what": "product.data.absent"}) == 200
    assert _given(client, given | {"what": "product.data.problem"}) == 302
    allowance = Allowance.objects.get()
    assert (allowance.kind, allowance.field, allowance.object_key) == ("product", "data.problem", thing.item.key)
    session = talk(alice, thing.workspace).session
    (applied,) = thing.proposed(alice, thing.update_call(**{"data.problem": "Too dark"}), session=session)
    assert (applied.status, thing.record["data.problem"]) == (ProposalStatus.APPLIED, "Too dark")
    (waits,) = thing.proposed(
        alice, thing.update_call(**{"data.problem": "Dark", "data.scores": {"a": 1}}), session=session
    )
    assert waits.asked_by == [{"level": "default", "why": "product.data.scores"}]
    assert thing.record["data.problem"] == "Too dark"


def _given(client: Client, fields: dict[str, Any]) -> int:
    return client.post(reverse("admin:chat_allowance_add"), fields).status_code
