from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation
from django.utils.translation import gettext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from graphs.models import Graph, Node, NodeType, Sheet
from rag.sources.graphs import large_graphs, text_search
from rag.sources.graphs.text_search import _Query, search
from tests.seeded import World, world


@pytest.fixture
def here(db: None) -> World:
    return world()


def found(graph: Graph, question: str, limit: int = 20, sheet: str | None = None) -> list[str]:
    hits = search(graph, question, limit, sheet).hits
    keys = dict(Node.objects.values_list("pk", "key"))
    return [keys[hit.node_id] for hit in hits]


@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("What does fetch-api do?", "fetch-api"),
        ("explain fetchApi", "fetch-api"),
        ("Que fait le nœud « Only active players » ?", "filter-active"),
        ("what is sorted by points?", "sort-stats"),
        ("what is logged as a failure", "error-handler"),
        ("{{node:display-html}} ?", "display-html"),
    ],
)
def test_it_finds_first_what_is_asked_about(here: World, question: str, key: str) -> None:
    assert found(here.nba, question)[0] == key


@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("Où est calculé le risque de fraude ?", "score-fraud"),
        ("Que se passe-t-il quand la carte (card) est refusée ?", "charge-card"),
        ("Comment réserver les articles ?", "reserve-items"),
    ],
)
def test_it_understands_french_where_words_are_alike(here: World, question: str, key: str) -> None:
    assert key in found(here.orders, question)[:3]


def test_it_finds_nothing_for_words_that_are_nowhere(here: World) -> None:
    assert found(here.nba, "zebra crossing") == []


@pytest.mark.parametrize("question", ["", "   ", "what does it do?", "???", "' | & ! <-> :* \\", "a" * 5000])
def test_it_takes_any_text(here: World, question: str) -> None:
    assert found(here.nba, question) == []


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=200))
def test_it_can_be_asked_anything(here: World, question: str) -> None:
    search(here.nba, question, 20)


def test_it_finds_at_most_as_many_as_wanted(here: World) -> None:
    assert len(found(here.orders, "order invoice customer mail", limit=7)) == 7


def test_it_searches_one_sheet_where_told(here: World) -> None:
    assert found(here.nba, "players", sheet="data-processing") == ["sort-stats"]


def test_it_stays_in_the_graph(here: World) -> None:
    keys = dict(Node.objects.values_list("pk", "graph_id"))
    hits = search(here.nba, "fetch secret-node players", 20).hits
    assert {keys[hit.node_id] for hit in hits} == {here.nba.pk}


@pytest.mark.parametrize(("large", "asked"), [(2_000, [1, 1]), (5, [2, 1])])
def test_it_asks_the_database_once_and_of_a_large_graph_twice_the_first_time(
    here: World, large: int, asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_search, "LARGE", large)
    taken = []
    for question in ("invoice", "customer import"):
        with CaptureQueriesContext(connection) as queries:
            assert search(here.orders, question, 20).hits
        taken.append(len(queries))
    assert taken == asked


@pytest.mark.parametrize(
    ("question", "key"),
    [
        ('What does "7" do with the customer import?', "7"),
        ("what is before {{node:7}} and customer import", "7"),
        ("compare the customer import with night sync", "quiet"),
        ("compare the customer import with last ditch", "last_ditch"),
        ('What does "Find" do with the customer import?', "found"),
    ],
)
def test_what_is_named_is_found_however_many_nodes_have_the_other_words(here: World, question: str, key: str) -> None:
    named = (("7", "Pause"), ("quiet", "Night sync"), ("last_ditch", "Handler"), ("found", "Find"))
    crowd = ((f"k{number}", f"customer import {number}") for number in range(150))
    sheet = here.nba.sheets.get(key="main")
    Node.objects.bulk_create(
        Node(graph=here.nba, sheet=sheet, key=key, name=name, type="filter") for key, name in (*named, *crowd)
    )
    assert found(here.nba, question)[0] == key


@pytest.mark.parametrize("end", ["fetch-api", "Fetch API", "`fetch-api`", "{{node:fetch-api}}"])
@pytest.mark.parametrize("pasted", ["{}{}", '"{}{}"'])
def test_what_a_long_message_names_at_its_end_is_found(here: World, pasted: str, end: str) -> None:
    log = " ".join(pasted.format(word, number) for number in range(20) for word in ("amber", "basalt", "sorted"))
    assert found(here.nba, f"I pasted this log: {log}. What does {end} do?")[0] == "fetch-api"


