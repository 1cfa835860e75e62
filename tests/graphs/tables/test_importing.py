import re
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from graphs.models import ChangeSet, Object, Origin, Workspace
from graphs.tables import table
from tests.graphs.api.callers import post_json, problem, with_token
from tests.graphs.tables.files import API, preview, send, xlsx
from tests.registered import product, shops
from tests.shop.models import Product, Shop


def test_rows_become_objects_and_change_those_that_are_there(client: Client, shop: Shop) -> None:
    ball = product(shop, "Ball", price=Decimal(5))
    file = (
        f"id,parent,name,price,since,data.problem,data.scores\r\n"
        f'{ball.pk},{shop.pk},Ball,7.50,2026-01-31,It is flat,"[1, 2]"\r\n'
        f',{shop.pk},Net,12,,"- torn\n- wet",\r\n'
    )
    answer = send(client, file, reason="From the fair")
    assert answer.status_code == 201, answer.content
    assert {**answer.json(), "changeSet": ""} == {"changeSet": "", "creates": 1, "updates": 1}
    ball.refresh_from_db()
    assert (ball.price, ball.since, ball.data) == (
        Decimal("7.50"), date(2026, 1, 31), {"problem": "It is flat", "scores": [1, 2]}
    )  # fmt: skip
    net = Product.objects.get(name="Net")
    assert (net.shop, net.price, net.since, net.data) == (shop, 12, None, {"problem": ["torn", "wet"]})
    made = ChangeSet.objects.get(pk=answer.json()["changeSet"])
    assert (made.origin, made.reason, made.actor_label) == (Origin.IMPORT, "From the fair", "alice")


def test_one_undo_takes_all_of_it_back(client: Client, shop: Shop) -> None:
    ball = product(shop, "Ball", notes="round")
    done = send(client, f"id,parent,name,notes\n{ball.pk},{shop.pk},Ball,flat\n,{shop.pk},Net,wide\n").json()
    answer = post_json(client, f"/api/v1/history/{done['changeSet']}/rollback", {})
    assert answer.status_code == 201, answer.content
    assert list(Product.objects.values_list("name", "notes")) == [("Ball", "round")]


def test_a_preview_tells_and_changes_nothing(client: Client, shop: Shop) -> None:
    ball, net = product(shop, "Ball", notes="round"), product(shop, "Net", notes="wide")
    headers, change_sets = Object.objects.count(), ChangeSet.objects.count()
    file = f"id,parent,name,notes\n{ball.pk},{shop.pk},Ball,flat\n{net.pk},{shop.pk},Net,wide\n,{shop.pk},Bat,long\n"
    told = preview(client, file)
    assert (told["creates"], told["updates"], told["unchanged"], told["errors"]) == (1, 1, 1, [])
    assert [(row["row"], row["action"], row["title"]) for row in told["rows"]] == [
        (2, "update", "Ball"), (3, "unchanged", "Net"), (4, "create", "Bat")
    ]  # fmt: skip
    assert told["rows"][0]["changes"] == [{"field": "notes", "label": "notes", "old": "round", "new": "flat"}]
    assert told["rows"][2]["object"] is None
    assert Product.objects.count() == 2
    assert (Object.objects.count(), ChangeSet.objects.count()) == (headers, change_sets)


def test_labels_name_columns_in_english_and_in_the_persons_language(client: Client, shop: Shop) -> None:
    told = preview(client, f"Shop;Name;Problem\n{shop.pk};Net;wet\n")
    assert told["errors"] == []
    assert {change["field"] for change in told["rows"][0]["changes"]} >= {"name", "data.problem"}


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_csv_has_any_separator_and_encoding(client: Client, shop: Shop, separator: str, encoding: str) -> None:
    lines = [["parent", "name", "notes"], [str(shop.pk), "Été", '"one\r\ntwo"']]
    file = "\r\n".join(separator.join(line) for line in lines).encode(encoding)
    assert send(client, file).status_code == 201
    assert Product.objects.get().name == "Été"
    assert Product.objects.get().notes == "one\r\ntwo"


def test_a_decimal_comma_is_read_where_commas_divide_nothing(client: Client, shop: Shop) -> None:
    assert send(client, f"parent;name;price\n{shop.pk};Net;1 234,50\n").status_code == 201
    assert Product.objects.get().price == Decimal("1234.50")


def test_a_spreadsheet_is_read_with_its_types(client: Client, shop: Shop) -> None:
    file = xlsx(
        [["parent", "name", "price", "since", "weight"], [shop.pk, 2026, 7.5, date(2026, 1, 31), 3]],
        default_date_format="yyyy-mm-dd",
    )
    assert send(client, file).status_code == 201
    found = Product.objects.get()
    assert (found.name, found.price, found.since, found.weight) == ("2026", Decimal("7.5"), date(2026, 1, 31), 3.0)


