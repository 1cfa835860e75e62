"""Objects of any kind that are always sent: rows of a registered model, node types, and who may see them."""

import uuid
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import QuerySet
from django.test import Client
from django.urls import reverse

from chat.actions import pinning
from chat.models import AlwaysSend
from chat.prompts.always_sent import at_the_beginning, since_then
from graphs.history.editing import Request, edit
from graphs.history.outside import catch_up
from graphs.history.rollback import roll_back
from graphs.history.scopes import ChangeSets
from graphs.models import Graph, NodeType, Object, Workspace
from graphs.objects.actions import parse
from graphs.objects.headers import object_for
from graphs.objects.kinds import Kind
from graphs.objects.refs import Ref
from graphs.site.access import Forbidden, Member, NotFound, member_of
from graphs.workflows.making import NewGraph, make
from tests.graphs.admin.staff import superuser
from tests.graphs.api.callers import with_token
from tests.registered import pin, pins

pytestmark = pytest.mark.django_db


@pytest.fixture
def kind() -> Iterator[Kind]:
    with pins(may_see=lambda member, row: member.user.username == "alice" or row.object_key != "secret") as registered:
        yield registered


@pytest.fixture
def member(alice: User, nba: Graph) -> Member:
    return member_of(alice)


def send(member: Member, ref: Ref, part: Ref | None = None) -> None:
    pinning.always_send(member, ref, part, always=True)


def of(row: AlwaysSend) -> Ref:
    return Ref("pin", str(row.pk))


def put(user: User, ref: Ref, **body: object) -> int:
    path = f"/api/v1/objects/{ref.type}/{ref.key}/always-send"
    return with_token(user).put(path, body, content_type="application/json").status_code


def listed(user: User) -> list[dict[str, object]]:
    results: list[dict[str, object]] = with_token(user).get("/api/v1/always-send").json()["results"]
    return results


def test_an_object_is_sent_with_its_fields(kind: Kind, member: Member) -> None:
    spring = pin(member.workspace, "spring", part_key="tulips")
    process = "return 1\n" * 2_000
    NodeType.objects.create(workspace=member.workspace, key="step", display_name="A step", process=process)
    send(member, of(spring))
    send(member, Ref("nodeType", "step"))
    text = at_the_beginning(member)
    for told in (str(of(spring)), "spring", "tulips", "nodeType:step", "A step"):
        assert told in text, told
    assert text.count("return 1") < 1_000
    assert "added_by" not in text


def test_it_goes_with_its_object(kind: Kind, member: Member) -> None:
    spring = pin(member.workspace, "spring")
    send(member, of(spring))
    sent = at_the_beginning(member)
    assert "spring" in sent
    AlwaysSend.objects.filter(pk=spring.pk).delete()
    assert AlwaysSend.objects.get().object_key == str(spring.pk)
    assert at_the_beginning(member) == ""


def test_a_graph_that_takes_the_key_of_one_that_was_sent_is_not(member: Member) -> None:
    """Nobody chose it. The one that was chosen is sent again once it is back."""
    nba, parts = Ref("graph", "nba"), (None, Ref("node", "fetch-api"))
    for part in parts:
        send(member, nba, part)
    sent = at_the_beginning(member)
    deletion = gone(member, nba)
    assert (at_the_beginning(member), listed(member.user)) == ("", [])
    make(member, NewGraph("Mine alone", key="nba"), Request(()))
    assert (at_the_beginning(member), listed(member.user)) == ("", [])
    gone(member, nba)
    roll_back(member.workspace.pk, member.user, ChangeSets((deletion,)))
    assert at_the_beginning(member) == sent
    assert len(listed(member.user)) == len(parts)


def gone(member: Member, ref: Ref) -> uuid.UUID:
    of = object_for(member, ref)
    return edit(member, of, Request([parse("delete_object", {"object": str(ref)})]))


def test_a_graph_that_has_the_key_by_now_is_chosen_for_itself(member: Member) -> None:
    nba = Ref("graph", "nba")
    send(member, nba)
    gone(member, nba)
    make(member, NewGraph("Games", key="nba"), Request(()))
    pinning.always_send(member, nba, always=False)
    assert AlwaysSend.objects.count() == 1  # that of the graph that may come back
    send(member, nba)
    assert "Games" in at_the_beginning(member)
    assert len(listed(member.user)) == 1


def test_a_row_that_takes_the_key_of_one_that_was_sent_is_not(kind: Kind, member: Member) -> None:
    spring = pin(member.workspace, "spring")
    key, ref = spring.pk, of(spring)
    send(member, ref)
    deletion = gone(member, ref)
    pin(member.workspace, "autumn", pk=key)
    assert at_the_beginning(member) == ""
    AlwaysSend.objects.filter(pk=key).delete()
    roll_back(member.workspace.pk, member.user, ChangeSets((deletion,)))
    assert "spring" in at_the_beginning(member)


def test_a_row_that_takes_the_key_of_one_that_other_code_deleted_is_not(kind: Kind, member: Member) -> None:
    """Its history began as it was chosen: nobody had spoken of it before."""
    spring = pin(member.workspace, "spring")
    key = spring.pk
    send(member, of(spring))
    AlwaysSend.objects.filter(pk=key).delete()
    pin(member.workspace, "autumn", pk=key)
    assert at_the_beginning(member) == ""


