import pytest
from django.utils import translation
from django.utils.translation import gettext_lazy

from graphs.history.diffs import diff_in, diff_of, labelled
from graphs.models import Graph
from graphs.objects.operations import Create, Delete, Update
from graphs.objects.refs import Ref
from graphs.objects.stores import labels as labels_of
from tests.registered import shops
from tests.shop.models import Product
from tests.things import Thing, beside

FETCH = Ref("node", "fetch-api")
EDGE = Ref("edge", "root-fetch-api")


#: How the thing of a story is called, and its fields for name and text.
CALLED = {
    "node": ("node", "name", "process"),
    "nodeType": ("node type", "display name", "process"),
    "product": ("product", "name", "notes"),
}


@pytest.mark.django_db
def test_an_update_tells_its_fields(thing: Thing) -> None:
    old, new = {thing.text: "a", thing.name: "Fetch"}, {thing.text: "b", thing.name: "Get"}
    (entry,) = diff_of([Update(thing.item, old, new)])

    kind, name, text = CALLED[thing.item.type]
    assert entry["object"] == {"type": thing.item.type, "id": thing.item.key}
    assert (entry["kindLabel"], entry["label"], entry["action"]) == (kind, "Fetch", "update")
    first, second = entry["fields"]
    assert first == {"field": thing.name, "label": name, "form": "text", "old": "Fetch", "new": "Get"}
    assert (second["field"], second["label"], second["old"], second["new"]) == (thing.text, text, "a", "b")


def test_numbers_are_told_as_numbers() -> None:
    moved = Update(FETCH, {"name": "Fetch", "posX": 1.0}, {"name": "Get", "posX": 2.0})
    with shops():
        cheaper = Update(Ref("product", "1"), {"name": "Fetch", "weight": 1.0}, {"name": "Get", "weight": 2.0})
        told = [entry["fields"][1] for entry in diff_of([moved, cheaper])]
    assert told == [
        {"field": "posX", "label": "x", "form": "number", "old": 1.0, "new": 2.0},
        {"field": "weight", "label": "weight", "form": "number", "old": 1.0, "new": 2.0},
    ]


def test_a_value_within_a_column_is_told_alone() -> None:
    old = {"data.problem": "Too dark", "data.scores": {"a": 1}}
    with shops():
        (entry,) = diff_of([Update(Ref("product", "1"), old, {"data.problem": None, "data.scores": {"a": 2}})])
    problem, scores = entry["fields"]
    assert (problem["field"], problem["label"], problem["old"], problem["new"]) == (
        "data.problem", "problem", "Too dark", None
    )  # fmt: skip
    assert [(line["op"], line["text"]) for line in problem["lines"]] == [("-", '"Too dark"')]
    assert [(line["op"], line["text"]) for line in scores["lines"]] == [
        (" ", "{"), ("-", '  "a": 1'), ("+", '  "a": 2'), (" ", "}")
    ]  # fmt: skip


def test_code_and_json_come_with_lines() -> None:
    old = {"process": "a\nb", "data": {"url": "x"}}
    (entry,) = diff_of([Update(FETCH, old, {"process": "a\n\u200b", "data": {"url": "y"}})])

    code, data = entry["fields"]
    assert [(line["op"], line["text"]) for line in code["lines"] or ()] == [(" ", "a"), ("-", "b"), ("+", "⟦U+200B⟧")]
    assert [line["text"] for line in data["lines"] or () if line["op"] == "+"] == ['  "url": "y"']


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


@pytest.mark.django_db
def test_an_object_that_comes_or_goes_tells_what_is_filled_in(thing: Thing) -> None:
    record = thing.record | {thing.text: ""}
    created, deleted = diff_of([Create(Ref(thing.item.type, "new"), record), Delete(thing.item, thing.record)])

    assert (created["label"], created["action"]) == ("Fetch API", "create")
    filled = {name for name, value in record.items() if value not in (None, "", {}, [])}
    assert {field["field"] for field in created["fields"]} == filled
    assert thing.name in filled
    assert (deleted["label"], deleted["action"]) == ("Fetch API", "delete")
    gone = {field["field"]: (field["old"], field["new"]) for field in deleted["fields"]}
    assert (gone[thing.name], gone[thing.text]) == (("Fetch API", None), ("return fetch(url)", None))