def test_a_formula_is_not_worked_out(client: Client, shop: Shop) -> None:
    file = xlsx([["parent", "name"], [shop.pk, "=1+1"]])  # stored as a formula, with 0 as its last value
    told = preview(client, file)
    assert told["rows"][0]["title"] == "0"
    assert send(client, f"parent,name\n{shop.pk},=1+1\n").status_code == 201
    assert Product.objects.get().name == "=1+1"


def test_errors_are_told_by_row_and_column_and_nothing_is_stored(client: Client, shop: Shop) -> None:
    ball = product(shop, "Ball")
    file = (
        f"id,parent,name,price,since\n,{shop.pk},Net,2,\n,{shop.pk},Bat,-1,\n,{shop.pk},,3,\n"
        f",{shop.pk},Cap,cheap,\n,999999,Hat,1,\n{ball.pk},{shop.pk},Ball,1,soon\n{ball.pk},{shop.pk},Ball,2,\n"
    )
    told = preview(client, file)
    places = [(error["row"], error["column"], error["code"]) for error in told["errors"]]
    assert places == [
        (3, "price", "refused"),
        (4, "name", "refused"),
        (5, "price", "no_value"),
        (6, "parent", "no_parent"),
        (7, "since", "refused"),
        (8, "id", "id_twice"),
    ]
    assert told["errors"][0]["message"] == "A price is not negative."
    assert (told["errorCount"], told["expected"]) == (6, "")
    refused = problem(send(client, file), 400, "import_refused")
    assert refused["rowErrors"] == told["errors"]
    assert refused["errorCount"] == 6
    assert refused["errors"]["3.price"] == ["A price is not negative."]
    assert list(Product.objects.values_list("name", flat=True)) == ["Ball"]


