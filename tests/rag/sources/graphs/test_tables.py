"""A context's text, which is kept for the next question that is told of the same."""

from dataclasses import replace

from rag.sources.graphs.context import GraphContext, GraphFacts, RelevantEdge, RelevantNode, RelevantType
from rag.sources.graphs.tables import GROUPED_BY, block_of, tables_of
from rag.texts.tables import encode_tables

FACTS = GraphFacts("nba", "NBA", "", (("main", "Main"),), {})
FIRST = RelevantNode("a", "Fetch", "filter", "Filter", "main", "Main", "return 1", "", "L: L-0 in(any)")
SECOND = replace(FIRST, key="b", name="Store")
EDGE = RelevantEdge("a", "R-0", "b", "L-0", "")
TYPE = RelevantType("filter", "Sieve", "Keeps some.", "custom", "", "")
CONTEXT = GraphContext(FACTS, (FIRST, SECOND), (EDGE,), (TYPE,))


def test_a_context_is_told_as_it_is_whatever_was_told_before() -> None:
    others = [
        replace(CONTEXT, relevant_nodes=(SECOND, FIRST)),
        replace(CONTEXT, relevant_nodes=(replace(FIRST, process="return 2"), SECOND)),
        replace(CONTEXT, relevant_nodes=(FIRST, replace(SECOND, sheet_name="Other"))),
        replace(CONTEXT, relevant_edges=(replace(EDGE, label="error"),)),
        replace(CONTEXT, node_types=(replace(TYPE, description="Drops some."),)),
        replace(CONTEXT, node_types=()),
    ]
    bodies = []
    for context in (CONTEXT, *others, CONTEXT, *others):
        bodies.append(block_of(context).body)
        assert bodies[-1] == encode_tables(tables_of(context), GROUPED_BY)
    assert len(set(bodies)) == 1 + len(others)


def test_the_graph_is_named_that_the_question_is_about() -> None:
    other = replace(CONTEXT, graph=replace(FACTS, key="orders"))
    assert block_of(CONTEXT).body == block_of(other).body
    assert "'nba'" in block_of(CONTEXT).heading
    assert "'orders'" in block_of(other).heading
    assert block_of(CONTEXT).read != block_of(other).read
