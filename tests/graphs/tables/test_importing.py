import json
import re
import uuid
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from graphs.models import ChangeSet, Company, Folder, Graph, Modification, Object, Origin, UseCase, Workspace
from graphs.objects import one_by_one
from graphs.objects.kinds import Kind
from graphs.tables import importing, table
from tests.graphs.api.callers import post_json, problem, with_token
from tests.graphs.tables.files import API, exported, preview, send, xlsx
from tests.registered import product, shops
from tests.shop.models import Product, Shop


@pytest.fixture
def client(alice: User) -> Client:
    return with_token(alice)


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


def test_what_changed_since_the_preview_is_a_conflict(client: Client, alice: User, shop: Shop) -> None:
    ball, net = product(shop, "Ball", notes="round"), product(shop, "Net", notes="wide")
    file = f"id,parent,name,notes\n{ball.pk},{shop.pk},Ball,flat\n{net.pk},{shop.pk},Net,torn\n"
    seen = preview(client, file)["expected"]
    update = {"action": "update_object", "arguments": {"updates": {"notes": "oval"}}}
    assert post_json(client, f"{API}/product/{ball.pk}/changes", {"actions": [update]}).status_code == 201
    met = problem(send(client, file, expected=seen), 409, "conflict")
    (conflict,) = met["conflicts"]
    assert (conflict["object"]["id"], conflict["field"], conflict["by"]) == (str(ball.pk), "notes", "alice")
    assert (conflict["expected"], conflict["found"], conflict["wanted"]) == ("round", "oval", "flat")
    net.refresh_from_db()
    assert net.notes == "wide"
    problem(send(client, file + f",{shop.pk},Bat,long\n", expected=seen), 409, "stale")
    problem(send(client, file, expected="nonsense"), 409, "stale")
    assert send(client, file, expected=preview(client, file)["expected"]).json()["updates"] == 2


def test_of_many_conflicts_the_first_are_explained_in_as_many_statements_as_few(
    client: Client, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "MOST_CONFLICTS", 12)
    rows = [product(shop, f"Ball{number}", notes="round", weight=1) for number in range(20)]

    def refused(count: int) -> tuple[dict[str, Any], int]:
        file = "id,notes,weight\n" + "".join(f"{row.pk},flat,2\n" for row in rows[:count])
        seen = preview(client, file)["expected"]
        update = {"action": "update_object", "arguments": {"updates": {"notes": f"oval{count}", "weight": count}}}
        for row in rows[:count]:
            assert post_json(client, f"{API}/product/{row.pk}/changes", {"actions": [update]}).status_code == 201
        with CaptureQueriesContext(connection) as captured:
            met = problem(send(client, file, expected=seen), 409, "conflict")
        return met, len(captured)

    few, many = refused(3), refused(20)
    assert (len(few[0]["conflicts"]), "conflictCount" in few[0]) == (6, False)
    assert (len(many[0]["conflicts"]), many[0]["conflictCount"]) == (12, 40)
    assert {(each["by"], each["found"]) for each in many[0]["conflicts"]} == {("alice", "oval20"), ("alice", 20.0)}
    assert many[1] == few[1]


def test_conflicts_tell_the_beginnings_of_long_values(client: Client, shop: Shop) -> None:
    long = "x" * 300_000
    rows = [product(shop, f"Ball{number}", notes=f"{long} round") for number in range(3)]
    file = "id,notes\n" + "".join(f"{row.pk},{long} flat\n" for row in rows)
    told = preview(client, file)
    assert [(change["old"][-6:], change["new"][-5:]) for row in told["rows"] for change in row["changes"]] == [
        (" round", " flat")
    ] * 3
    update = {"action": "update_object", "arguments": {"updates": {"notes": f"{long} oval"}}}
    for row in rows:
        assert post_json(client, f"{API}/product/{row.pk}/changes", {"actions": [update]}).status_code == 201
    refused = send(client, file, expected=told["expected"])
    met = problem(refused, 409, "conflict")
    assert len(refused.content) < 10_000
    sides = {(each["cut"], each["expected"][:3], each["found"][-5:], each["wanted"][-5:]) for each in met["conflicts"]}
    assert sides == {(True, "xxx", " oval", " flat")}
    short = f"id,name\n{rows[0].pk},Round\n"
    seen = preview(client, short)["expected"]
    renamed = {"action": "update_object", "arguments": {"updates": {"name": "Oval"}}}
    assert post_json(client, f"{API}/product/{rows[0].pk}/changes", {"actions": [renamed]}).status_code == 201
    (whole,) = problem(send(client, short, expected=seen), 409, "conflict")["conflicts"]
    assert (whole["found"], whole["wanted"], "cut" in whole) == ("Oval", "Round", False)


