"""Minor fields of records pass without asking only where an allowance of the workspace says so."""

from typing import Any

from django.contrib.auth.models import User

from chat.models import Allowance, ProposalStatus
from graphs.history.outside import catch_up
from graphs.models import UseCase, Workspace
from graphs.objects.headers import existing
from graphs.objects.refs import Ref
from tests.graphs.records.asking import name_of
from tests.proposed import waiting


def proposed(alice: User, picking: UseCase, **updates: Any) -> str:
    """What becomes of a change that the model proposes."""
    around = existing(picking.workspace_id, Ref.parse(name_of(picking)))
    assert around is not None
    catch_up([around])
    (proposal,) = waiting(alice, around, ("update_object", {"object": name_of(picking), "updates": updates}))
    picking.refresh_from_db()
    return proposal.status


def allow(workspace: Workspace, **which: str) -> None:
    Allowance.objects.create(workspace=workspace, tool="propose_update_object", kind="usecase", **which)


def test_without_an_allowance_every_field_asks(alice: User, picking: UseCase, other_workspace: Workspace) -> None:
    allow(other_workspace, field="data.contact")
    for updates in ({"data.contact": "Ann"}, {"data.*": {"owner": "Ann"}}):
        assert proposed(alice, picking, **updates) == ProposalStatus.PENDING
    assert "contact" not in picking.data


def test_an_allowance_lets_its_field_through_and_no_other(alice: User, picking: UseCase) -> None:
    allow(picking.workspace, field="data.contact")
    assert proposed(alice, picking, **{"data.contact": "Ann"}) == ProposalStatus.APPLIED
    assert picking.data["contact"] == "Ann"
    for updates in ({"data.problem": "Other"}, {"data.contact": "Bea", "data.problem": "Other"}):
        assert proposed(alice, picking, **updates) == ProposalStatus.PENDING
    assert (picking.data["contact"], picking.data["problem"]) == ("Ann", "Long ways.")


def test_an_allowance_of_one_record_is_of_no_other(alice: User, picking: UseCase, labels: UseCase) -> None:
    allow(picking.workspace, field="data.contact", object_key=str(picking.pk))
    assert proposed(alice, labels, **{"data.contact": "Ann"}) == ProposalStatus.PENDING
    assert proposed(alice, picking, **{"data.contact": "Ann"}) == ProposalStatus.APPLIED
