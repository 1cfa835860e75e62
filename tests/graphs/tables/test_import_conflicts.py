"""What others changed between the preview of an import and the import."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from graphs.tables import importing
from tests.graphs.api.callers import post_json, problem
from tests.graphs.tables.files import API, preview, send
from tests.registered import product
from tests.shop.models import Product, Shop


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