def test_another_field_that_somebody_changed_stays(client: Client, shop: Shop) -> None:
    ball = product(shop, "Ball", notes="round")
    file = f"id,notes\n{ball.pk},flat\n"
    seen = preview(client, file)["expected"]
    Product.objects.filter(pk=ball.pk).update(price=9)
    assert send(client, file, expected=seen).status_code == 201
    ball.refresh_from_db()
    assert (ball.notes, ball.price) == ("flat", 9)


def test_what_was_deleted_since_the_preview_is_a_conflict(client: Client, shop: Shop) -> None:
    ball = product(shop, "Ball")
    file = f"id,parent,name\n{ball.pk},{shop.pk},Round\n"
    seen = preview(client, file)["expected"]
    ball.delete()
    met = problem(send(client, file, expected=seen), 409, "conflict")
    assert met["conflicts"][0]["found"] is None
    assert not Product.objects.exists()


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


def test_a_parent_is_named_by_its_title(client: Client, shop: Shop) -> None:
    answer = send(client, f"parent,name\nSports,Net\n{shop.pk},Bat\n Sports ,Cap\n")
    assert answer.status_code == 201, answer.content
    assert set(Product.objects.values_list("name", "shop")) == {("Net", shop.pk), ("Bat", shop.pk), ("Cap", shop.pk)}
    net = Product.objects.get(name="Net")
    assert preview(client, f"id,parent,name\n{net.pk},Sports,Net\n")["unchanged"] == 1


def test_a_title_of_several_names_none_and_tells_their_keys(client: Client, shop: Shop) -> None:
    other = Shop.objects.create(workspace=shop.workspace, name="Sports")
    (error,) = preview(client, "Shop,name\nSports,Net\n")["errors"]
    assert (error["code"], error["column"], error["head"]) == ("parent_unclear", "parent", "Shop")
    assert error["message"] == f"Several are called “Sports”. Write the id of one of them: {shop.pk}, {other.pk}."


def test_a_title_that_one_may_not_see_is_like_one_that_nothing_has(
    client: Client, shop: Shop, other_workspace: Workspace
) -> None:
    Shop.objects.create(workspace=other_workspace, name="Theirs")
    foreign, absent = (preview(client, f"parent,name\n{title},Net\n")["errors"] for title in ("Theirs", "Nowhere"))
    assert foreign == absent
    assert [each["code"] for each in absent] == ["no_parent"]
    Shop.objects.create(workspace=other_workspace, name="Sports")
    assert preview(client, "parent,name\nSports,Net\n")["errors"] == []


@pytest.mark.parametrize("text", ["ready", "Ready", "READY", " ready "])
def test_a_choice_is_named_as_the_page_shows_it(client: Client, text: str) -> None:
    assert send(client, f"name,status\nNorthwind,{text}\n", "company").status_code == 201
    assert Company.objects.get(name="Northwind").status == "ready"


@pytest.mark.parametrize("text", ["Prêt", "prêt", "Ready", "ready"])
def test_a_choice_is_named_in_the_readers_language_too(client: Client, text: str) -> None:
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "fr"
    assert send(client, f"name,status\nNorthwind,{text}\n", "company").status_code == 201
    assert Company.objects.get(name="Northwind").status == "ready"


def test_what_is_no_choice_is_told_the_choices(client: Client) -> None:
    (error,) = preview(client, "name,Status\nNorthwind,Done\n", "company")["errors"]
    assert (error["column"], error["head"]) == ("status", "Status")
    assert error["message"] == "This is none of: draft, ready, archived."
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "fr"
    (error,) = preview(client, "name,status\nNorthwind,Prêt-à-porter\n", "company")["errors"]
    assert "prêt (ready)" in error["message"]


def test_what_is_wrong_within_a_column_is_told_of_the_column(client: Client) -> None:
    file = 'Name,Value scores\nSlots,"[{""axisId"": ""a"", ""rating"": 9}]"\n'
    (error,) = preview(client, file, "usecase")["errors"]
    assert (error["row"], error["column"], error["head"]) == (2, "data.valueScores", "Value scores")
    assert error["message"].startswith("0.rating: ")


