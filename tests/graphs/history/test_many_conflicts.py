"""Thousands of later edits in the way of a rollback: counted all, named some, in as many statements as a few."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from graphs.api.history import MOST_UNDOING
from graphs.api.rollback_json import PreviewShape
from graphs.history import changes, rollback
from graphs.history.outside import begin_history
from graphs.history.recording import Because
from graphs.history.rollback_conflicts import MOST_NAMED, named
from graphs.history.scopes import ChangeSets
from graphs.models import ChangeSet, Object, Origin, Role, UseCase, Workspace
from graphs.objects.headers import header_of
from graphs.objects.kinds import KINDS
from graphs.objects.operations import Update
from graphs.objects.refs import Ref
from graphs.site.access import Member
from tests.cast import signed_in
from tests.graphs.admin.staff import auditor
from tests.graphs.api.callers import post_json, problem
from tests.graphs.api.documented import check

pytestmark = pytest.mark.django_db
USECASE = KINDS["usecase"]


def made(workspace: Workspace, count: int) -> list[Object]:
    rows = UseCase.objects.bulk_create(UseCase(workspace=workspace, data={"name": f"n{n}"}) for n in range(count))
    found = [header_of(USECASE, workspace.pk, row) for row in rows]
    for header in found:
        begin_history(header)
    return found


def edited(headers: list[Object], old: str | None, new: str, who: User | None = None) -> ChangeSet:
    operations = [Update(Ref(of.type, of.key), {"data.problem": old}, {"data.problem": new}) for of in headers]
    done = changes.apply(headers[0], operations, Because(who, Origin.MANUAL))
    return ChangeSet.objects.get(pk=done.change_set_id)


def statements(of: ChangeSet) -> int:
    reader = Member(User(), Workspace.objects.get(slug="demo"), Role.VIEWER)
    with CaptureQueriesContext(connection) as captured:
        PreviewShape.of(rollback.preview(of.workspace, ChangeSets((of.pk,))), reader).to_json()
    return len(captured)


def changed_twice(workspace: Workspace, count: int, who: User | None = None) -> ChangeSet:
    headers = made(workspace, count)
    first = edited(headers, None, "a")
    edited(headers, "a", "b", who)
    return first


def test_many_conflicts_take_as_many_statements_as_few(demo_workspace: Workspace) -> None:
    few, many = changed_twice(demo_workspace, 3), changed_twice(demo_workspace, 60)
    assert statements(many) == statements(few)


def test_a_result_without_conflicts_takes_as_many_statements_for_many_objects(demo_workspace: Workspace) -> None:
    few, many = edited(made(demo_workspace, 3), None, "a"), edited(made(demo_workspace, 60), None, "a")
    assert statements(many) == statements(few)


def test_each_conflict_is_named_with_its_own_author(demo_workspace: Workspace, alice: User, bob: User) -> None:
    headers = made(demo_workspace, 3)
    first = edited(headers, None, "a")
    of_alice, of_bob = edited(headers[:1], "a", "b", alice), edited(headers[1:], "a", "c", bob)

    told = named(rollback.preview(demo_workspace.pk, ChangeSets((first.pk,))))

    assert [(each.label, each.changed_by, each.change_set_id) for each in told] == [
        ("n0", "alice", str(of_alice.pk)),
        ("n1", "bob", str(of_bob.pk)),
        ("n2", "bob", str(of_bob.pk)),
    ]


def test_of_many_conflicts_the_first_are_told_and_all_are_counted(demo_workspace: Workspace, alice: User) -> None:
    count = MOST_NAMED + 7
    first = changed_twice(demo_workspace, count, alice)
    client, path = signed_in(alice), f"/api/v1/history/{first.pk}/rollback"

    shown = post_json(client, path, {"preview": True})
    check(shown)
    with CaptureQueriesContext(connection) as captured:
        refused = problem(post_json(client, path, {"reason": "x"}), 409, "conflict")

    for told in (shown.json(), refused):
        assert (len(told["conflicts"]), told["conflictCount"]) == (MOST_NAMED, count)
        assert {each["changedBy"] for each in told["conflicts"]} == {"alice"}
    assert len(captured) < count

    left = [{"object": each["object"], "field": each["field"]} for each in refused["conflicts"]]
    rest = post_json(client, path, {"preview": True, "leaveOut": left}).json()
    assert (len(rest["conflicts"]), rest["conflictCount"]) == (7, 7)
    left += [{"object": each["object"], "field": each["field"]} for each in rest["conflicts"]]
    last = post_json(client, path, {"preview": True, "leaveOut": left}).json()
    assert (last["conflicts"], last["conflictCount"], len(last["leftOut"])) == ([], 0, count)


def test_of_many_that_took_it_back_already_the_first_are_told(demo_workspace: Workspace, alice: User) -> None:
    client, done = signed_in(alice), []
    for header in made(demo_workspace, MOST_UNDOING + 2):
        done.append(str(edited([header], None, "a").pk))
        assert post_json(client, f"/api/v1/history/{done[-1]}/rollback", {}).status_code == 201
    told = problem(post_json(client, "/api/v1/history/rollback", {"scope": {"changeSets": done}}), 409, "undone")
    assert (len(told["undoneBy"]), told["undoneByCount"]) == (20, MOST_UNDOING + 2)


def test_objects_that_are_gone_are_counted_with_the_others(demo_workspace: Workspace, alice: User) -> None:
    headers = made(demo_workspace, MOST_NAMED + 2)
    first = edited(headers, None, "a")
    UseCase.objects.all().delete()
    Object.objects.filter(pk__in=[of.pk for of in headers]).delete()

    told = problem(post_json(signed_in(alice), f"/api/v1/history/{first.pk}/rollback", {}), 409, "conflict")

    assert (len(told["conflicts"]), told["conflictCount"]) == (MOST_NAMED, MOST_NAMED + 2)
    assert {each["code"] for each in told["conflicts"]} == {"gone"}


def test_the_page_of_the_admin_names_some_and_counts_the_rest(demo_workspace: Workspace) -> None:
    first = changed_twice(demo_workspace, MOST_NAMED + 7)
    page = f"/admin/graphs/changeset/{first.pk}/rollback/"
    text = auditor(demo_workspace).get(page).content.decode()
    assert text.count("It was changed since.") == MOST_NAMED
    assert "and 7 more conflicts" in text
