import pytest
from django.utils import translation
from django.utils.translation import gettext_lazy

from graphs.history.diffs import diff_of, labelled
from graphs.models import Graph
from graphs.objects.operations import Create, Delete, Update
from graphs.objects.refs import Ref
from graphs.objects.stores import labels as labels_of
from tests.registered import shops
from tests.shop.models import Product

FETCH = Ref("node", "fetch-api")
EDGE = Ref("edge", "root-fetch-api")


def test_an_update_tells_its_fields() -> None:
    (entry,) = diff_of([Update(FETCH, {"name": "Fetch", "posX": 1.0}, {"name": "Get", "posX": 2.0})])

    assert entry["object"] == {"type": "node", "id": "fetch-api"}
    assert (entry["kindLabel"], entry["label"], entry["action"]) == ("node", "Fetch", "update")
    assert entry["fields"] == [
        {"field": "name", "label": "name", "form": "text", "old": "Fetch", "new": "Get"},
        {"field": "posX", "label": "x", "form": "number", "old": 1.0, "new": 2.0},
    ]


def test_code_and_json_come_with_lines() -> None:
    old = {"process": "a\nb", "data": {"url": "x"}}
    (entry,) = diff_of([Update(FETCH, old, {"process": "a\n\u200b", "data": {"url": "y"}})])

    code, data = entry["fields"]
    assert [(line["op"], line["text"]) for line in code["lines"]] == [(" ", "a"), ("-", "b"), ("+", "⟦U+200B⟧")]
    assert [line["text"] for line in data["lines"] if line["op"] == "+"] == ['  "url": "y"']


def test_what_comes_or_goes_tells_what_is_filled_in() -> None:
    record = {"type": "html", "sheet": "main", "name": "", "process": "", "data": {}, "handles": {}, "posX": 0.0}
    edge = {"source": "root", "target": "fetch-api", "sourceHandle": "", "id": 7, "version": 2}
    created, deleted = diff_of([Create(Ref("node", "page"), record), Delete(EDGE, edge)])

    assert (created["label"], created["action"]) == ("page", "create")
    assert {field["field"]: field["new"] for field in created["fields"]} == {
        "type": "html",
        "sheet": "main",
        "posX": 0.0,
    }
    assert (deleted["label"], deleted["action"]) == ("root → fetch-api", "delete")
    assert [(field["old"], field["new"]) for field in deleted["fields"]] == [("root", None), ("fetch-api", None)]


def test_names_that_operations_do_not_tell(nba: Graph) -> None:
    moved = Update(FETCH, {"posX": 200.0}, {"posX": 0.0})
    relabelled = Update(EDGE, {"label": ""}, {"label": "yes"})
    labels = labels_of(nba, [FETCH, EDGE, Ref("node", "gone")])

    assert [entry["label"] for entry in diff_of([moved, relabelled], labels)] == ["Fetch API", "root → fetch-api"]
    assert diff_of([moved])[0]["label"] == "fetch-api"


def test_a_stored_diff_is_told_in_the_readers_language() -> None:
    stored = diff_of([Update(FETCH, {"posX": 0.0}, {"posX": 1.0})])
    stored[0]["fields"][0]["label"] = "something else"

    with translation.override("fr"):
        (entry,) = labelled(stored)
    assert (entry["kindLabel"], entry["fields"][0]["label"]) == ("nœud", "x")


@pytest.mark.django_db
def test_several_of_a_registered_kind_have_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Product._meta, "verbose_name_plural", gettext_lazy("Graphs"))
    with shops():
        stored = diff_of([Update(Ref("product", "1"), {"name": "Chair"}, {"name": "Stool"})])
        with translation.override("fr"):
            (entry,) = labelled(stored)
    assert (stored[0]["kindPlural"], entry["kindPlural"]) == ("Graphs", "Graphes")
    assert "kindPlural" not in diff_of([Update(FETCH, {"name": "a"}, {"name": "b"})])[0]
