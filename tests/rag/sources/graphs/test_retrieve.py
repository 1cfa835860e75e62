import pickle
import uuid
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from redis.exceptions import ConnectionError as NoRedis

from graphs.history import changes, live_edits, rollback
from graphs.history.editing import Request
from graphs.history.recording import Because
from graphs.history.scopes import ChangeSets
from graphs.models import Edge, Graph, Node, NodeType, Origin
from graphs.objects import actions
from graphs.objects.operations import Update
from graphs.objects.refs import Ref
from graphs.site import valkey
from graphs.site.accounts import account_of
from graphs.workflows.live import editing
from rag.embeddings import embedding_models, serving_model
from rag.embeddings.collections import MAX_CHARS
from rag.embeddings.embedder import EmbeddingFailed
from rag.embeddings.local import LocalEmbedder
from rag.embeddings.updating import embed_all
from rag.sources.graphs import cache, text_search
from rag.sources.graphs.context import GraphContext, Options, configured
from rag.sources.graphs.nodes import GraphNodes
from rag.sources.graphs.retrieve import retrieve
from rag.sources.graphs.text_search import search
from tests.seeded import CANARY, World, world


@pytest.fixture
def here(db: None, settings, monkeypatch: pytest.MonkeyPatch) -> World:
    settings.REDIS_PREFIX = f"{settings.REDIS_PREFIX}:{uuid.uuid4().hex}"  # what other tests kept is elsewhere
    monkeypatch.setattr(valkey, "_away", {})
    return world()


def keys(context: GraphContext) -> list[str]:
    return [node.key for node in context.relevant_nodes]


def test_it_brings_the_node_that_is_asked_about_and_its_neighbours(here: World) -> None:
    context = retrieve(here.nba, "Que fait le node fetch-api ?")
    assert keys(context)[0] == "fetch-api"
    assert {"root", "filter-active", "error-handler", "display-html"} <= set(keys(context))


def test_it_describes_graph_nodes_edges_and_types(here: World) -> None:
    context = retrieve(here.nba, "fetch-api")
    fetch = context.relevant_nodes[0]
    assert (context.graph.key, context.graph.sheets[0]) == ("nba", ("main", "main"))
    assert (fetch.type_name, fetch.sheet_name) == ("API Call", "main")
    assert fetch.handles == "L: L-0 in(any); R: R-0 out(any) success, R-1 out(any) error"
    assert ("fetch-api", "R-1", "error-handler", "L-0", "error") in [
        (edge.source, edge.source_handle, edge.target, edge.target_handle, edge.label)
        for edge in context.relevant_edges
    ]
    assert {record.key for record in context.node_types} == {node.type for node in context.relevant_nodes}


def test_it_shows_where_a_graph_begins_when_nothing_matches(here: World) -> None:
    assert len(keys(retrieve(here.nba, "zebra"))) == 9
    assert keys(retrieve(here.nba, "zebra"))[0] == "root"
    starts = keys(retrieve(here.orders, "zebra"))
    assert set(starts[:3]) == {"order-received", "every-night", "complaint-received"}
    assert len(starts) == 20


def test_it_has_edges_only_between_its_nodes(here: World) -> None:
    context = retrieve(here.orders, "charge the card")
    assert {end for edge in context.relevant_edges for end in (edge.source, edge.target)} <= set(keys(context))


@pytest.mark.parametrize("question", ["fetch-api", "order invoice mail customer", "zebra", ""])
def test_it_needs_at_most_four_queries_and_shows_at_most_twenty_nodes(here: World, question: str) -> None:
    with CaptureQueriesContext(connection) as queries:
        context = retrieve(here.orders, question)
    assert len(queries) <= 4
    assert 0 < len(context.relevant_nodes) <= 20
    assert len(set(keys(context))) == len(context.relevant_nodes)


def test_a_context_holds_as_much_as_its_options_say(here: World) -> None:
    Node.objects.filter(graph=here.nba, key="fetch-api").update(process="x" * 50, data={"text": "y" * 50})
    context = retrieve(here.nba, "fetch-api", options=Options(nodes=3, depth=1, process_chars=20, data_chars=10))
    fetch = context.relevant_nodes[0]
    assert (fetch.process, fetch.data) == ("x" * 20 + "…", '{"text": "…')
    assert len(context.relevant_nodes) == 3
    assert len(retrieve(here.nba, "zebra", options=Options(4, 2, 20, 10)).relevant_nodes) == 4


@pytest.mark.parametrize(("depth", "reached"), [(0, set()), (1, {"root"}), (2, {"root", "entry-form"})])
def test_it_goes_as_many_steps_as_the_settings_say(here: World, settings, depth: int, reached: set[str]) -> None:
    settings.RETRIEVAL_DEPTH = depth
    assert {"root", "entry-form"} & set(keys(retrieve(here.nba, "fetch-api"))) == reached


