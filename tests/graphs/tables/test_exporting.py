import csv
import io
import json
import re
import zipfile
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphs.models import Workspace
from graphs.objects.kinds import Kind
from graphs.site.json_values import UNSTORABLE
from graphs.tables import exporting
from graphs.tables.cells import text_of, value_of
from tests.doors.naughty import NAUGHTY
from tests.graphs.api.callers import problem, with_token
from tests.graphs.tables.files import API, as_objects, exported, preview
from tests.registered import product, shops
from tests.shop.models import Product, Shop

STORABLE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufffe\uffff"), max_size=30)
FORMULA_LIKE = st.builds(str.__add__, st.sampled_from(["=", "+", "-", "@", "\t", "\r", "'", "'=", "''-"]), STORABLE)
TEXTS = (
    STORABLE
    | FORMULA_LIKE
    | st.sampled_from(
        [
            text
            for text in NAUGHTY.values()
            if not re.search(f"{UNSTORABLE.pattern}|\uffff", text) and len(text) < 32_000
        ]
    )
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(-1e15, 1e15).map(lambda x: x or 0.0) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STORABLE, inner, max_size=3),
    max_leaves=5,
)


def rows_of(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def test_every_format_tells_all_that_is_in_the_objects(client: Client, shop: Shop) -> None:
    ball = product(shop, "Ball", price=Decimal(5), data={"problem": "flat", "scores": [1, 2]})
    assert rows_of(exported(client)) == [
        {
            "id": str(ball.pk), "parent": str(shop.pk), "name": "Ball", "notes": "return fetch(url)", "price": "5.00",
            "since": "", "weight": "", "data.problem": "flat", "data.scores": "[1, 2]",
        }
    ]  # fmt: skip
    (told,) = as_objects(exported(client, "json"))
    assert (told["id"], told["title"], told["parent"]) == (str(ball.pk), "Ball", str(shop.pk))
    assert told["fields"]["data.scores"] == [1, 2]
    answer = client.get(f"{API}/product/export?format=xlsx")
    assert answer["Content-Disposition"] == 'attachment; filename="product.xlsx"'
    assert answer["Content-Type"].startswith("application/vnd.openxmlformats")


def test_filters_are_those_of_lists(client: Client, shop: Shop) -> None:
    other = Shop.objects.create(workspace=shop.workspace, name="Books")
    product(shop, "Ball"), product(shop, "Net"), product(other, "Atlas")
    assert [row["name"] for row in rows_of(exported(client, search="ne"))] == ["Net"]
    assert [row["name"] for row in rows_of(exported(client, parent=f"shop:{other.pk}"))] == ["Atlas"]
    assert [row["name"] for row in rows_of(exported(client, orderBy="-name"))] == ["Net", "Ball", "Atlas"]
    problem(client.get(f"{API}/product/export?format=csv&orderBy=data.scores"), 400, "validation")
    problem(client.get(f"{API}/product/export?format=pdf"), 400, "validation")
    problem(client.get(f"{API}/planet/export?format=csv"), 404, "not_found")


def test_of_what_may_not_be_seen_nothing_is_exported(client: Client, charlie: User, demo_workspace: Workspace) -> None:
    with shops(may_see=lambda _member, row: row.name != "Secret"):
        shop = Shop.objects.create(workspace=demo_workspace, name="Sports")
        product(shop, "Secret"), product(shop, "Ball")
        assert [row["name"] for row in rows_of(exported(client))] == ["Ball"]
        assert rows_of(exported(with_token(charlie))) == []


def test_nothing_is_a_file_with_heads_alone(client: Client, products: Kind) -> None:
    assert exported(client).decode("utf-8-sig").startswith("id,parent,name,")
    assert as_objects(exported(client, "json")) == []
    assert preview(client, exported(client, "xlsx"))["rows"] == []


@pytest.mark.parametrize("text", ["=1+1", "+1", "-cmd", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_spreadsheet_works_no_text_out(client: Client, shop: Shop, text: str) -> None:
    product(shop, text, notes=text)
    (row,) = rows_of(exported(client))
    assert row["name"] == f"'{text}"
    book = exported(client, "xlsx")
    assert b"<f>" not in _sheet(book)
    assert preview(client, book)["unchanged"] == 1


def test_a_negative_number_stays_a_number(client: Client, shop: Shop) -> None:
    product(shop, "Hole", weight=-2.5)
    (row,) = rows_of(exported(client))
    assert row["weight"] == "-2.5"
    assert b"<v>-2.5</v>" in _sheet(exported(client, "xlsx"))


@pytest.mark.parametrize("format_", ["csv", "xlsx"])
def test_what_an_export_writes_an_import_reads_as_unchanged(client: Client, shop: Shop, format_: str) -> None:
    for number, text in enumerate(NAUGHTY.values()):
        fits = len(text) <= exporting.MOST_CELL_CHARS and "\uffff" not in text
        if not UNSTORABLE.search(text) and (fits or format_ == "csv"):
            product(shop, f"{number} {text}"[:100], notes=text, data={"problem": text, "scores": [text, {"a": text}]})
    product(shop, "Nothing", notes="", data={})
    product(shop, "Null", data={"problem": None, "scores": 0})
    product(shop, "Digits", price=Decimal("-0.10"), weight=1e-7, data={"problem": "007", "scores": "[1]"})
    product(shop, "Large", weight=0.1 + 0.2, data={"problem": 12345678901234567890, "scores": True})
    told = preview(client, exported(client, format_))
    assert told["errors"] == []
    assert [row for row in told["rows"] if row["action"] != "unchanged"] == []
    assert told["unchanged"] == Product.objects.count()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(TEXTS, TEXTS, JSON), min_size=1, max_size=3))
@pytest.mark.parametrize("format_", ["csv", "xlsx"])
def test_any_value_survives_the_way_through_a_file(
    client: Client, shop: Shop, unlimited: None, format_: str, rows: list[tuple[str, str, Any]]
) -> None:
    Product.objects.all().delete()
    for name, notes, value in rows:
        product(shop, name[:100].strip() or "x", notes=notes, data={"problem": notes, "scores": value})
    told = preview(client, exported(client, format_))
    assert (told["unchanged"], told["errors"]) == (len(rows), [])


@pytest.fixture
def unlimited(settings: Any) -> None:
    settings.LIMIT_IMPORTS = "100000/min"


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=JSON)
def test_a_new_object_gets_the_json_that_the_cell_tells(products: Kind, value: Any) -> None:
    field = products.field("data.scores")
    read = value_of(products, field, text_of(products, field, value), None)
    assert json.dumps(read, sort_keys=True) == json.dumps(value, sort_keys=True)