def away(row: AlwaysSend) -> None:
    """Deletes a row as SQL of somebody else does, of which no signal tells."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM chat_alwayssend WHERE id = %s", [row.pk])


def chosen() -> QuerySet[AlwaysSend]:
    return AlwaysSend.objects.filter(object_type="pin")


def keys_listed(user: User) -> list[object]:
    return [each["object"]["id"] for each in listed(user) if each["object"]["type"] == "pin"]  # type: ignore[index]


@pytest.mark.parametrize("noticed", [False, True])
@pytest.mark.parametrize("narrow", [False, True])
def test_what_was_deleted_and_brought_back_past_the_program_is_the_one_only_if_nobody_noticed(
    member: Member, noticed: bool, narrow: bool
) -> None:
    with pins(may_see=(lambda _member, _row: True) if narrow else None):
        away_and_back(member, noticed)


def away_and_back(member: Member, noticed: bool) -> None:
    spring = pin(member.workspace, "spring")
    key, ref = spring.pk, of(spring)
    send(member, ref)
    away(spring)
    if noticed:
        catch_up(Object.objects.filter(type="pin"))
    assert (at_the_beginning(member), keys_listed(member.user)) == ("", [])
    assert put(member.user, ref, alwaysSend=True) == put(member.user, ref, alwaysSend=False) == 404
    admin = superuser()
    assert admin.get(reverse("admin:chat_alwayssend_changelist")).status_code == 200
    pin(member.workspace, "spring", pk=key)
    assert ("spring" in at_the_beginning(member)) is not noticed
    assert keys_listed(member.user) == ([] if noticed else [str(key)])
    if noticed:
        given = {"workspace": member.workspace.pk, "object_type": "pin", "object_key": str(key), "part_key": ""}
        assert admin.post(reverse("admin:chat_alwayssend_add"), given).status_code == 302
        assert "spring" in at_the_beginning(member)
        assert keys_listed(member.user) == [str(key)]
    assert chosen().count() == 1
    assert put(member.user, ref, alwaysSend=False) == 200
    assert (at_the_beginning(member), chosen().count()) == ("", 0)


def test_a_choice_that_is_made_twice_in_the_admin_is_refused(kind: Kind, member: Member) -> None:
    key = str(pin(member.workspace, "spring").pk)
    given = {"workspace": member.workspace.pk, "object_type": "pin", "object_key": key, "part_key": ""}
    admin = superuser()
    assert admin.post(reverse("admin:chat_alwayssend_add"), given).status_code == 302
    again = admin.post(reverse("admin:chat_alwayssend_add"), given)
    assert again.status_code == 200
    assert "It is always sent already." in again.content.decode()
    assert chosen().count() == 1


def test_it_goes_with_its_application(member: Member) -> None:
    with pins():
        send(member, of(pin(member.workspace, "spring")))
    assert at_the_beginning(member) == ""
    assert since_then(member, []) == ""


def test_nobody_is_sent_what_they_may_not_see(kind: Kind, member: Member, bob: User) -> None:
    secret = pin(member.workspace, "secret")
    send(member, of(secret))
    assert "secret" in at_the_beginning(member)
    assert at_the_beginning(member_of(bob)) == ""
    names = {"type": "pin", "id": str(secret.pk)}
    assert names in [row["object"] for row in listed(member.user)]
    assert names not in [row["object"] for row in listed(bob)]
    assert put(bob, of(secret), alwaysSend=False) == 404


def test_only_what_is_there_and_by_editors(
    kind: Kind, member: Member, bob: User, charlie: User, other_workspace: Workspace
) -> None:
    spring, theirs = pin(member.workspace, "spring"), pin(other_workspace, "theirs")
    for ref in (of(theirs), Ref("pin", "99999999999999999999999"), Ref("pin", "x"), Ref("planet", "x")):
        assert put(member.user, ref, alwaysSend=True) == 404, ref
    for part in ("node:fetch-api", str(of(spring))):
        assert put(member.user, of(spring), part=part, alwaysSend=True) == 404, part
    assert put(member.user, of(spring), part="nonsense", alwaysSend=True) == 400
    assert put(charlie, of(spring), alwaysSend=True) == 404
    with pytest.raises(Forbidden):
        send(member_of(bob), of(spring))
    with pytest.raises(NotFound):
        send(member, Ref("graph", "nba"), Ref("edge", "nowhere"))
    assert not AlwaysSend.objects.filter(object_type="pin").exists()
    assert put(member.user, of(spring), alwaysSend=True) == 200
    assert put(member.user, of(spring), alwaysSend=False) == 200
    assert not AlwaysSend.objects.filter(object_type="pin").exists()


def test_a_row_that_went_to_another_workspace_is_not_sent(
    kind: Kind, member: Member, other_workspace: Workspace
) -> None:
    spring = pin(member.workspace, "spring")
    send(member, of(spring))
    AlwaysSend.objects.filter(pk=spring.pk).update(workspace=other_workspace)
    assert at_the_beginning(member) == ""


def test_admins_choose_objects_of_any_kind(kind: Kind, member: Member, other_workspace: Workspace) -> None:
    spring, theirs = pin(member.workspace, "spring"), pin(other_workspace, "theirs")
    client, address = superuser(), reverse("admin:chat_alwayssend_add")

    def added(client: Client, **fields: object) -> bool:
        status = client.post(address, {"workspace": member.workspace.pk, "part_key": "", **fields}).status_code
        assert status in {200, 302}
        return status == 302

    for wrong in (
        {"object_type": "pin", "object_key": theirs.pk}, {"object_type": "planet", "object_key": "x"},
        {"object_type": "pin", "object_key": spring.pk, "part_key": "fetch-api"},
        {"object_type": "graph", "object_key": "nba", "part_key": "nowhere"}, {"object_key": "nba"},
    ):  # fmt: skip
        assert not added(client, **wrong), wrong
    assert added(client, object_type="pin", object_key=spring.pk)
    assert added(client, object_type="graph", object_key="nba", part_key="fetch-api")
    given = AlwaysSend.objects.exclude(added_by=None).values_list("object_type", "part_type")
    assert set(given) == {("pin", ""), ("graph", "node")}
