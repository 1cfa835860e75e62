"""Few values and many name the same rows."""

import pytest

from graphs.models import Graph, Node
from graphs.site import any_of as module
from graphs.site.any_of import any_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("few", [1_000, 0])
def test_it_finds_the_rows_with_these_values(nba: Graph, monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    monkeypatch.setattr(module, "FEW", few)
    ids = list(Node.objects.filter(key__in=("root", "return")).values_list("pk", flat=True))
    for condition in (any_of("id", ids), any_of("key", {"root", "return", "it's, {no}", '"'})):
        assert set(Node.objects.filter(condition, graph=nba).values_list("key", flat=True)) == {"root", "return"}
    ends = any_of("source", ids) | any_of("target", ids)
    assert set(nba.edges.filter(ends).values_list("key", flat=True)) == set(nba.edges.values_list("key", flat=True))
    assert not Node.objects.filter(any_of("id", ())).exists()


def test_many_values_are_one_parameter(nba: Graph) -> None:
    statement, parameters = Node.objects.filter(any_of("id", range(1_001))).query.sql_with_params()
    assert "= ANY(%s::bigint[])" in statement
    assert parameters == (list(range(1_001)),)
