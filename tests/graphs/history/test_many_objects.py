"""Change sets of many objects: lists and pages name the first ones and the one that was asked for, and count all."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from graphs.api.history_json import OBJECTS_SHOWN
from graphs.models import Object, Workspace
from tests.cast import signed_in
from tests.graphs.admin.staff import auditor
from tests.graphs.api.callers import post_json
from tests.graphs.api.test_history import read
from tests.graphs.history.test_many_conflicts import edited, made

pytestmark = pytest.mark.django_db
MANY = OBJECTS_SHOWN + 30


def ids(told: dict[str, list[dict[str, str]]]) -> list[str]:
    return [each["id"] for each in told["objects"]]


def keys(headers: list[Object]) -> list[str]:
    return [of.key for of in headers]


def test_a_version_tells_of_the_first_objects_and_of_the_one_asked_for(demo_workspace: Workspace, alice: User) -> None:
    headers = made(demo_workspace, MANY)
    edited(headers, None, "a")
    client = signed_in(alice)
    first, last = (read(client, object=f"usecase:{of.key}")["results"][0] for of in (headers[0], headers[-1]))
    assert ids(first) == keys(headers[:OBJECTS_SHOWN])
    assert ids(last) == keys([*headers[:OBJECTS_SHOWN], headers[-1]])
    assert first["objectCount"] == last["objectCount"] == MANY


def test_versions_of_large_change_sets_take_as_many_statements_as_of_small_ones(
    demo_workspace: Workspace, alice: User
) -> None:
    client = signed_in(alice)
    taken = []
    for count in (2, MANY):
        headers = made(demo_workspace, count)
        for old, new in ((None, "a"), ("a", "b"), ("b", "c")):
            edited(headers, old, new)
        with CaptureQueriesContext(connection) as captured:
            page = read(client, object=f"usecase:{headers[0].key}")
        assert [len(each["objects"]) for each in page["results"][:3]] == [min(count, OBJECTS_SHOWN)] * 3
        taken.append(len(captured))
    assert taken[0] == taken[1]


def test_a_change_set_is_paged_through_by_its_modifications(demo_workspace: Workspace, alice: User) -> None:
    headers = made(demo_workspace, MANY)
    done = edited(headers, None, "a")
    client = signed_in(alice)
    page = read(client, f"/{done.pk}", limit=40)
    assert (len(page["objects"]), page["objectCount"]) == (OBJECTS_SHOWN, MANY)
    rest = client.get(page["next"]).json()
    assert (len(rest["objects"]), rest["objectCount"]) == (OBJECTS_SHOWN, MANY)
    told = [each["object"]["id"] for each in (*page["modifications"], *rest["modifications"])]
    assert told == keys(headers)
    assert [each["label"] for each in page["diff"][:2]] == ["n0", "n1"]


def test_a_page_of_a_change_set_takes_as_many_statements_for_many_objects(
    demo_workspace: Workspace, alice: User
) -> None:
    client, taken = signed_in(alice), []
    for count in (2, MANY):
        done = edited(made(demo_workspace, count), None, "a")
        with CaptureQueriesContext(connection) as captured:
            read(client, f"/{done.pk}")
        taken.append(len(captured))
    assert taken[0] == taken[1]


def test_who_changed_many_objects_is_told_the_version_of_each(demo_workspace: Workspace, alice: User) -> None:
    headers = made(demo_workspace, MANY)
    done = edited(headers, None, "a")
    told = post_json(signed_in(alice), f"/api/v1/history/{done.pk}/rollback", {"reason": "x"}).json()
    assert (ids(told), told["objectCount"]) == (keys(headers), MANY)


def test_the_pages_of_the_admin_name_the_first_objects(demo_workspace: Workspace) -> None:
    client: Client = auditor(demo_workspace)
    headers = made(demo_workspace, MANY)
    done = edited(headers, None, "a")
    listed = client.get("/admin/graphs/changeset/").content.decode()
    cell = re.search(r'<td class="field-objects[^"]*">(n0<br>.*?)</td>', listed)
    assert cell
    assert cell[1].split("<br>")[1:] == [*(f"n{n}" for n in range(1, OBJECTS_SHOWN)), f"and {MANY - 20} more objects"]
    page = client.get(f"/admin/graphs/changeset/{done.pk}/change/").content.decode()
    assert page.count(">versions</a>") == OBJECTS_SHOWN
    assert f"and {MANY - OBJECTS_SHOWN} more objects" in page
    assert page.count("as it was before this") == OBJECTS_SHOWN
    versions = client.get(reverse("admin:graphs_object_versions", args=[headers[-1].pk])).content.decode()
    (here,) = re.findall(rf'href="([^"]*{done.pk}[^"]*)"', versions)
    assert client.get(here).content.decode().count("as it was before this") == OBJECTS_SHOWN + 1
    rollback = reverse("admin:graphs_changeset_rollback", args=[done.pk])
    scope = {"what": "before", "object": f"usecase:{headers[-1].pk}"}
    assert f"“n{MANY - 1}” as it was before this</strong>" in client.get(rollback, scope).content.decode()
    for nothing in ("usecase:0", "usecase", "usecase:²", f"graph:{headers[-1].pk}"):
        assert client.get(rollback, {**scope, "object": nothing}).status_code == 404


def test_the_page_of_a_change_set_takes_as_many_statements_for_many_objects(demo_workspace: Workspace) -> None:
    client, taken = auditor(demo_workspace), []
    for count in (1, 2, MANY):  # The first page of a process looks up what it keeps.
        done = edited(made(demo_workspace, count), None, "a")
        with CaptureQueriesContext(connection) as captured:
            assert client.get(f"/admin/graphs/changeset/{done.pk}/change/").status_code == 200
        taken.append(len(captured))
    assert taken[1] == taken[2]