def test_it_keeps_nothing_where_the_settings_say_so(here: World, settings, caplog: pytest.LogCaptureFixture) -> None:
    retrieve(here.nba, "fetch-api")
    settings.RETRIEVAL_CACHE_S = 0
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            retrieve(here.nba, "fetch-api")
        assert len(queries) > 0
    assert "its cache" not in caplog.text


def test_it_cuts_long_code_and_data(here: World) -> None:
    Node.objects.filter(graph=here.nba, key="root").update(process="x" * 5000, data={"text": "y" * 5000})
    root = next(node for node in retrieve(here.nba, "root").relevant_nodes if node.key == "root")
    assert root.process == "x" * 500 + "…"
    assert len(root.data) == 201


def test_it_is_not_crowded_out_by_a_hub(here: World) -> None:
    fetch = Node.objects.get(graph=here.nba, key="fetch-api")
    leaves = Node.objects.bulk_create(
        Node(graph=here.nba, sheet=fetch.sheet, key=f"leaf-{number}", type="filter") for number in range(200)
    )
    Edge.objects.bulk_create(
        Edge(graph=here.nba, sheet=fetch.sheet, key=f"e{leaf.key}", source=fetch, target=leaf) for leaf in leaves
    )
    context = retrieve(here.nba, "fetch-api and sort-stats")
    assert keys(context)[:2] == ["fetch-api", "sort-stats"]
    assert "root" in keys(context)
    assert len(context.relevant_nodes) <= 20


def test_it_shows_an_empty_graph_as_empty(here: World) -> None:
    graph = Graph.objects.create(workspace=here.alice.workspace, key="empty", name="Empty")
    context = retrieve(graph, "anything")
    assert (context.relevant_nodes, context.relevant_edges, context.node_types) == ((), (), ())


def test_it_sees_nothing_of_another_workspace(here: World) -> None:
    for question in ("fetch-api", "secret-node", CANARY, "zebra"):
        assert CANARY not in repr(retrieve(here.nba, question))
    assert "secret-node" in keys(retrieve(here.foreign_nba, "fetch-api"))


def test_it_remembers_a_question_until_the_graph_changes(here: World) -> None:
    first = retrieve(here.nba, "fetch-api")
    with CaptureQueriesContext(connection) as queries:
        assert retrieve(here.nba, "fetch-api") == first
    assert len(queries) == 0
    Node.objects.filter(graph=here.nba, key="fetch-api").update(name="Renamed")
    here.nba.version += 1
    assert retrieve(here.nba, "fetch-api").relevant_nodes[0].name == "Renamed"


def test_every_way_of_changing_a_graph_empties_what_was_kept(here: World) -> None:
    def shown() -> str:
        """What a question shows, asked of the graph as it is stored."""
        found = retrieve(Graph.objects.get(pk=here.nba.pk), "fetch-api")
        return next((node.name for node in found.relevant_nodes if node.key == "fetch-api"), "gone")

    def named(new: str) -> Update:
        return Update(Ref("node", "fetch-api"), {"name": shown()}, {"name": new})

    alice, before = here.alice.user, shown()
    live = actions.parse("update_node", {"nodeKey": "fetch-api", "updates": {"name": "Live"}})
    editing.edit(here.alice, here.nba.pk, Request([live], [], "", "key", "digest"))
    assert shown() == "Live" != before
    rollback.roll_back(here.nba.workspace_id, alice, ChangeSets(live_edits.save_edits(here.nba.pk)))
    assert shown() == before
    applied = changes.apply(here.nba, [named("By hand")], Because(alice, Origin.MANUAL))
    assert shown() == "By hand"
    rollback.roll_back(here.nba.workspace_id, alice, ChangeSets((applied.change_set_id,)))
    assert shown() == before
    gone = actions.parse("delete_node", {"nodeKey": "fetch-api"})
    editing.edit(here.alice, here.nba.pk, Request([gone], [], "", "other", "digest"))
    assert shown() == "gone"