def test_of_many_errors_the_first_hundred_are_told_with_their_count(client: Client, shop: Shop) -> None:
    refused = problem(send(client, "parent,name\n" + "999999,x\n" * 150), 400, "import_refused")
    assert (len(refused["rowErrors"]), refused["errorCount"]) == (100, 150)


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("", "empty"),
        ("name,colour\nNet,red\n", "unknown_column"),
        ("name,Name\nNet,Bat\n", "column_twice"),
        ("id\n7\n", "no_fields"),
        ("name\nNet,Bat\n", "no_head"),
        ('name\n"Net', "no_csv"),
        ("name\nN\0t\n", "unstorable"),
        (b"name\n\x81\x8d\n", "encoding"),
        (b"PK\x03\x04nothing", "no_spreadsheet"),
        (",".join(f"c{n}" for n in range(201)), "too_many_columns"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(client: Client, shop: Shop, file: str | bytes, code: str) -> None:
    answer = send(client, file, preview="true")
    told = answer.json() if answer.status_code == 200 else problem(answer, 400, "import_refused")
    assert [error["code"] for error in told.get("rowErrors") or told["errors"]] == [code]


def test_a_row_that_cannot_be_read_hides_no_error_of_others(client: Client, shop: Shop) -> None:
    lines = [
        "parent,name,price",
        *(f"{shop.pk},{cells}" for cells in ("Net,1,x", "B\0t,2", "Cat,-1", "Hat,1,,x", "Cap,3")),
    ]
    file = "\n".join(lines)
    told = preview(client, file)
    wrong = [(error["row"], error["column"], error["code"]) for error in told["errors"]]
    assert wrong == [(2, "", "no_head"), (3, "name", "unstorable"), (4, "price", "refused"), (5, "", "no_head")]
    assert problem(send(client, file), 400, "import_refused")["errorCount"] == 4
    assert not Product.objects.filter(name="Cap").exists()


@pytest.mark.parametrize(
    ("data", "english", "french"),
    [
        ('id,name\n"abc', "that nothing ends", "que rien ne ferme"),
        ('id,name\n"a"b,"x\n', "more of it follows", "celle-ci continue"),
        (f"id,name\n{'x' * 1_000_003},y\n", "longer than 1,000,000 characters", "dépasse 1\xa0000\xa0000 caractères"),
    ],
    ids=["open", "more behind", "long"],
)
def test_what_is_no_csv_is_told_in_the_readers_language(
    client: Client, shop: Shop, data: str, english: str, french: str
) -> None:
    for language, said in (("en", english), ("fr", french)):
        file = SimpleUploadedFile("rows", data.encode())
        refused = client.post(f"{API}/product/import", {"file": file}, headers={"Accept-Language": language})
        (error,) = problem(refused, 400, "import_refused")["rowErrors"]
        assert said in error["message"]
        assert not re.search("end of data|expected after|field limit", error["message"])


def test_too_many_rows_and_bytes_are_refused(client: Client, shop: Shop, settings: Settings, monkeypatch) -> None:
    monkeypatch.setattr(table, "MAX_ROWS", 3)
    assert preview(client, "name\n" + "x\n" * 3)["errorCount"] == 3  # of whose parents nothing is said
    refused = problem(send(client, "name\n" + "x\n" * 4), 400, "import_refused")
    assert refused["rowErrors"][0]["code"] == "too_many_rows"
    settings.MAX_IMPORT_BYTES = 1_000
    problem(send(client, "name\n" + "x" * 2_000), 413, "too_big")


def test_a_foreign_id_is_like_an_absent_one(
    client: Client, charlie: User, other_workspace: Workspace, shop: Shop
) -> None:
    theirs = product(Shop.objects.create(workspace=other_workspace, name="Theirs"), "Secret")
    absent = "00000000-0000-4000-8000-000000000007"
    told = [preview(client, f"id,parent,name\n{key},{shop.pk},Net\n") for key in (theirs.pk, absent)]
    assert [{**row, "title": ""} for row in told[0]["rows"]] == [{**row, "title": ""} for row in told[1]["rows"]]
    assert send(client, f"id,parent,name\n{theirs.pk},{shop.pk},Net\n").json()["creates"] == 1
    theirs.refresh_from_db()
    assert theirs.name == "Secret"
    assert Product.objects.get(name="Net").pk not in (theirs.pk, absent)
    foreign = preview(client, f"parent,name\n{theirs.shop_id},Net\n")["errors"]
    assert foreign == preview(client, "parent,name\n999999,Net\n")["errors"]


def test_who_may_not_edit_imports_nothing(bob: User, charlie: User, shop: Shop) -> None:
    file = f"parent,name\n{shop.pk},Net\n"
    problem(send(with_token(bob), file), 403, "forbidden")
    problem(send(with_token(bob), file, preview="true"), 403, "forbidden")
    problem(send(with_token(charlie), file), 400, "import_refused")  # whose workspace has no such shop
    problem(send(with_token(charlie), file, kind="planet"), 404, "not_found")


def test_may_edit_and_may_see_hold_for_each_row(client: Client, demo_workspace: Workspace) -> None:
    def visible(_member: object, row: Product) -> bool:
        return row.name != "Secret"

    def editable(_member: object, row: Product) -> bool:
        return row.notes != "kept"

    with shops(may_see=visible, may_edit=editable):
        shop = Shop.objects.create(workspace=demo_workspace, name="Sports")
        kept, secret = product(shop, "Kept", notes="kept"), product(shop, "Secret")
        head = "id,parent,name,notes"
        rows = f"{kept.pk},{shop.pk},Kept,gone\n{secret.pk},{shop.pk},Mine,\n,{shop.pk},New,kept\n"
        told = preview(client, f"{head}\n{rows}")
        assert [(error["row"], error["code"]) for error in told["errors"]] == [(2, "refused"), (4, "refused")]
        assert [(row["row"], row["action"]) for row in told["rows"]] == [(3, "create")]


def test_an_import_that_is_sent_again_is_done_once(client: Client, shop: Shop) -> None:
    file = f"parent,name\n{shop.pk},Net\n"

    def again(data: str) -> Any:
        upload = {"file": SimpleUploadedFile("rows", data.encode())}
        return client.post(f"{API}/product/import", upload, headers={"Idempotency-Key": "once"})

    assert again(file).json() == again(file).json()
    assert Product.objects.count() == 1
    problem(again(file + f"{shop.pk},Bat\n"), 422, "idempotency_key")


def test_nothing_is_stored_where_all_is_like_this_already(client: Client, shop: Shop) -> None:
    ball = product(shop, "Ball")
    answer = send(client, f"id,name\n{ball.pk},Ball\n")
    assert (answer.status_code, answer.json()["unchanged"]) == (200, 1)
    assert not ChangeSet.objects.filter(origin=Origin.IMPORT, size__gt=0).exists()


def test_what_came_by_a_file_is_untrusted(client: Client, shop: Shop) -> None:
    ball, net = product(shop, "Ball"), product(shop, "Net")
    assert send(client, f"id,parent,name\n{ball.pk},{shop.pk},Round\n{net.pk},{shop.pk},Net\n,{shop.pk},New\n")
    marked = Object.objects.filter(type="product", untrusted_since__isnull=False)
    new = Product.objects.get(name="New")
    assert {each.key for each in marked} == {str(ball.pk), str(new.pk)}
    assert {each.untrusted_by for each in marked} == {"alice"}
