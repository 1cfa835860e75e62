"""A company that goes with all below it and comes back: bit by bit as it was, in few statements."""

import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphs.history import editing, rollback
from graphs.history.scopes import ChangeSets
from graphs.models import Company, Folder, Object, UseCase, Workspace
from graphs.objects import model_batches
from graphs.objects.actions import ChangeRefused, DeleteObject
from graphs.objects.headers import existing
from graphs.objects.refs import Ref
from graphs.site.access import Member, member_of
from tests.graphs.objects.test_many_changes import asked


def rows() -> list[Any]:
    """Every column of every record."""
    return [row for model in (Company, Folder, UseCase) for row in model._default_manager.order_by("pk").values()]


def versions() -> dict[int, tuple[str, int]]:
    return {pk: (key, version) for pk, key, version in Object.objects.values_list("pk", "key", "version")}


def delete(member: Member, company: Company) -> tuple[uuid.UUID, list[str]]:
    of = existing(member.workspace.pk, Ref("company", str(company.pk)))
    assert of is not None
    gone = DeleteObject.model_validate({"object": f"company:{company.pk}"})
    with CaptureQueriesContext(connection) as captured:
        done = editing.edit(member, of, editing.Request([gone]))
    return done, asked(captured)


def undo(member: Member, change_set: uuid.UUID) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        rollback.roll_back(member.workspace.pk, member.user, ChangeSets((change_set,)))
    return asked(captured)


def company_of(workspace: Workspace, use_cases: int) -> Company:
    company = Company.objects.create(workspace=workspace, name="Northwind")
    folder = Folder.objects.create(workspace=workspace, company=company, name="Warehouse")
    UseCase.objects.bulk_create(
        UseCase(workspace=workspace, folder=folder, data={"name": f"U{number}", "other": [number, 1.0]}, model="demo")
        for number in range(use_cases)
    )
    return company


@pytest.mark.faults
def test_two_thousand_use_cases_come_back_in_twelve_statements(demo_workspace: Workspace, alice: User) -> None:
    member, company = member_of(alice), company_of(demo_workspace, 2_000)
    before = rows()
    done, deleting = delete(member, company)
    assert rows() == []
    undoing = undo(member, done)
    assert rows() == before
    assert set(Object.objects.values_list("type", "version")) >= {("company", 3), ("folder", 3), ("usecase", 3)}
    assert len(undoing) <= 12, [statement[:120] for statement in undoing]
    assert len(deleting) <= 28, [statement[:120] for statement in deleting]


@pytest.mark.faults
def test_five_thousand_go_with_their_company_and_one_more_is_refused(demo_workspace: Workspace, alice: User) -> None:
    member, company = member_of(alice), company_of(demo_workspace, 4_999)  # and their folder
    before = rows()
    done, _deleting = delete(member, company)
    assert rows() == []
    undo(member, done)
    assert rows() == before
    UseCase.objects.create(workspace=demo_workspace, folder=Folder.objects.get(), data={"name": "One more"})
    with pytest.raises(
        ChangeRefused, match=r"^“Northwind” would go with more than 5,000 objects\. Delete some of them"
    ):
        delete(member, company)
    assert UseCase.objects.count() == 5_000


def test_many_go_in_as_many_statements_as_few(demo_workspace: Workspace, alice: User) -> None:
    member = member_of(alice)
    few, many = company_of(demo_workspace, 2), company_of(demo_workspace, 250)
    counted = []
    for company in (few, many):
        undo(member, delete(member, company)[0])  # the histories have begun, and all have headers
        done, deleting = delete(member, company)
        counted.append((len(deleting), len(undo(member, done))))
    assert counted[0] == counted[1]
    assert counted[0] <= (23, 12)


def test_what_other_code_puts_there_meanwhile_is_not_taken_along(
    demo_workspace: Workspace, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    member, company = member_of(alice), company_of(demo_workspace, 2)
    delete_all = model_batches.delete_all

    def late(rows: Any) -> bool:
        if isinstance(rows[0], Folder):
            UseCase.objects.bulk_create([UseCase(workspace=demo_workspace, folder=rows[0], data={"name": "Late"})])
        return delete_all(rows)

    monkeypatch.setattr(model_batches, "delete_all", late)
    with pytest.raises(ChangeRefused, match="The database refuses this"):
        delete(member, company)
    assert UseCase.objects.count() == 2
    monkeypatch.undo()
    delete(member, company)
    assert rows() == []


def test_what_went_while_it_was_planned_is_not_missed(
    demo_workspace: Workspace, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    member, company = member_of(alice), company_of(demo_workspace, 3)
    planned, gone = editing.plan, [UseCase.objects.earliest("pk").pk]

    def late(*asked: Any, **more: Any) -> Any:
        found = planned(*asked, **more)
        if gone:  # which the refused change takes back with it, as all is done by one connection here
            UseCase.objects.filter(pk=gone.pop()).delete()
        return found

    monkeypatch.setattr(editing, "plan", late)
    done, _deleting = delete(member, company)
    assert rows() == []
    undo(member, done)
    assert UseCase.objects.count() == 3


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
OTHERS = st.dictionaries(TEXTS.filter(bool), st.one_of(st.none(), st.booleans(), st.integers(-9, 9), TEXTS), max_size=3)


@given(
    st.lists(st.lists(st.tuples(TEXTS.map(lambda text: f"U{text}".strip()), OTHERS), max_size=4), max_size=3),
    st.integers(1, 3),
)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_a_company_holds_comes_back_as_it_was(
    demo_workspace: Workspace, alice: User, folders: list[list[tuple[str, dict[str, Any]]]], times: int
) -> None:
    member = member_of(alice)
    company = Company.objects.create(workspace=demo_workspace, name="N", size="Größe", status="archived")
    for held in folders:
        folder = Folder.objects.create(workspace=demo_workspace, company=company, name="F")
        for name, others in held:
            data = {f"x{key}": value for key, value in others.items()} | {"name": name}
            UseCase.objects.create(workspace=demo_workspace, folder=folder, data=data, status="ready")
    before = rows()
    seen: dict[int, tuple[str, int]] = {}
    for _ in range(times):
        done, _statements = delete(member, company)
        assert not Company.objects.filter(pk=company.pk).exists()
        undo(member, done)
        assert rows() == before
        now = versions()
        assert all(now[pk][0] == key and now[pk][1] > version for pk, (key, version) in seen.items())
        keys = {str(row["id"]) for row in rows() if company.pk in (row["id"], row.get("company_id"))}
        seen = {pk: each for pk, each in versions().items() if each[0] in keys}
        assert len(seen) == 1 + len(folders)