@pytest.mark.django_db
def test_names_that_operations_do_not_tell(thing: Thing) -> None:
    other = beside(thing)
    changed = [Update(each.item, {thing.text: "a"}, {thing.text: "b"}) for each in (thing, other)]
    labels = labels_of(thing.around, [thing.item, other.item, Ref(thing.item.type, "gone")])

    assert [entry["label"] for entry in diff_of(changed, labels)] == ["Fetch API", "Return"]
    assert [entry["label"] for entry in diff_in(thing.around, changed)] == ["Fetch API", "Return"]
    assert [entry["label"] for entry in diff_of(changed)] == [thing.item.key, other.item.key]
    assert labels.keys() == {thing.item, other.item}


def test_an_edge_is_named_by_its_ends(nba: Graph) -> None:
    relabelled = Update(EDGE, {"label": ""}, {"label": "yes"})
    labels = labels_of(nba, [FETCH, EDGE, Ref("node", "gone")])

    assert [entry["label"] for entry in diff_of([relabelled], labels)] == ["root → fetch-api"]
    assert diff_of([relabelled])[0]["label"] == "root-fetch-api"


def test_a_stored_diff_is_told_in_the_readers_language() -> None:
    stored = diff_of([Update(FETCH, {"posX": 0.0}, {"posX": 1.0})])
    stored[0]["fields"][0]["label"] = "something else"

    with translation.override("fr"):
        (entry,) = labelled(stored)
    assert (entry["kindLabel"], entry["fields"][0]["label"]) == ("nœud", "x")


@pytest.mark.django_db
def test_a_stored_diff_of_an_object_is_told_in_the_readers_language(thing: Thing) -> None:
    stored = diff_of([thing.to("Fetch")])
    stored[0]["fields"][0]["label"] = "something else"

    with translation.override("fr"):
        (entry,) = labelled(stored)
    french = {"node": ("nœud", "nom"), "nodeType": ("type de nœud", "nom affiché"), "product": ("product", "name")}
    assert (entry["kindLabel"], entry["fields"][0]["label"]) == french[thing.item.type]


def test_of_a_kind_that_is_no_longer_there_fields_have_the_names_that_they_had() -> None:
    with shops():
        stored = diff_of([Update(Ref("product", "1"), {"name": "Chair"}, {"name": "Stool"})])
    told = diff_of([Update(Ref("product", "1"), {"name": "Chair"}, {"name": "Stool"})])
    assert labelled(stored) == stored
    assert (told[0]["kindLabel"], told[0]["label"], told[0]["fields"][0]["label"]) == ("product", "1", "name")


@pytest.mark.django_db
def test_an_application_translates_its_kind_and_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Product._meta, "verbose_name", gettext_lazy("graph"))
    monkeypatch.setattr(Product._meta.get_field("name"), "verbose_name", gettext_lazy("category"))
    with shops():
        stored = diff_of([Update(Ref("product", "1"), {"name": "Chair"}, {"name": "Stool"})])
        with translation.override("fr"):
            (entry,) = labelled(stored)
    assert (entry["kindLabel"], entry["fields"][0]["label"]) == ("graphe", "catégorie")


@pytest.mark.django_db
def test_several_of_a_registered_kind_have_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Product._meta, "verbose_name_plural", gettext_lazy("Graphs"))
    with shops():
        stored = diff_of([Update(Ref("product", "1"), {"name": "Chair"}, {"name": "Stool"})])
        with translation.override("fr"):
            (entry,) = labelled(stored)
    assert (stored[0]["kindPlural"], entry["kindPlural"]) == ("Graphs", "Graphes")
    assert "kindPlural" not in diff_of([Update(FETCH, {"name": "a"}, {"name": "b"})])[0]
