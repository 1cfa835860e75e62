"""The admin's pages of objects of any kind: graphs, and rows of a registered model."""

import re
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from chat.models import AlwaysSend
from graphs.history import editing, outside
from graphs.models import ChangeSet, Graph, Object, Origin, Workspace
from graphs.objects import register
from graphs.objects.actions import UpdateObject
from graphs.objects.headers import object_for
from graphs.objects.kinds import KINDS, Kind
from graphs.objects.refs import Ref
from graphs.site.access import Member, member_of
from tests.graphs.admin.staff import auditor, mere_staff, superuser
from tests.registered import forget, pin, pins
from tests.shop.models import Page

pytestmark = pytest.mark.django_db
LIST = "admin:graphs_object_changelist"


@pytest.fixture
def kind() -> Iterator[Kind]:
    with pins(may_see=lambda member, row: row.object_key != "hidden") as registered:
        yield registered


@pytest.fixture
def spring(kind: Kind, alice: User) -> Object:
    """A row with a header, whose part became "tulips" by hand."""
    return changed(alice, pin(member_of(alice).workspace, "spring"), "tulips")


def changed(by: User, row: AlwaysSend, part_key: str) -> Object:
    member, ref = member_of(by), Ref("pin", str(row.pk))
    of = object_for(member, ref)
    outside.catch_up([of])
    action = UpdateObject(object=str(ref), updates={"part_key": part_key})
    editing.edit(member, Object.objects.get(pk=of.pk), editing.Request([action], (), "Planted", "", ""))
    return Object.objects.get(pk=of.pk)


def listed(client: Client, **query: str) -> str:
    response = client.get(reverse(LIST), query)
    assert response.status_code == 200
    return response.content.decode()


def opened(client: Client, of: Object, view: str = "change", **query: object) -> str:
    response = client.get(reverse(f"admin:graphs_object_{view}", args=[of.pk]), query)
    assert response.status_code == 200
    return response.content.decode()


def test_all_objects_are_listed_with_what_people_call_them(spring: Object, nba: Graph) -> None:
    client = superuser()
    text = listed(client)
    for told in ("2 objects", "spring", nba.key, reverse("admin:graphs_object_versions", args=[spring.pk])):
        assert told in text, told
    assert "1 object" in listed(client, kind="pin")
    assert "0 objects" in listed(client, kind="planet")
    assert "1 object" in listed(client, q="sprin")


def test_what_nobody_has_changed_has_its_title_too(kind: Kind, alice: User, nba: Graph) -> None:
    client, member = superuser(), member_of(alice)
    of, *_more = [untouched(member, f"tulip {number}") for number in range(5)]
    with CaptureQueriesContext(connection) as few:
        text = listed(client)
    assert nba.name in text
    for number in range(5):
        assert f">tulip {number}</a>" in text
    assert "tulip 0" in opened(client, of)
    for number in range(5, 20):
        untouched(member, f"tulip {number}")
    with CaptureQueriesContext(connection) as many:
        assert "tulip 19" in listed(client)
    assert len(many) == len(few)


def test_what_holds_them_is_not_asked_for_row_by_row(alice: User, nba: Graph) -> None:
    """Where the holder is named by a key of its own."""
    client, member = superuser(), member_of(alice)
    register(Page, name="page", title="name", workspace="graph__workspace", parent="graph")

    def pages(*numbers: int) -> None:
        for number in numbers:
            sheet = Page.objects.create(graph=nba, key=f"s{number}", name="Page", position=number)
            object_for(member, Ref("page", str(sheet.pk)))

    try:
        pages(1)
        with CaptureQueriesContext(connection) as few:
            listed(client)
        pages(*range(2, 11))
        with CaptureQueriesContext(connection) as many:
            assert listed(client).count(">Page</a>") == 10
    finally:
        forget(KINDS["page"])
    assert len(many) == len(few)


def untouched(member: Member, title: str) -> Object:
    return object_for(member, Ref("pin", str(pin(member.workspace, title).pk)))


def test_its_page_leads_to_all_that_is_known(spring: Object) -> None:
    text = opened(superuser(), spring)
    row = AlwaysSend.objects.get()
    for address in (
        reverse("admin:graphs_object_versions", args=[spring.pk]),
        reverse("admin:chat_alwayssend_change", args=[row.pk]),
        *(reverse(f"admin:{each}_changelist") for each in ("graphs_changeset", "chat_session", "chat_proposal")),
    ):
        assert address in text, address
    assert f"object=pin%3A{row.pk}" in text
    assert "tulips" in text


