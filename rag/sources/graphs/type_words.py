"""The node types of a workspace that have words of a question, for the statement that searches their nodes."""

from functools import cache
from typing import Any

from django.utils.translation import get_language, gettext

from graphs.models import Graph
from graphs.site.row_store import as_array
from graphs.workflows.node_types import BUILT_IN
from rag.texts.words import plain

#: Types of the graph that one question finds at most, and types of the workspace among which they are looked for.
MAX_TYPES = 10
LOOKED_AT = 100
_KEYS = as_array(BUILT_IN)
#: A relation of the best of them with their words: the display name weighs as code does, the rest as data. Nodes are
#: asked for in an order that only one index has: asked for a type alone, PostgreSQL may go through those of all graphs.
FOUND = f"""
    SELECT type_key, words FROM (SELECT * FROM (
        SELECT o.key AS type_key, t.search AS words
        FROM graphs_nodetype AS t JOIN graphs_object AS o ON o.id = t.object_id
        WHERE t.search @@ %(any)s::tsquery AND o.workspace_id = %(workspace)s AND o.key <> ALL(%(built_in)s)
        UNION ALL
        SELECT key, words::tsvector FROM unnest(%(built_in)s::text[], %(built_in_words)s::text[]) AS b(key, words)
        WHERE words::tsvector @@ %(any)s::tsquery
    ) AS every ORDER BY ts_rank(%(weights)s::real[], words, %(any)s::tsquery) DESC, type_key LIMIT {LOOKED_AT}) AS best
    WHERE (
        SELECT type FROM graphs_node WHERE graph_id = %(graph)s AND (type, id) > (type_key, 0) ORDER BY type, id LIMIT 1
    ) = type_key
    LIMIT {MAX_TYPES}"""  # noqa: S608 - constants


def values(graph: Graph) -> dict[str, Any]:
    """The parameters of `FOUND` but for the question's: built-in types in English and in the person's language."""
    return {
        "workspace": graph.workspace_id,
        "built_in": _KEYS,
        "built_in_words": _built_in_words(get_language()),
    }


@cache
def _built_in_words(language: str | None) -> str:
    """The texts of built-in types as PostgreSQL takes texts apart, which would cost more than to search them."""
    return as_array(
        " ".join((_words(each.display_name, "C"), _words(each.category, "D"), _words(each.description, "D")))
        for each in BUILT_IN.values()
    )


def _words(text: str, weight: str) -> str:
    words = plain(" ".join(dict.fromkeys((text, gettext(text))))).split()
    return " ".join(f"'{word}':{place}{weight}" for place, word in enumerate(words, 1))
