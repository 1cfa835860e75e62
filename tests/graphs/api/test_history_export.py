"""GET history/export: all that was ever changed on an object, as JSON, CSV and PDF."""

import csv
import io
import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from pypdf import PdfReader

from graphs.history import changes
from graphs.history.recording import Because
from graphs.models import ChangeSet, Graph, Modification, Object, Origin
from graphs.objects.operations import OTHER_COLUMNS, Update
from graphs.objects.refs import Ref
from tests.graphs.api.callers import problem, with_token
from tests.sent_files import as_file, content_of

pytestmark = pytest.mark.django_db
FORMULA = "=HYPERLINK(1)"


def exported(user: User, query: str) -> Any:
    return with_token(user).get(f"/api/v1/history/export?{query}")


@pytest.fixture
def changed(alice: User, nba: Graph) -> Graph:
    before = nba.description
    for old, new in ((before, FORMULA), (FORMULA, "Après مرحبا")):
        because = Because(alice, Origin.MANUAL, reason="=why")
        changes.apply(nba, [Update(Ref("graph", "nba"), {"description": old}, {"description": new})], because)
    return nba


def test_json_and_csv_have_every_modification(bob: User, changed: Graph) -> None:
    told = json.loads(content_of(exported(bob, "object=graph:nba&format=json")))
    assert told["object"] == {"type": "graph", "id": "nba"}
    first, second = told["modifications"]
    assert (first["new"], second["old"], second["new"]) == (FORMULA, FORMULA, "Après مرحبا")
    assert (second["version"] - first["version"], second["who"], second["origin"]) == (1, "alice", "manual")
    answer = exported(bob, "object=graph:nba&format=csv")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="history-graph.csv"'
    rows = list(csv.DictReader(io.StringIO(content_of(answer).decode("utf-8-sig"))))
    assert [row["new"] for row in rows] == [f"'{FORMULA}", "Après مرحبا"]
    assert {row["reason"] for row in rows} == {"'=why"}
    assert {row["item"] for row in rows} == {"graph:nba"}


def test_columns_that_are_no_fields_are_not_told(alice: User, changed: Graph) -> None:
    values = {"type": "graph", "kind": "graph", "key": "nba", "version": 9, "sequence": 9, "action": "delete"}
    of = Object.objects.get(type="graph", key="nba").pk
    old = {"id": 7_777, "name": "Shown", OTHER_COLUMNS: {"secret": "hidden"}}
    Modification.objects.create(change_set=ChangeSet.objects.first(), object=of, old=old, **values)
    for format_ in ("json", "csv"):
        text = content_of(exported(alice, f"object=graph:nba&format={format_}")).decode()
        assert "Shown" in text
        assert "hidden" not in text
        assert "7777" not in text
    with as_file(exported(alice, "object=graph:nba&format=pdf")) as file:
        assert "hidden" not in "".join(page.extract_text() for page in PdfReader(file).pages)


def test_pdf_tells_versions_and_values(bob: User, changed: Graph) -> None:
    with as_file(exported(bob, "object=graph:nba&format=pdf")) as file:
        text = "".join(page.extract_text() for page in PdfReader(file).pages)
    assert "History of graph:nba" in text
    assert "alice" in text
    assert FORMULA in text


@pytest.mark.parametrize(
    ("query", "field"),
    [("format=csv", "object"), ("object=graph:nba", "format"), ("object=graph:nba&format=x", "format")],
)
def test_it_names_what_is_not_right(alice: User, nba: Graph, query: str, field: str) -> None:
    assert field in problem(exported(alice, query), 400, "validation")["errors"]


def test_a_foreign_object_is_absent(charlie: User, changed: Graph) -> None:
    foreign = exported(charlie, "object=graph:nba&format=csv")
    problem(foreign, 404, "not_found")
    assert foreign.content == exported(charlie, "object=graph:none&format=csv").content