def test_a_marked_key_comes_before_all_that_was_pasted(here: World) -> None:
    sheet = here.nba.sheets.get(key="main")
    pasted = [f"customer-import-{number}" for number in range(60)]
    Node.objects.bulk_create(Node(graph=here.nba, sheet=sheet, key=key, type="filter") for key in ["7", *pasted])
    assert found(here.nba, f"{pasted} What does {{{{node:7}}}} do?")[0] == "7"


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_graphs, "_large", set())


@pytest.fixture
def large(here: World, monkeypatch: pytest.MonkeyPatch) -> Graph:
    """A graph that counts as large, whose word "common" is in every node and known to be."""
    monkeypatch.setattr(text_search, "LARGE", 10)
    sheet = here.nba.sheets.get(key="main")
    Node.objects.bulk_create(
        Node(graph=here.nba, sheet=sheet, key=f"n{number}", name=f"common thing{number % 500}", type="filter")
        for number in range(2000)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE graphs_node")
    return here.nba


def test_it_knows_size_and_common_words_of_a_large_graph(large: Graph) -> None:
    known = search(large, "common thing7", 20).survey
    assert known.large
    assert known.common == {"common"}


QUESTIONS = ["common thing7", "thing7 zebra", "common", "what does n123 do, and common?", "filter", "", "zebra"]


@pytest.mark.parametrize("sheet", [None, "main"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_what_it_remembers_of_a_large_graph_changes_nothing(large: Graph, question: str, sheet: str | None) -> None:
    first, again = (search(large, question, 20, sheet) for _ in range(2))
    assert first == replace(again, met=first.met)
    assert sorted(first.met) == sorted(again.met)


@pytest.mark.parametrize("remembered", [frozenset(), frozenset({"thing7"}), frozenset({"common", "thing7"})])
@pytest.mark.parametrize("question", QUESTIONS)
def test_it_searches_again_where_other_words_are_common_by_now(
    large: Graph, question: str, remembered: frozenset[str]
) -> None:
    right = search(large, question, 20)
    large_graphs.remember(large.pk, remembered)
    again = search(large, question, 20)
    assert right == replace(again, met=right.met)
    assert sorted(right.met) == sorted(again.met)


@pytest.mark.parametrize("question", QUESTIONS)
def test_it_searches_again_where_a_graph_is_large_no_longer(
    large: Graph, question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    search(large, question, 20)
    large.nodes.filter(key__regex="^n[0-9]{3}").delete()
    monkeypatch.setattr(text_search, "LARGE", 5_000)
    again = search(large, question, 20)
    with CaptureQueriesContext(connection) as queries:
        assert again == search(large, question, 20)
    assert not again.survey.large
    assert len(queries) == 1, "it is forgotten"


def test_a_graph_that_grows_while_it_is_searched_is_searched_as_a_large_one(
    large: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = search(large, "thing7", 20)
    run, limits = _Query.run, iter([5_000])

    def growing(query: _Query, graph: Graph, sheet: str | None) -> Any:
        monkeypatch.setattr(text_search, "LARGE", next(limits, 10))
        return run(query, graph, sheet)

    monkeypatch.setattr(_Query, "run", growing)
    assert [hit.node_id for hit in search(large, "thing7", 20).hits] == [hit.node_id for hit in right.hits]


def test_it_remembers_a_bounded_number_of_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_graphs, "MOST", 3)
    for graph_id in range(10):
        large_graphs.remember(graph_id, frozenset({"common"}))
        assert large_graphs.common_words(graph_id) == {"common"}
    assert sum(large_graphs.common_words(graph_id) is not None for graph_id in range(10)) <= 3


def test_it_never_searches_a_large_graph_by_a_common_word_alone(large: Graph) -> None:
    assert set(found(large, "common thing7 zebra")) == {"n7", "n507", "n1007", "n1507"}


def test_it_shows_some_nodes_where_only_a_common_word_is_asked_for(large: Graph) -> None:
    assert len(found(large, "common")) == 20


def test_where_only_a_common_word_is_asked_for_it_goes_by_keys(large: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order of rows PostgreSQL begins anywhere, and may pass all nodes of other graphs first."""
    monkeypatch.setattr(text_search, "SAMPLED", 20)
    first = sorted(large.nodes.values_list("key", flat=True))[:20]
    assert set(found(large, "common")) == {key for key in first if key.startswith("n")}


def test_it_finds_keys_in_a_large_graph(large: Graph) -> None:
    assert found(large, "what does n123 do, and common?")[0] == "n123"


def test_it_says_whom_it_met_in_a_large_graph(large: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    question = "thing7 thing8"
    searched = search(large, question, 1)
    assert len(searched.hits) == 1
    keys = dict(Node.objects.values_list("pk", "key"))
    assert {keys[id_] for id_ in searched.met} == {f"n{n + part}" for n in (0, 500, 1000, 1500) for part in (7, 8)}
    monkeypatch.setattr(text_search, "LARGE", 10_000)
    assert search(large, question, 1).met == []


def test_it_prefers_words_that_stand_together(large: Graph) -> None:
    assert found(large, "only active players")[0] == "filter-active"


@pytest.mark.parametrize("name", ["Night sync", "Reconcile"])
def test_words_of_many_nodes_hide_no_other_in_a_large_graph(large: Graph, name: str) -> None:
    sheet = large.sheets.get(key="main")
    crowd = [f"customer import {number}" for number in range(500)]
    Node.objects.bulk_create(
        Node(graph=large, sheet=sheet, key=f"k{number}", name=each, type="filter")
        for number, each in enumerate([*crowd, name])
    )
    assert found(large, f"Is the customer import before {name}?")[0] == "k500"


def test_nodes_that_have_every_word_leave_room_for_others(large: Graph) -> None:
    words = "amber basalt cobalt dolomite emerald feldspar"
    sheet = large.sheets.get(key="main")
    names = [*(f"{words} {number}" for number in range(30)), *(f"amber {number}" for number in range(25))]
    Node.objects.bulk_create(
        Node(graph=large, sheet=sheet, key=f"k{number}", name=name, type="filter") for number, name in enumerate(names)
    )
    hits = search(large, words, 60).hits
    assert len(hits) == len(names)


def test_words_are_looked_up_and_a_large_graph_is_not_gone_through(
    large: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of few rows that are wanted PostgreSQL believes that it soon meets them."""
    monkeypatch.setattr(text_search, "WEIGHED_WORDS", 3)
    with connection.cursor() as cursor:
        cursor.execute("SELECT gin_clean_pending_list('node_search')")
    with CaptureQueriesContext(connection) as captured:
        assert len(found(large, "thing7 thing8 thing9")) == 3
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {captured[1]['sql']}")
        plan = "\n".join(row for (row,) in cursor.fetchall())
    assert plan.count("Bitmap Index Scan on node_search") == 5, plan


def test_a_kept_plan_reads_no_nodes_of_others_for_a_small_graph(here: World) -> None:
    """A connection keeps one plan for graphs of all sizes; most nodes are of one graph, as where somebody tries it."""
    sheet = Sheet.objects.create(graph=here.orders, key="many", name="Many", position=9)
    Node.objects.bulk_create(
        Node(graph=here.orders, sheet=sheet, key=f"k{number}", name="thing", type="filter") for number in range(20_000)
    )
    read = "SELECT seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'graphs_node'"
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE graphs_node")
        cursor.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        for _ in range(8):
            search(here.nba, "fetch players", 20)
        cursor.execute(read)
        before = cursor.fetchone()
        assert search(here.nba, "fetch players", 20).hits
        cursor.execute(read)
        assert cursor.fetchone() == before


@pytest.mark.parametrize("question", ["Where do parcels leave?", "courier dispatch", "Which are logistics steps?"])
def test_it_finds_nodes_by_what_their_type_is_called_and_does(here: World, question: str) -> None:
    """Display name, description and category of a type, none of which stands in a node."""
    described = {"display_name": "Courier dispatch", "description": "Parcels leave here.", "category": "logistics"}
    NodeType.objects.create(workspace=here.nba.workspace, key="x1", **described)
    Node.objects.filter(graph=here.nba, key="sort-stats").update(type="x1")
    assert found(here.nba, question)[:1] == ["sort-stats"]
    assert "sort-stats" not in found(here.foreign_nba, question)


def test_it_finds_nodes_of_built_in_types_in_either_language(here: World) -> None:
    assert "entry-form" in found(here.nba, "which fields does a person fill in?")
    with translation.override("fr"):
        assert "entry-form" in found(here.nba, str(gettext("Entry form")))


def test_types_cost_no_statement_more(here: World, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(1):
        search(here.nba, "courier dispatch", 20)


DESCRIBED = {"display_name": "Courier dispatch", "description": "Parcels leave here.", "category": "logistics"}


@pytest.fixture
def crowded(large: Graph) -> Graph:
    """A large graph, a third of whose nodes are of a type that is described; none of them has words of that."""
    NodeType.objects.create(workspace=large.workspace, key="x1", **DESCRIBED)
    NodeType.objects.create(workspace=large.workspace, key="x2", display_name="Weaving loom")
    large.nodes.filter(key__startswith="n", name__endswith="7").update(type="x1")
    large.nodes.filter(key="n1").update(type="x2")
    return large


@pytest.mark.parametrize("question", ["Where do parcels leave?", "courier dispatch", "Which are logistics steps?"])
def test_it_finds_nodes_of_a_large_graph_by_their_types(crowded: Graph, question: str) -> None:
    hits = found(crowded, question)
    assert len(hits) == 20
    assert {crowded.nodes.get(key=key).type for key in hits} == {"x1"}


def test_a_type_of_many_nodes_stands_behind_those_that_are_named_so(crowded: Graph) -> None:
    """However many of its words are said: neither their places nor their order change."""
    sheet = crowded.sheets.get(key="main")
    names = ("Courier hub", "Late dispatch", "Parcels in", "Invoice")
    Node.objects.bulk_create(
        Node(graph=crowded, sheet=sheet, key=f"k{number}", name=name, type="filter")
        for number, name in enumerate(names)
    )
    question = "courier dispatch of logistics parcels by invoice"
    first = found(crowded, question)
    assert set(first[:4]) == {"k0", "k1", "k2", "k3"}
    assert {crowded.nodes.get(key=key).type for key in first[4:]} == {"x1"}
    NodeType.objects.filter(key="x1").update(display_name="Thing", category="", description="")
    assert found(crowded, question) == first[:4]


def test_a_type_of_many_nodes_leaves_places_to_other_types(crowded: Graph) -> None:
    assert "n1" in found(crowded, "courier dispatch, weaving loom")


@pytest.mark.parametrize("most", [10, 100_000])
def test_types_that_a_graph_does_not_use_take_no_places(
    crowded: Graph, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_search, "LARGE", most)
    for number in range(50):
        NodeType.objects.create(workspace=crowded.workspace, key=f"t{number}", display_name="Courier dispatch")
    assert len(found(crowded, "courier dispatch")) == 20


def test_types_are_found_within_a_sheet_of_a_large_graph(crowded: Graph) -> None:
    sheet = crowded.sheets.get(key="data-processing")
    crowded.nodes.filter(key="n47").update(sheet=sheet)
    assert found(crowded, "courier dispatch", sheet="data-processing") == ["n47"]
    assert found(crowded, "courier dispatch", sheet="nowhere") == []


def test_types_of_other_workspaces_find_nothing_in_a_large_graph(crowded: Graph, here: World) -> None:
    NodeType.objects.filter(key="x1").delete()
    NodeType.objects.create(workspace=here.foreign_nba.workspace, key="x1", **DESCRIBED)
    assert found(crowded, "courier dispatch") == []


def test_a_large_graph_knows_built_in_types_in_either_language(crowded: Graph) -> None:
    assert "entry-form" in found(crowded, "which fields does a person fill in?")
    with translation.override("fr"):
        assert "entry-form" in found(crowded, str(gettext("Entry form")))


def test_types_cost_a_large_graph_no_statement_more(
    crowded: Graph, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(2):
        search(crowded, "courier dispatch", 20)


@pytest.mark.parametrize("most", [10, 100_000])
def test_the_words_of_many_types_are_looked_up(crowded: Graph, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """So are the nodes of the few that are found, of which a bounded number is read."""
    monkeypatch.setattr(text_search, "LARGE", most)
    for number in range(1_000):
        NodeType.objects.create(
            workspace=crowded.workspace, key=f"t{number}", display_name=f"Kind {number}", description="made " * 400
        )
    with connection.cursor() as cursor:
        cursor.execute("SELECT gin_clean_pending_list('node_type_search')")
        cursor.execute("ANALYZE graphs_nodetype, graphs_object")
    with CaptureQueriesContext(connection) as captured:
        assert search(crowded, "courier dispatch", 20).hits
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN ANALYZE {captured[-1]['sql']}")
        plan = "\n".join(row for (row,) in cursor.fetchall())
    assert "Bitmap Index Scan on node_type_search" in plan, plan
    assert ("Index Scan using node_of_type" in plan) == (most == 10), plan
