"""The history outlives a kind: what was changed of one that is no longer registered is read, and not taken back."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from graphs.models import Modification, Workspace
from graphs.objects.kinds import KINDS
from tests.cast import signed_in
from tests.graphs.api.callers import post_json, problem, with_token
from tests.registered import product, shops
from tests.shop.models import Product, Shop

pytestmark = pytest.mark.django_db


@pytest.fixture
def umbrella(demo_workspace: Workspace, alice: User) -> Iterator[Product]:
    """A product that was made, renamed and deleted by hand while its kind was known. Now it is not."""
    client = with_token(alice)
    with shops(), pytest.MonkeyPatch.context() as patched:
        row = product(Shop.objects.create(workspace=demo_workspace, name="Corner shop"), "Umbrella")
        path = f"/api/v1/objects/product/{row.pk}/changes"
        renamed = {"action": "update_object", "arguments": {"updates": {"name": "Parasol"}}}
        for action in (renamed, {"action": "delete_object", "arguments": {}}):
            assert post_json(client, path, {"actions": [action]}).status_code == 201
        patched.delitem(KINDS, "product")
        yield row


def changes_of(umbrella: Product) -> list[str]:
    rows = Modification.objects.filter(kind="product", key=str(umbrella.pk)).order_by("pk")
    return list(dict.fromkeys(str(each) for each in rows.values_list("change_set", flat=True)))


def test_its_changes_are_read_as_they_were_recorded(umbrella: Product, alice: User) -> None:
    client, (renamed, deleted) = with_token(alice), changes_of(umbrella)[-2:]
    (change,) = client.get(f"/api/v1/history/{renamed}").json()["modifications"]
    assert (change["field"], change["old"], change["new"]) == ("name", "Umbrella", "Parasol")
    (change,) = client.get(f"/api/v1/history/{deleted}").json()["modifications"]
    assert change["old"]["name"] == "Parasol"
    assert client.get(f"/api/v1/history?object=product:{umbrella.pk}").status_code == 404


def test_no_change_of_it_is_taken_back(umbrella: Product, alice: User) -> None:
    client, (renamed, deleted) = with_token(alice), changes_of(umbrella)[-2:]
    for body in ({"preview": True}, {}):
        answer = post_json(client, f"/api/v1/history/{deleted}/rollback", body)
        assert problem(answer, 409, "refused")["detail"] == "product is no longer known here."
    problem(post_json(client, f"/api/v1/history/{renamed}/rollback", {}), 409, "conflict")
    assert not Product.objects.exists()


def test_the_admin_shows_it_and_says_why_it_stays(umbrella: Product) -> None:
    client = signed_in(User.objects.create_superuser("root", password="x"))
    for name in ("admin:graphs_changeset_changelist", "admin:graphs_object_changelist"):
        assert client.get(reverse(name)).status_code == 200
    for each in changes_of(umbrella)[-2:]:
        assert "Parasol" in client.get(reverse("admin:graphs_changeset_change", args=[each])).content.decode()
    address = reverse("admin:graphs_changeset_change", args=[changes_of(umbrella)[-1]])
    answer = client.get(f"{address.removesuffix('change/')}rollback/", follow=True)
    assert "Product is no longer known here." in answer.content.decode()
