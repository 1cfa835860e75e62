"""What a model or the database refuses is told in our words and the reader's language; details are in the log."""

import logging
from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.db import connection, transaction
from django.db.models import ProtectedError, RestrictedError
from django.utils import translation

from graphs.models import Company, Edge, Graph, Node, Sheet
from graphs.objects.actions import ChangeRefused
from graphs.objects.kinds import KINDS
from graphs.objects.model_refusals import refusals_of
from graphs.site.json_input import BadJSON, parse_json

pytestmark = pytest.mark.django_db


def told(does: Callable[[], Any], language: str = "en") -> str:
    with (
        translation.override(language),
        pytest.raises(ChangeRefused) as refused,
        refusals_of(KINDS["company"]),
        transaction.atomic(),
    ):
        does()
    return str(refused.value).replace("\u00a0", " ")


def sql(statement: str) -> Callable[[], None]:
    def does() -> None:
        with connection.cursor() as cursor:
            cursor.execute(statement)

    return does


REFUSED: list[tuple[str, Callable[[], Any], str]] = [
    ("23505", lambda: Sheet.objects.create(graph=Graph.objects.get(), key="main"), "Another one has the same already"),
    ("23502", sql("UPDATE graphs_node SET name = NULL"), "name: a value is missing that the database needs"),
    ("23503", sql("DELETE FROM graphs_sheet; SET CONSTRAINTS ALL IMMEDIATE"), "is not there, or is still named"),
    ("23514", lambda: Sheet.objects.update(position=-1), "A rule of the database is not kept"),
    ("22001", lambda: Node.objects.update(name="x" * 300), "A text is longer than it takes"),
    ("22003", sql("UPDATE graphs_sheet SET position = 3000000000"), "A number is larger than it takes"),
    ("22P02", sql("SELECT 'mine'::integer"), "The log says why"),
]


@pytest.mark.parametrize(("state", "does", "said"), REFUSED)
def test_the_database_is_not_quoted(
    nba: Graph, state: str, does: Callable[[], Any], said: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "countersign.objects"):
        assert said in told(does)
    assert f"({state})" in caplog.text
    assert "mine" not in caplog.text
    french = told(does, "fr")
    assert french.startswith("La base de données refuse cela")
    assert not any(word in french for word in ("violates", "constraint", "relation", "graphs_", "type "))


def test_django_is_not_quoted(nba: Graph) -> None:
    def protected() -> None:
        raise ProtectedError("Cannot delete some instances of model 'Company'", set(Edge.objects.all()))

    def restricted() -> None:
        raise RestrictedError("Cannot delete some instances of model 'Company'", set(Edge.objects.all()))

    def absent() -> None:
        Company.objects.get(pk=0)

    assert told(protected) == told(restricted) == "It stays: edges still belong to it. Change or delete these first."
    assert told(protected, "fr").startswith("Ceci reste : des objets en dépendent encore (liens). ")
    assert told(absent) == "Something that this leads to is not there."
    assert told(absent, "fr") == "Quelque chose à quoi ceci mène n’existe pas."


def test_what_an_application_says_is_told_as_it_is() -> None:
    for error, said in (
        (ValidationError({"name": "No."}), "name: No."),
        (ProtectedError("It is still on offer.", set()), "It is still on offer."),
        (ObjectDoesNotExist("No warehouse has room."), "No warehouse has room."),
    ):

        def does(error: Exception = error) -> None:
            raise error

        assert told(does) == said


def test_json_is_refused_in_the_language_of_the_reader() -> None:
    with translation.override("fr"), pytest.raises(BadJSON) as refused:
        parse_json("\ufeff\ufeff{}".encode())
    assert refused.value.message.endswith("colonne 1\u00a0: lecture impossible.")