def test_changes_are_found_by_kind_and_object(spring: Object, nba: Graph) -> None:
    client, changes = superuser(), reverse("admin:graphs_changeset_changelist")
    for query, found in (
        ({"kind": "pin"}, True), ({"kind": "graph"}, False), ({"object": str(spring)}, True),
        ({"object": spring.key}, True), ({"object": "graph:nba"}, False),
    ):  # fmt: skip
        assert ("Planted" in client.get(changes, query).content.decode()) is found, query


def test_versions_are_compared_and_taken_back(spring: Object) -> None:
    client = superuser()
    text = opened(client, spring, "versions", a=1, b=2)
    assert "<ins>tulips</ins>" in text
    assert "It began here" in text
    done = ChangeSet.objects.get(reason="Planted")
    assert "tulips" in client.get(reverse("admin:graphs_changeset_change", args=[done.pk])).content.decode()
    rollback = reverse("admin:graphs_changeset_rollback", args=[done.pk])
    digest = re.search(r'name="digest" value="([0-9a-f]+)"', client.get(rollback).content.decode())
    assert digest
    signed = {"step": "apply", "digest": digest[1], "reason": "Too early"}
    assert client.post(rollback, signed).status_code == 302
    assert AlwaysSend.objects.get().part_key == ""


def test_only_what_does_something_is_offered_where_a_history_begins(spring: Object) -> None:
    client = superuser()
    versions = opened(client, spring, "versions")
    assert versions.count("with the one before") == 1
    assert "?a=1&amp;b=2" in versions
    assert client.get(reverse("admin:graphs_object_versions", args=[spring.pk]), {"a": 0, "b": 2}).status_code == 400
    begun = ChangeSet.objects.get(size=0)
    text = client.get(reverse("admin:graphs_changeset_change", args=[begun.pk])).content.decode()
    assert "?a=0" not in text
    assert "Roll back …" not in text
    assert "“spring” as this left it" in text


def test_nothing_is_taken_back_since_the_last_version(spring: Object) -> None:
    client, done = superuser(), ChangeSet.objects.get(reason="Planted")
    address = reverse("admin:graphs_changeset_change", args=[done.pk])
    text = client.get(address).content.decode()
    assert "“spring” as it was before this" in text
    assert "as this left it" not in text
    Object.objects.filter(pk=spring.pk).update(version=spring.version + 1)  # as a live edit that is not saved
    assert "“spring” as this left it" in client.get(address).content.decode()


def test_a_beginning_with_nothing_since_offers_nothing(kind: Kind, alice: User) -> None:
    outside.catch_up([untouched(member_of(alice), "spring")])
    page = superuser().get(reverse("admin:graphs_changeset_change", args=[ChangeSet.objects.get().pk]))
    assert "Take it back" not in page.content.decode()


def test_what_was_changed_outside_stands_there(spring: Object) -> None:
    client = superuser()
    assert "changed outside" not in opened(client, spring, "versions")
    AlwaysSend.objects.update(part_key="roses")
    assert "It was changed outside since." in opened(client, spring, "versions")
    outside.catch_up([spring])
    text = opened(client, spring, "versions")
    assert "changed outside since" not in text
    assert str(Origin.OUTSIDE.label) in text


def test_the_versions_stay_when_it_is_deleted(spring: Object, other_workspace: Workspace) -> None:
    AlwaysSend.objects.all().delete()
    outside.catch_up([spring])
    assert not Object.objects.filter(pk=spring.pk).exists()
    assert "(deleted since)" in opened(superuser(), spring, "versions")
    address = reverse("admin:graphs_object_versions", args=[spring.pk])
    assert auditor(other_workspace).get(address).status_code == 404


def test_foreign_ones_are_absent(spring: Object, other_workspace: Workspace) -> None:
    stranger = auditor(other_workspace)
    assert "spring" not in listed(stranger)
    for view in ("change", "versions"):
        address = reverse(f"admin:graphs_object_{view}", args=[spring.pk])
        assert stranger.get(address).status_code == 404
        assert mere_staff(spring.workspace).get(address).status_code in {403, 404}
        User.objects.filter(username="clerk").delete()


def test_an_object_whose_application_is_gone_is_still_shown(alice: User) -> None:
    with pins():
        left = changed(alice, pin(member_of(alice).workspace, "spring"), "tulips")
    client = superuser()
    assert "spring" in listed(client)
    assert "spring" in opened(client, left)
    assert "Planted" in opened(client, left, "versions", a=1, b=2)
