"""Where new rows come whose workspace is told by a function: into that of their person, and into no other."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.db import models
from django.db.models import Q
from django.test import Client
from django.test.utils import isolate_apps

from chat.actions import deciding
from chat.actions.deciding import Decision
from chat.actions.refusals import Refused
from graphs.history import rollback
from graphs.history.scopes import ChangeSets
from graphs.models import ChangeSet, Object, Origin, Workspace
from graphs.objects import actions, model_places, planning
from graphs.objects.headers import existing
from graphs.objects.kinds import Kind
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from tests.graphs.api.callers import post_json, problem, with_token
from tests.proposed import waiting
from tests.registered import rows_of

API = "/api/v1/objects/ware"

with isolate_apps("tests.shop"):

    class Tenant(models.Model):
        code = models.SlugField(unique=True)

        class Meta:
            app_label = "shop"

    class Ware(models.Model):
        tenant = models.ForeignKey(Tenant, models.CASCADE, null=True, blank=True)
        site = models.SlugField(default="demo")
        shared = models.SlugField(blank=True)
        name = models.CharField(max_length=30)

        class Meta:
            app_label = "shop"
            constraints = (models.UniqueConstraint("name", "site", name="once"),)


def of_site(workspace: Workspace) -> "models.QuerySet[Ware]":
    return Ware.objects.filter(Q(site=workspace.slug) | Q(shared=workspace.slug))


def of_tenant(workspace: Workspace) -> "models.QuerySet[Ware]":
    return Ware.objects.filter(tenant__code=workspace.slug)


def wares(**options: Any) -> Any:
    given = {"workspace": of_site, "place_new": lambda workspace: {"site": workspace.slug}, "fields": ("name",)}
    return rows_of(Ware, Tenant, **{"title": "name", **given, **options})


@pytest.fixture
def kind(db: None) -> Iterator[Kind]:
    with wares(fields=("name", "shared", "site")) as registered:
        yield registered


@pytest.fixture
def client(charlie: User, alice: User) -> Client:
    """Of the workspace that is nobody's default, beside that which is."""
    return with_token(charlie)


def make(client: Client, **fields: object) -> Any:
    return post_json(client, API, {"fields": {"name": "Lamp"} | fields})


def refused(client: Client, **fields: object) -> str:
    """Why it was; nothing is left of it."""
    answer = problem(make(client, **fields), 400, "refused")
    assert not Ware.objects.exists()
    assert not Object.objects.filter(type="ware").exists()
    assert not ChangeSet.objects.exists()
    return str(answer["detail"])


def test_a_new_row_comes_into_the_workspace_of_its_person(kind: Kind, client: Client, alice: User) -> None:
    made = make(client)
    assert made.status_code == 201
    assert Ware.objects.get().site == "other"
    assert client.get(f"{API}/{made.json()['id']}").status_code == 200
    assert with_token(alice).get(f"{API}/{made.json()['id']}").status_code == 404


def test_models_propose_new_rows(kind: Kind, client: Client, charlie: User) -> None:
    first = Object.objects.get(type="ware", key=make(client).json()["id"])
    call = ("create_object", {"kind": "ware", "fields": {"name": "Chair"}})
    (proposal,) = waiting(charlie, first, call)
    assert deciding.decide(member_of(charlie), str(proposal.pk), Decision(True, "")).proposal.status == "applied"
    assert Ware.objects.get(name="Chair").site == "other"


def test_a_kind_that_does_not_say_where_is_not_made(db: None, client: Client) -> None:
    with wares(place_new=None):
        assert 'kind "ware" cannot be created' in refused(client)
        (shown,) = (each for each in client.get("/api/v1/kinds").json()["results"] if each["type"] == "ware")
        assert not shown["mayCreate"]


def test_nobody_says_another_place(kind: Kind, client: Client) -> None:
    assert "site says where ware:" in refused(client, site="demo")
    assert make(client, site="other").status_code == 201


