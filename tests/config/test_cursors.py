import pytest
from django.contrib.auth.models import User

from config.cursors import MOST_PARAMETERS
from graphs.models import Graph, Node


@pytest.mark.django_db
def test_a_statement_may_have_more_parameters_than_postgresql_takes(nba: Graph) -> None:
    own = list(Node.objects.values_list("pk", flat=True))
    many = [*own, *range(-MOST_PARAMETERS, 0)]
    assert set(Node.objects.filter(graph=nba, pk__in=many).values_list("pk", flat=True)) == set(own)


@pytest.mark.django_db
def test_few_are_bound_by_the_server(alice: User) -> None:
    """A value that would end a quoted text is one like any other."""
    assert User.objects.filter(username="'; SELECT 1; --").count() == 0
    assert User.objects.get(pk=alice.pk).username == "alice"