def test_what_is_only_set_by_itself_is_no_choice_for_files(client: Client) -> None:
    (error,) = preview(client, "name,status\nNorthwind,Generating\n", "company")["errors"]
    assert (error["column"], error["code"]) == ("status", "refused")


def test_a_row_without_a_name_has_one_error(client: Client) -> None:
    (error,) = preview(client, "Name,status\n,ready\n", "usecase")["errors"]
    assert (error["row"], error["column"], error["head"]) == (2, "data.name", "Name")


def test_a_wrong_parent_hides_no_other_error(client: Client, shop: Shop) -> None:
    told = preview(client, "Shop,Name,Price,Weight\nNowhere,Net,-1,much\n")["errors"]
    assert {(each["column"], each["head"]) for each in told} == {
        ("parent", "Shop"), ("price", "Price"), ("weight", "Weight")
    }  # fmt: skip
    assert Product.objects.count() == 0


def test_each_line_is_one_of_the_texts_where_a_field_has_texts(client: Client, demo_workspace: Workspace) -> None:
    text = '"Faster picking\nFewer errors\n\n- Less paper"'
    answer = send(client, f"data.name,data.benefits,data.problem\nPicking,{text},{text}\n", "usecase")
    assert answer.status_code == 201, answer.content
    made = UseCase.objects.get()
    assert made.data["benefits"] == ["Faster picking", "Fewer errors", "Less paper"]
    assert made.data["problem"] == "Faster picking\nFewer errors\n\n- Less paper"
    # A text of lines that is there stays what it is through a file.
    made.data["benefits"] = "One\ntwo"
    made.save()
    assert preview(client, exported(client, kind="usecase"), "usecase")["unchanged"] == 1


def test_objects_are_moved_by_a_file_of_ids_and_parents(client: Client, demo_workspace: Workspace) -> None:
    here, there = (Folder.objects.create(workspace=demo_workspace, name=name) for name in ("Here", "There"))
    moved, stays, freed = (
        UseCase.objects.create(workspace=demo_workspace, folder=here, data={"name": name}) for name in "abc"
    )
    file = f"id,parent\n{moved.pk},There\n{stays.pk},{here.pk}\n{freed.pk},\n"
    told = preview(client, file, "usecase")
    assert (told["creates"], told["updates"], told["unchanged"], told["errors"]) == (0, 2, 1, [])
    change = told["rows"][0]["changes"][0]
    assert (change["old"], change["oldTitle"], change["new"], change["newTitle"]) == (
        str(here.pk), "Here", str(there.pk), "There"
    )  # fmt: skip
    assert send(client, file, "usecase").status_code == 201
    for case, folder in ((moved, there), (stays, here), (freed, None)):
        case.refresh_from_db()
        assert case.folder == folder
    unknown = problem(send(client, f"id,parent\n{uuid.uuid4()},There\n", "usecase"), 400, "import_refused")
    assert [(error["row"], error["column"]) for error in unknown["rowErrors"]] == [(2, "data.name")]
    nothing = problem(send(client, "parent\nThere\n", "usecase"), 400, "import_refused")
    assert nothing["rowErrors"][0]["code"] == "no_fields"


def test_one_bullet_is_a_list(client: Client, shop: Shop) -> None:
    assert send(client, f"parent,name,data.problem\n{shop.pk},Net,- torn\n").status_code == 201
    assert Product.objects.get().data == {"problem": ["torn"]}


@pytest.mark.parametrize(
    ("text", "value"),
    [("2027", ["2027"]), ("- 2027", ["2027"]), ("true", ["true"]), ('["a"]', ["a"]), ("Fair 2027", "Fair 2027")],
)
def test_a_number_among_texts_is_a_list_of_one_text(client: Client, text: str, value: object) -> None:
    cell = text.replace('"', '""')
    assert send(client, f'data.name,data.references\nRoutes,"{cell}"\n', "usecase").status_code == 201
    made = UseCase.objects.get(data__name="Routes")
    assert made.data["references"] == value
    assert preview(client, exported(client, kind="usecase"), "usecase")["unchanged"] == 1


def test_a_title_that_nobody_sees_is_refused_of_any_kind(client: Client, shop: Shop) -> None:
    (error,) = preview(client, f"parent,Name\n{shop.pk},\u200b\n")["errors"]
    assert (error["column"], error["head"], error["message"]) == ("name", "Name", "a name is more than spaces")
    (error,) = preview(client, "name\n\u200b\n", "graph")["errors"]
    assert error["column"] == "name"