@pytest.mark.parametrize("notes", ["x" * (exporting.MOST_CELL_CHARS + 1), "\ufffe", "a\uffff"])
def test_a_text_that_no_cell_holds_is_named(client: Client, shop: Shop, notes: str) -> None:
    ball = product(shop, "Ball", notes=notes)
    refused = problem(client.get(f"{API}/product/export?format=xlsx"), 400, "validation")
    assert f"notes of product:{ball.pk}" in refused["detail"]
    assert preview(client, exported(client))["unchanged"] == 1


@pytest.mark.parametrize("format_", ["csv", "xlsx", "json"])
def test_each_batch_takes_as_many_queries(
    client: Client, shop: Shop, monkeypatch: pytest.MonkeyPatch, format_: str
) -> None:
    monkeypatch.setattr(exporting, "BATCH", 10)

    def queries(count: int) -> int:
        Product.objects.all().delete()
        Product.objects.bulk_create(Product(shop=shop, name=f"P{number}") for number in range(count))
        with CaptureQueriesContext(
            connection,
        ) as captured:
            exported(client, format_)
        return len(captured)

    ten, hundred = queries(10), queries(100)
    assert hundred - ten == 9


def test_a_graph_that_is_called_export_is_read_as_any_other(client: Client, alice: User) -> None:
    problem(client.get(f"{API}/graph/export"), 404, "not_found")
    client.post("/api/v1/graphs", json.dumps({"name": "E", "key": "export"}), content_type="application/json")
    assert client.get(f"{API}/graph/export").json()["id"] == "export"
    assert "export," in exported(client, kind="graph").decode()


def _sheet(book: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        return archive.read("xl/worksheets/sheet1.xml")
