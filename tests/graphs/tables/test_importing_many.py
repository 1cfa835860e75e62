"""How much a file may bring, and what it takes to store it."""

import json

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from graphs.models import Company, Graph, Modification, Object
from graphs.objects import one_by_one
from graphs.objects.kinds import Kind
from graphs.tables import table
from tests.graphs.api.callers import post_json, problem
from tests.graphs.tables.files import preview, send
from tests.registered import product
from tests.shop.models import Product, Shop


def test_objects_of_graphs_are_imported_like_any_other(client: Client, products: Kind) -> None:
    answer = send(client, "displayName,category\nThrottle,flow\n", kind="nodeType")
    assert answer.status_code == 201, answer.content
    assert json.loads(answer.content)["creates"] == 1


def test_a_graph_counts_as_one_though_it_comes_with_a_sheet(client: Client, products: Kind) -> None:
    file = "name,description\nFirst,\nSecond,two\n"
    told = preview(client, file, kind="graph")
    assert (told["creates"], len(told["rows"])) == (2, 2)
    done = send(client, file, kind="graph").json()
    assert (done["creates"], done["updates"]) == (2, 0)
    assert {each.sheets.count() for each in Graph.objects.filter(name__in=["First", "Second"])} == {1}
    first = Graph.objects.get(name="First")
    done = send(client, f"id,name\n{first.key},One\n", kind="graph").json()
    assert (done["creates"], done["updates"]) == (0, 1)


@pytest.mark.parametrize(("rows", "status"), [(3, 201), (4, 400)])
def test_as_many_graphs_come_by_a_file_as_it_may_have_rows(
    client: Client, products: Kind, monkeypatch: pytest.MonkeyPatch, rows: int, status: int
) -> None:
    monkeypatch.setattr(table, "MAX_ROWS", 3)
    answer = send(client, "name\n" + "".join(f"Graph {number}\n" for number in range(rows)), kind="graph")
    assert answer.status_code == status, answer.content
    assert Graph.objects.filter(name__startswith="Graph ").count() == (rows if status == 201 else 0)


@pytest.mark.parametrize("how", ["counted keys", "own save"])
def test_rows_that_are_saved_one_by_one_are_few_and_all_or_none(
    client: Client, shop: Shop, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(one_by_one, "MAX_OBJECTS", 3)
    if how == "own save":
        monkeypatch.setattr(Product, "save", lambda row, **options: Model.save(row, **options))
    kind, model, head = ("product", Product, f"parent,{shop.pk}") if how == "own save" else ("shop", Shop, "motto,")
    column, value = head.split(",")
    before = model._default_manager.count()

    def file(count: int, name: str) -> str:
        return f"name,{column}\n" + "".join(f"{name}{number},{value}\n" for number in range(count))

    told = preview(client, file(4, "Many"), kind)
    assert [(each["row"], each["code"]) for each in told["errors"]] == [(None, "too_many_rows")]
    refused = problem(send(client, file(4, "Many"), kind), 400, "import_refused")
    assert refused["errors"]["file"] == told["errors"][0]["message"].splitlines()
    assert model._default_manager.count() == before
    assert send(client, file(3, "Few"), kind).json()["creates"] == 3
    rows = model._default_manager.filter(name__startswith="Few")
    keys = [str(row.pk) for row in rows]
    if how == "own save":
        more = "id,name\n" + "".join(f"{key},New\n" for key in [*keys, str(product(shop, "Ball").pk)])
        assert problem(send(client, more, kind), 400, "import_refused")["rowErrors"][0]["code"] == "too_many_rows"
    unchanged = "id,name\n" + "".join(f"{row.pk},{row.name}\n" for row in model._default_manager.all())
    assert preview(client, unchanged, kind)["errors"] == []


def test_rows_that_are_saved_together_are_as_many_as_a_file_has(
    client: Client, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(one_by_one, "MAX_OBJECTS", 1)
    assert send(client, f"parent,name\n{shop.pk},A\n{shop.pk},B\n").json()["creates"] == 2
    keys = Product.objects.values_list("pk", flat=True)
    assert send(client, "id,notes\n" + "".join(f"{key},new\n" for key in keys)).json()["updates"] == 2


def test_imports_are_limited(client: Client, shop: Shop, settings: Settings) -> None:
    settings.LIMIT_IMPORTS = "1/hour"
    file = f"parent,name\n{shop.pk},Net\n"
    assert preview(client, file)["creates"] == 1
    problem(send(client, file), 429, "throttled")


def test_many_new_rows_are_stored_in_as_many_statements_as_few(client: Client) -> None:
    company, folder = (send_one(client, kind) for kind in ("company", "folder"))
    few, many = (new_records(client, company, folder, count) for count in (2, 20))
    assert (many["company"], many["folder"], many["usecase"]) == (few["company"], few["folder"], few["usecase"])


def send_one(client: Client, kind: str) -> str:
    title = "data.name" if kind == "usecase" else "name"
    done = send(client, f"{title}\nFirst\n", kind).json()["changeSet"]
    return Modification.objects.get(change_set=done, action="create").key


def new_records(client: Client, company: str, folder: str, count: int) -> dict[str, int]:
    """How many statements so many new records of each kind take."""
    took = {}
    for kind, head, held_by in (
        ("company", "name", ""), ("folder", "parent,name", f"{company},"), ("usecase", "parent,data.name", f"{folder},")
    ):  # fmt: skip
        file = head + "\n" + "".join(f"{held_by}{kind}{number}\n" for number in range(count))
        with CaptureQueriesContext(connection) as captured:
            assert send(client, file, kind).json()["creates"] == count
        took[kind] = len(captured)
    return took


def test_a_new_row_that_has_what_another_has_is_named_by_its_model(
    client: Client, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(vars(Product._meta.get_field("name")), "unique", True)
    with connection.cursor() as cursor:
        cursor.execute("CREATE UNIQUE INDEX ON shop_product (name)")
    same = send(client, f"parent,name\n{shop.pk},One\n{shop.pk},Two\n{shop.pk},Two\n")
    assert problem(same, 400, "refused")["detail"] == "name: Product with this Name already exists."
    assert not Product.objects.exists()
    assert send(client, f"parent,name\n{shop.pk},One\n{shop.pk},Two\n").json()["creates"] == 2


def test_new_rows_have_the_moment_of_saving_and_go_and_come_back(client: Client, alice: User) -> None:
    done = send(client, "name\nA\nB\n", kind="company").json()["changeSet"]
    first = dict(Company.objects.values_list("name", "updated_at"))
    assert all(moment is not None for moment in first.values())
    headers = Object.objects.filter(type="company")
    assert {each.key for each in headers} == {str(pk) for pk in Company.objects.values_list("pk", flat=True)}
    assert set(headers.values_list("version", flat=True)) == {1}
    undone = post_json(client, f"/api/v1/history/{done}/rollback", {}).json()
    assert not Company.objects.filter(name__in="AB").exists()
    assert post_json(client, f"/api/v1/history/{undone['id']}/rollback", {}).status_code == 201
    assert dict(Company.objects.values_list("name", "updated_at")) == first
