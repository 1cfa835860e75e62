from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.http import urlencode

from graphs.models import Object
from tests.graphs.admin.staff import superuser
from tests.graphs.api.callers import post_json, problem, with_token
from tests.graphs.tables.files import API, send
from tests.registered import product
from tests.shop.models import Product, Shop


def imported(client: Client, shop: Shop) -> list[Product]:
    assert send(client, f"parent,name\n{shop.pk},Bat\n{shop.pk},Net\n").status_code == 201
    return list(Product.objects.order_by("name"))


def seen(client: Client, row: Product) -> str:
    since: str = client.get(f"{API}/product/{row.pk}").json()["untrustedSince"]
    return since


def marked() -> int:
    return Object.objects.filter(type="product", untrusted_since__isnull=False).count()


def test_an_editor_looks_through_one_object_or_all_of_its_file(alice: User, bob: User, shop: Shop) -> None:
    client = with_token(alice)
    bat, net = imported(client, shop)
    address = f"{API}/product/{bat.pk}/trust"
    since = seen(client, bat)
    problem(client.post(address), 400, "validation")
    problem(with_token(bob).post(f"{address}?{urlencode({'untrustedSince': since})}"), 403, "forbidden")
    problem(client.post(f"{address}?untrustedSince=2020-01-01T00:00:00Z"), 409, "stale")
    assert marked() == 2
    assert client.post(f"{address}?{urlencode({'untrustedSince': since})}").json()["untrustedSince"] is None
    assert marked() == 1
    product(shop, "Other")
    assert send(client, f"parent,name\n{shop.pk},Cap\n").status_code == 201
    whole = urlencode({"untrustedSince": seen(client, net), "all": "true"})
    assert client.post(f"{API}/product/{net.pk}/trust?{whole}").status_code == 200
    assert marked() == 1  # of the other file


def looked_through_at_once(client: Client, shop: Shop, count: int) -> int:
    """How many statements it takes to look through so many objects of a file."""
    names = [f"{count} of {number}" for number in range(count)]
    assert send(client, "parent,name\n" + "".join(f"{shop.pk},{name}\n" for name in names)).status_code == 201
    row = Product.objects.get(name=names[0])
    whole = urlencode({"untrustedSince": seen(client, row), "all": "true"})
    with CaptureQueriesContext(connection) as captured:
        assert client.post(f"{API}/product/{row.pk}/trust?{whole}").status_code == 200
    return len(captured)


def test_each_object_of_a_file_says_who_looked_through_it(alice: User, shop: Shop) -> None:
    client = with_token(alice)
    looked_through_at_once(client, shop, 3)  # what a process keeps is there
    few = looked_through_at_once(client, shop, 2)
    assert looked_through_at_once(client, shop, 37) == few
    there = {(alice.pk, str(each.pk)) for each in Object.objects.filter(type="product")}
    assert len(there) == 42
    assert set(LogEntry.objects.values_list("user", "object_id")) == there
    assert LogEntry.objects.count() == 42
    page = superuser().get(reverse("admin:graphs_object_history", args=[Object.objects.filter(type="product")[7].pk]))
    assert "Looked through what was imported." in page.content.decode()


def test_the_mark_survives_deletion_and_return(alice: User, shop: Shop) -> None:
    client = with_token(alice)
    bat, _net = imported(client, shop)
    deletion = post_json(
        client, f"{API}/product/{bat.pk}/changes", {"actions": [{"action": "delete_object", "arguments": {}}]}
    ).json()
    assert marked() == 1
    assert post_json(client, f"/api/v1/history/{deletion['id']}/rollback", {}).status_code == 201
    assert marked() == 2


def test_a_request_that_is_sent_again_marks_nothing_again(alice: User, shop: Shop) -> None:
    client, ball = with_token(alice), product(shop, "Ball")
    for time in range(2):
        upload = {"file": SimpleUploadedFile("rows", f"id,name\n{ball.pk},Round\n".encode())}
        answer = client.post(f"{API}/product/import", upload, headers={"Idempotency-Key": "once"})
        assert answer.status_code == 201
        assert marked() == 1 - time
        Object.objects.update(untrusted_since=None)
