import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from graphs.models import Graph, Workspace
from graphs.workflows.listing import matching, with_sizes


@pytest.mark.parametrize("search", ["nba", "NBA", "scores nba", "games", "  ", "fetches SCORES", "nb\0a"])
def test_it_finds_a_graph_by_every_word(nba: Graph, search: str) -> None:
    assert list(matching(nba.workspace, search)) == [nba]


@pytest.mark.parametrize("search", ["nba basketball", "%", "_", "x" * 1000])
def test_it_finds_nothing_where_a_word_is_missing(nba: Graph, search: str) -> None:
    assert not matching(nba.workspace, search).exists()


def test_it_stays_in_the_workspace(nba: Graph, other_workspace: Workspace) -> None:
    assert not matching(other_workspace).exists()


def test_it_counts_nodes_and_edges_in_two_queries(
    nba: Graph, alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    empty = Graph.objects.create(workspace=nba.workspace, key="empty", name="Empty")
    with django_assert_num_queries(2):
        sized = with_sizes([nba, empty])
    assert [(item.nodes, item.edges) for item in sized] == [(3, 2), (0, 0)]