def test_a_row_that_is_of_another_workspace_too_is_not_made(
    kind: Kind, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        Workspace.objects.create(name=f"W{number}", slug=f"w{number}")
    for at_once in (1, 2, 200):
        monkeypatch.setattr(model_places, "AT_ONCE", at_once)
        for slug in ("demo", "w0", "w2"):
            assert "would be in another workspace, too" in refused(client, shared=slug)
    assert make(client, shared="other").status_code == 201


def test_people_hear_why_what_they_approved_was_not_made(kind: Kind, client: Client, charlie: User) -> None:
    first = Object.objects.get(type="ware", key=make(client).json()["id"])
    call = ("create_object", {"kind": "ware", "fields": {"name": "Chair", "shared": "demo"}})
    (proposal,) = waiting(charlie, first, call)
    with pytest.raises(Refused, match="would be in another workspace, too"):
        deciding.decide(member_of(charlie), str(proposal.pk), Decision(True, ""))
    assert [row.name for row in Ware.objects.all()] == ["Lamp"]


@pytest.mark.parametrize("way", ["save", "signal"])
def test_a_model_that_puts_its_rows_elsewhere_makes_none(
    kind: Kind, client: Client, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    def save(row: Ware, **options: Any) -> None:
        if way == "save":
            row.site = "demo"
        models.Model.save(row, **options)
        if way == "signal":
            Ware.objects.filter(pk=row.pk).update(site="demo")

    monkeypatch.setattr(Ware, "save", save)
    assert "would leave its workspace" in refused(client)


def test_it_comes_where_the_application_finds_a_place(db: None, client: Client) -> None:
    with wares(workspace=of_tenant, place_new=lambda at: {"tenant": Tenant.objects.get(code=at.slug)}):
        Tenant.objects.create(code="demo")
        assert "Something that this leads to is not there." in refused(client)
        tenant = Tenant.objects.create(code="other")
        assert make(client).status_code == 201
        assert Ware.objects.get().tenant == tenant


def test_a_path_of_several_foreign_keys_may_be_given_a_place(db: None, client: Client, other_workspace: Any) -> None:
    with isolate_apps("tests.shop"):

        class Stand(models.Model):
            workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")

            class Meta:
                app_label = "shop"

        class Fruit(models.Model):
            stand = models.ForeignKey(Stand, models.CASCADE)
            name = models.CharField(max_length=30)

            class Meta:
                app_label = "shop"

    def stand(workspace: Workspace) -> dict[str, Any]:
        return {"stand": Stand.objects.get(workspace=workspace)}

    with rows_of(
        Fruit, Stand, name="ware", title="name", workspace="stand__workspace", fields=("name",), place_new=stand
    ):
        Stand.objects.create(workspace=other_workspace)
        assert make(client).status_code == 201
        assert Fruit.objects.get().stand.workspace == other_workspace


@pytest.mark.parametrize(
    "given", [{"shop": "x"}, {"site": "x", "id": 7}, {"pk": 7}, "other", None, {"tenant_id": 1}], ids=str
)
def test_what_are_no_columns_is_told_to_whoever_registered_it(demo_workspace: Workspace, given: object) -> None:
    asked = actions.parse("create_object", {"kind": "ware", "fields": {"name": "Lamp"}})
    around = Object(workspace=demo_workspace, type="ware")
    with (
        wares(place_new=lambda _workspace: given),
        pytest.raises(ImproperlyConfigured, match=r"Let it give values of columns: tenant, site, shared, name\."),
    ):
        planning.plan(around, [asked])


def test_a_place_is_given_by_a_function(db: None) -> None:
    with pytest.raises(ImproperlyConfigured, match="place_new=lambda workspace"), wares(place_new={"site": "demo"}):
        pass


def test_a_row_that_comes_back_is_where_it_was(db: None, client: Client, charlie: User) -> None:
    """Also one that was shared since, whatever the registration says of new ones by then."""
    with wares(place_new=lambda _workspace: {"site": "other", "shared": ""}):
        made = make(client).json()["id"]
        Ware.objects.update(shared="demo")
        gone = post_json(client, f"{API}/{made}/changes", {"actions": [{"action": "delete_object", "arguments": {}}]})
        assert gone.status_code == 201
        rollback.roll_back(member_of(charlie).workspace.pk, charlie, ChangeSets((gone.json()["id"],)))
        assert Ware.objects.values("site", "shared").get() == {"site": "other", "shared": "demo"}


def test_what_other_code_deleted_comes_back_in_its_workspace(kind: Kind, client: Client, charlie: User) -> None:
    make(client)
    Ware.objects.get().delete()
    gone = ChangeSet.objects.get(origin=Origin.OUTSIDE)
    rollback.roll_back(member_of(charlie).workspace.pk, charlie, ChangeSets((gone.pk,)))
    assert Ware.objects.get().site == "other"


def test_a_name_may_be_taken_in_every_workspace(kind: Kind, client: Client, alice: User) -> None:
    """What the model checks before it saves it checks in the right one."""
    assert make(with_token(alice)).status_code == 201
    assert make(client).status_code == 201
    problem(make(client), 400, "refused")
    assert sorted(Ware.objects.values_list("site", flat=True)) == ["demo", "other"]


def change(client: Client, key: str, **fields: object) -> Any:
    asked = {"action": "update_object", "arguments": {"updates": fields}}
    return post_json(client, f"{API}/{key}/changes", {"actions": [asked]})


def test_a_change_gives_no_row_to_another_workspace_too(kind: Kind, client: Client, alice: User) -> None:
    key = make(client).json()["id"]
    answer = problem(change(client, key, shared="demo"), 400, "refused")
    assert "would be in another workspace, too" in str(answer["detail"])
    assert Ware.objects.get().shared == ""
    assert with_token(alice).get(f"{API}/{key}").status_code == 404
    assert change(client, key, shared="other").status_code == 201


def test_what_was_shared_before_is_changed_as_any_other(kind: Kind, client: Client, other_workspace: Any) -> None:
    """Somebody else's code shared it; who takes it back does not share it again."""
    Workspace.objects.create(name="Third", slug="third")
    key = make(client).json()["id"]
    Ware.objects.update(shared="demo")
    assert change(client, key, name="Chair").status_code == 201
    assert "in another workspace, too" in str(problem(change(client, key, shared="third"), 400, "refused")["detail"])
    assert change(client, key, shared="").status_code == 201
    problem(change(client, key, shared="demo"), 400, "refused")


def test_no_rollback_gives_a_row_to_another_workspace_too(kind: Kind, client: Client, charlie: User) -> None:
    """As it was while other code shared it."""
    key = make(client).json()["id"]
    Ware.objects.update(shared="demo")
    taken_back = change(client, key, shared="")
    assert taken_back.status_code == 201
    with pytest.raises(actions.ChangeRefused, match="would be in another workspace, too"):
        rollback.roll_back(member_of(charlie).workspace.pk, charlie, ChangeSets((taken_back.json()["id"],)))
    assert Ware.objects.get().shared == ""


def test_a_workspace_that_has_no_place_yet_has_no_rows(db: None, client: Client, demo_workspace: Workspace) -> None:
    """Whoever makes a row depends on no other workspace."""

    def rows(workspace: Workspace) -> "models.QuerySet[Ware]":
        return Ware.objects.filter(tenant=Tenant.objects.get(code=workspace.slug))

    with wares(workspace=rows, place_new=lambda at: {"tenant": Tenant.objects.get(code=at.slug)}):
        Tenant.objects.create(code="other")
        made = make(client)
        assert made.status_code == 201
        assert change(client, made.json()["id"], name="Chair").status_code == 201


def test_a_function_that_fails_for_another_workspace_is_a_refusal(
    db: None, client: Client, demo_workspace: Workspace
) -> None:
    def rows(workspace: Workspace) -> "models.QuerySet[Ware]":
        codes = {"other": "other"}
        return Ware.objects.filter(site=codes[workspace.slug])

    with wares(workspace=rows):
        assert "the rows of another workspace cannot be told" in refused(client)


def test_rows_that_cannot_be_narrowed_are_refused(demo_workspace: Workspace) -> None:
    def rows(workspace: Workspace) -> "models.QuerySet[Ware]":
        return Ware.objects.filter(site=workspace.slug).union(Ware.objects.filter(shared=workspace.slug))

    with wares(workspace=rows), pytest.raises(ImproperlyConfigured, match=r"ware: its workspace gives a union"):
        existing(demo_workspace.pk, Ref("ware", "1"))


def union(workspace: Workspace) -> "models.QuerySet[Ware]":
    return Ware.objects.filter(site=workspace.slug).union(Ware.objects.filter(shared=workspace.slug))


def picky(workspace: Workspace) -> "models.QuerySet[Ware]":
    return Ware.objects.filter(site={"demo": "demo"}[workspace.slug])


@pytest.mark.parametrize(("rows", "told"), [(union, ["graphs.E003"]), (picky, []), (of_site, [])])
def test_a_union_is_refused_at_start(db: None, rows: Any, told: list[str]) -> None:
    """A function that knows no such workspace is no fault."""
    with wares(workspace=rows):
        assert [found.id for found in run_checks() if found.id == "graphs.E003"] == told