def test_a_type_that_changes_through_another_graph_is_not_shown_as_it_was(
    here: World, settings: Any, django_capture_on_commit_callbacks: Any
) -> None:
    type_ = NodeType.objects.create(workspace=here.nba.workspace, key="mailer", display_name="Mailer")
    Node.objects.filter(graph=here.nba, key="fetch-api").update(type=type_.key)
    before = cache.read(here.nba, "fetch-api", configured())
    found = retrieve(here.nba, "fetch-api")
    assert found.relevant_nodes[0].type_name == "Mailer"
    change = Update(Ref("nodeType", "mailer"), {"displayName": "Mailer"}, {"displayName": "Post office"})
    with django_capture_on_commit_callbacks(execute=True):
        changes.apply(here.orders, [change], Because(None, Origin.MANUAL))
    assert retrieve(here.nba, "fetch-api").relevant_nodes[0].type_name == "Post office"
    cache.keep(before, found)  # by a retrieval that was under way
    assert 0 < valkey.client().ttl(before.key) <= settings.RETRIEVAL_CACHE_S
    assert retrieve(here.nba, "fetch-api").relevant_nodes[0].type_name == "Post office"
    named_for_s = valkey.client().ttl(cache._types(here.nba.workspace_id))
    assert named_for_s > cache.LONGEST_S + settings.RETRIEVAL_CACHE_S - 60


def embedded(graph: Graph) -> Graph:
    embedder = embedding_models.by_name(embedding_models.configured())
    serving_model.ensure_model(embedder, account_of(graph))
    assert sum(progress.embedded for progress in embed_all(GraphNodes(graph), embedder)) == graph.nodes.count()
    return graph


def test_it_also_finds_by_meaning(here: World) -> None:
    question = "deliveries by courier"
    assert search(here.orders, question, 20).hits == []
    assert keys(retrieve(embedded(here.orders), question))[0] == "book-carrier"


@pytest.mark.parametrize(("large", "asked"), [(2_000, 3), (5, 4)])
def test_it_needs_at_most_four_queries_with_vectors_too(
    here: World, large: int, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_search, "LARGE", large)
    embedded(here.orders)
    serving_model.clear_cache()
    with CaptureQueriesContext(connection) as queries:
        retrieve(here.orders, "order invoice mail customer")
    assert len(queries) == asked


def test_of_a_long_question_both_ends_are_embedded_as_long_as_a_node(
    here: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded(here.orders)
    embed, asked = LocalEmbedder.embed, []
    monkeypatch.setattr(LocalEmbedder, "embed", lambda *given: asked.extend(given[1]) or embed(*given))
    retrieve(here.orders, f"Which of these? {'a log, ' * 4_500} By courier?")
    (text,) = asked
    assert len(text) == MAX_CHARS
    assert text.startswith("Which of these?")
    assert text.endswith("By courier?")


def test_it_works_without_an_embedder(here: World, settings) -> None:
    embedded(here.nba)
    settings.EMBEDDING_PROVIDER = "none"
    assert keys(retrieve(here.nba, "fetch-api"))[0] == "fetch-api"


def test_it_works_while_the_embedder_fails(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    embedded(here.nba)
    monkeypatch.setattr(LocalEmbedder, "embed", failing)
    assert keys(retrieve(here.nba, "fetch-api"))[0] == "fetch-api"


def failing(*_: object) -> None:
    raise EmbeddingFailed("network")


class NoCache:
    def mget(self, *keys: str) -> list[bytes | None]:
        raise NoRedis("refused")

    def set(self, key: str, value: bytes, ex: int) -> None:
        raise NoRedis("refused")


def test_it_works_without_a_cache(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(valkey, "client", NoCache)
    assert keys(retrieve(here.nba, "fetch-api"))[0] == "fetch-api"


def test_it_asks_a_cache_that_is_away_once(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(NoCache, "mget", lambda self, *keys: asked.append(keys) or NoCache.set(self, "", b"", 0))
    monkeypatch.setattr(valkey, "client", NoCache)
    for _ in range(3):
        assert keys(retrieve(here.nba, "fetch-api"))[0] == "fetch-api"
    assert len(asked) == 1


def test_an_entry_that_cannot_be_read_is_none(here: World, caplog: pytest.LogCaptureFixture) -> None:
    place = cache.read(here.nba, "fetch-api", configured())
    valkey.client().set(place.key, b"crag.context\nNoLongerHere\n.", ex=60)
    with caplog.at_level("WARNING", logger="countersign.rag"):
        assert keys(retrieve(here.nba, "fetch-api"))[0] == "fetch-api"
    assert "cannot read its cache" in caplog.text


def test_what_a_version_with_other_fields_kept_is_not_read(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    other = retrieve(here.orders, "fetch-api")
    with monkeypatch.context() as patched:
        patched.setattr(cache, "SHAPE", "other")
        cache.keep(cache.read(here.nba, "fetch-api", configured()), other)
    assert retrieve(here.nba, "fetch-api") != other


def test_it_can_be_kept_in_a_shared_cache(here: World) -> None:
    context = retrieve(here.nba, "fetch-api")
    assert pickle.loads(pickle.dumps(context)) == context
