"""Proposals about objects of any kind: rows of a registered model."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction

from chat.actions import deciding
from chat.actions.deciding import Decision
from chat.actions.refusals import Refused
from chat.models import Allowance, AlwaysSend, Proposal, ProposalStatus
from chat.prompts.decisions import result_of
from chat.proposals import Proposed, WriteCall, propose
from chat.proposals.proposal_json import brief_json, proposal_json
from graphs.models import Company, Folder, Graph, Modification, Object, Revision, UseCase, Workspace
from graphs.objects import actions
from graphs.objects.actions import ChangeRefused
from graphs.objects.headers import object_for
from graphs.objects.kinds import KINDS, Kind
from graphs.objects.refs import Ref
from graphs.site.access import Forbidden, Member, member_of
from tests.chat.admin.talk import Talk, talk
from tests.registered import pin, pins

pytestmark = pytest.mark.django_db


@pytest.fixture
def kind() -> Iterator[Kind]:
    with pins() as registered:
        yield registered


@pytest.fixture
def member(alice: User, nba: Graph) -> Member:
    return member_of(alice)


@pytest.fixture
def spring(kind: Kind, member: Member) -> AlwaysSend:
    return pin(member.workspace, "spring")


def ask(member: Member, action: str, about: Object | None = None, **arguments: Any) -> Proposal:
    return _propose(member, action, about, arguments).proposal


def _propose(member: Member, action: str, about: Object | None, arguments: dict[str, Any]) -> Proposed:
    found: Talk = talk(member.user, member.workspace)
    write = WriteCall("c1", f"propose_{action}", actions.parse(action, arguments), arguments, "Better.")
    with transaction.atomic():
        return propose(member, found.session, found.run.message, about, write)


def name_of(row: AlwaysSend) -> str:
    return f"pin:{row.pk}"


def approve(member: Member, proposal: Proposal, **values: Any) -> Proposal:
    return deciding.decide(member, str(proposal.pk), Decision(True, **values)).proposal


def test_an_object_is_changed_as_it_was_shown(member: Member, spring: AlwaysSend) -> None:
    proposal = ask(member, "update_object", object=name_of(spring), updates={"part_key": "flowers"})
    assert (proposal.object_type, proposal.object_key) == ("pin", str(spring.pk))
    assert proposal.asked_by == [{"level": "default", "why": "pin.part_key"}]
    assert proposal_json(proposal).objects == [{"type": "pin", "id": str(spring.pk), "version": 1}]
    assert proposal_json(proposal).objects == brief_json(proposal).objects
    assert AlwaysSend.objects.get().part_key == ""

    assert approve(member, proposal).status == ProposalStatus.APPLIED
    assert AlwaysSend.objects.get().part_key == "flowers"
    assert Revision.objects.filter(type="pin", key=str(spring.pk), version=2).exists()


def test_a_conversation_about_a_graph_may_propose_for_another_object(
    member: Member, spring: AlwaysSend, nba: Graph
) -> None:
    proposal = ask(member, "update_object", nba, object=name_of(spring), updates={"part_key": "flowers"})
    assert proposal.object_type == "pin"
    step = {"tool": "propose_update_object", "arguments": {"object": name_of(spring), "updates": {"part_key": "x"}}}
    node = {"tool": "propose_delete_node", "arguments": {"nodeKey": "fetch-api"}}
    both = ask(member, "batch", nba, actions=[step, node])
    assert both.object_type == "graph"
    assert {each["type"] for each in proposal_json(both).objects} == {"graph", "pin"}
    with pytest.raises(ChangeRefused, match=r"about nothing that has such parts\. Name the objects"):
        ask(member, "batch", None, actions=[step, node])


def test_what_comes_and_goes(member: Member, spring: AlwaysSend) -> None:
    created = ask(member, "create_object", kind="pin", fields={"object_key": "autumn"})
    assert (created.object_id, created.object_type) == (None, "pin")
    assert proposal_json(created).objects[0]["version"] == 0
    assert approve(member, created).status == ProposalStatus.APPLIED
    assert AlwaysSend.objects.filter(pk=created.object_key, object_key="autumn").exists()

    deleted = ask(member, "delete_object", object=name_of(spring))
    assert approve(member, deleted).status == ProposalStatus.APPLIED
    assert not AlwaysSend.objects.filter(object_key="spring").exists()


def test_a_use_case_keeps_the_model_that_wrote_it(member: Member) -> None:
    made = ask(member, "create_object", kind="usecase", fields={"data.name": "Slots"})
    model = made.message.model
    assert model
    approve(member, made)
    row = UseCase.objects.get(pk=made.object_key)
    assert row.model == model

    approve(member, ask(member, "update_object", object=f"usecase:{row.pk}", updates={"data.name": "More slots"}))
    version = Revision.objects.get(key=made.object_key, version=1)
    assert Modification.objects.get(change_set=version.change_set, action="create").new["model"] == model
    assert UseCase.objects.get(pk=row.pk).model == model


def test_foreign_and_hidden_objects_are_as_absent(
    member: Member, spring: AlwaysSend, other_workspace: Workspace
) -> None:
    foreign = pin(other_workspace, "secret")
    told = set()
    for key in (str(foreign.pk), "999999"):
        with pytest.raises(ChangeRefused) as refused:
            ask(member, "update_object", object=f"pin:{key}", updates={"part_key": "x"})
        told.add(str(refused.value).replace(key, "KEY"))
    assert told == {'There is no "pin:KEY".'}
    assert not Proposal.objects.exists()
    assert not Object.objects.filter(workspace=other_workspace, type="pin").exists()


def test_an_object_that_the_person_may_not_see_is_absent_to_the_model(member: Member) -> None:
    with pins(may_see=lambda _member, row: row.object_key != "hidden"):
        row = pin(member.workspace, "hidden")
        with pytest.raises(ChangeRefused, match="There is no"):
            ask(member, "update_object", object=name_of(row), updates={"part_key": "x"})


def test_who_may_not_change_an_object_neither_proposes_nor_approves(member: Member) -> None:
    allowed = [True]
    with pins(may_edit=lambda _member, _row: allowed[0]):
        row = pin(member.workspace, "spring")
        waiting = ask(member, "update_object", object=name_of(row), updates={"part_key": "x"})
        allowed[0] = False
        with pytest.raises(ChangeRefused, match="may not be changed"):
            ask(member, "update_object", object=name_of(row), updates={"part_key": "x"})
        with pytest.raises(Forbidden):
            approve(member, waiting)
    waiting.refresh_from_db()
    assert waiting.status == ProposalStatus.PENDING
    assert AlwaysSend.objects.get().part_key == ""


def test_edited_arguments_are_no_way_around_it(member: Member, spring: AlwaysSend, other_workspace: Workspace) -> None:
    foreign = pin(other_workspace, "secret")
    waiting = ask(member, "update_object", object=name_of(spring), updates={"part_key": "x"})
    with pytest.raises(Refused, match="There is no"):
        deciding.preview(member, str(waiting.pk), {"object": name_of(foreign), "updates": {"part_key": "x"}})


def test_what_the_model_refuses_in_the_end_is_told(
    member: Member, spring: AlwaysSend, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposal = ask(member, "update_object", object=name_of(spring), updates={"part_key": "x"})

    def refuse(_row: AlwaysSend) -> None:
        raise ValidationError("Only on Mondays.")

    monkeypatch.setattr(AlwaysSend, "clean", refuse)
    with pytest.raises(Refused, match="Only on Mondays") as refused:
        approve(member, proposal)
    assert refused.value.code == "failed"
    proposal.refresh_from_db()
    assert (proposal.status, proposal.problem) == (ProposalStatus.FAILED, "Only on Mondays.")
    assert brief_json(proposal).problem == "Only on Mondays."
    assert "Only on Mondays" in result_of(proposal)["error"]


def test_saves_past_this_program_make_it_stale(member: Member, spring: AlwaysSend) -> None:
    proposal = ask(member, "update_object", object=name_of(spring), updates={"part_key": "x"})
    AlwaysSend.objects.update(part_key="meanwhile")
    with pytest.raises(Refused) as refused:
        approve(member, proposal)
    assert refused.value.code == "stale"
    assert refused.value.extra["conflicts"][0]["found"] == "meanwhile"


def test_what_a_row_that_was_deleted_meanwhile_was_proposed_is_stale(member: Member, spring: AlwaysSend) -> None:
    proposal = ask(member, "update_object", object=name_of(spring), updates={"part_key": "x"})
    AlwaysSend.objects.all().delete()
    with pytest.raises(Refused, match="deleted meanwhile") as refused:
        approve(member, proposal)
    assert refused.value.code == "stale"
    assert [(each["object"], each["found"]) for each in refused.value.extra["conflicts"]] == [
        (proposal.ref.to_json(), None)
    ]


def test_what_is_of_a_kind_that_nobody_registers_any_more_fails(member: Member, spring: AlwaysSend) -> None:
    proposal = ask(member, "update_object", object=name_of(spring), updates={"part_key": "x"})
    other = ask(member, "update_object", object=name_of(spring), updates={"part_key": "y"})
    with pytest.MonkeyPatch.context() as patched:
        patched.delitem(KINDS, "pin")
        with pytest.raises(Refused, match="pin is no longer known here"):
            deciding.preview(member, str(proposal.pk), None)
        with pytest.raises(Refused, match="pin is no longer known here") as refused:
            approve(member, proposal)
        assert refused.value.code == "failed"
        assert deciding.decide(member, str(other.pk), Decision(False)).proposal.status == ProposalStatus.REJECTED
    assert AlwaysSend.objects.get().part_key == ""


def test_an_allowance_lets_it_through(member: Member, spring: AlwaysSend) -> None:
    tool = "propose_update_object"
    Allowance.objects.create(workspace=member.workspace, tool=tool, kind="pin", field="part_key")
    proposal = ask(member, "update_object", object=name_of(spring), updates={"part_key": "x"})
    assert (proposal.status, result_of(proposal)["asked"]) == (ProposalStatus.APPLIED, False)
    about = object_for(member, Ref("pin", str(spring.pk)))
    other = ask(member, "update_object", about, object=name_of(spring), updates={"object_key": "y"})
    assert other.status == ProposalStatus.PENDING


def test_a_deletion_is_shown_from_what_holds_down_to_what_is_held_by_title(member: Member) -> None:
    company = Company.objects.create(workspace=member.workspace, name="Northwind")
    for name in ("Yard", "Offices"):
        folder = Folder.objects.create(workspace=member.workspace, company=company, name=name)
        for title in ("Zones", "Alarms", "badges"):
            UseCase.objects.create(workspace=member.workspace, folder=folder, data={"name": f"{title} of {name}"})
    proposal = ask(member, "delete_object", object=f"company:{company.pk}")
    assert [entry["label"] for entry in proposal.diff] == [
        "Northwind",
        "Offices", "Alarms of Offices", "badges of Offices", "Zones of Offices",
        "Yard", "Alarms of Yard", "badges of Yard", "Zones of Yard",
    ]  # fmt: skip
