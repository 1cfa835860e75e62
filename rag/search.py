"""Finding nodes by the words of a question, in PostgreSQL's full text. Called by retrieval and by `search_nodes`.

How it stays fast from ten nodes to a million is told in docs/retrieval.md.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from django.db import connection

from graphs.models import Graph
from rag.words import beginning, forms, mentions, plain, search_words

#: A graph with more nodes than this is large: only whole words search it, and common ones never alone.
LARGE = 2_000
#: A word that is in more of all nodes than this says little.
COMMON = 0.01
#: Words from this length on also match as beginnings, in graphs that are not large.
PREFIX_FROM = 4
#: Rows of a large graph that are weighed at most: with words side by side, with any rare word.
WEIGHED_PAIRS = 200
WEIGHED_WORDS = 400
#: Rows of a large graph that are looked at where all words are common.
SAMPLED = 1_500
#: How many of the best by rank are weighed again by their names.
SHORTLIST = 60
#: What a word counts in data, in process, in type, and in key or name.
WEIGHTS = "{0.05, 0.2, 0.5, 1.0}"
#: What it counts that the question says a node's key, or its whole name.
KEY_MENTIONED = 10.0
NAME_MENTIONED = 5.0


@dataclass(frozen=True, slots=True)
class Hit:
    """A node that was found; a higher score is better."""

    node_id: int
    score: float


@dataclass(frozen=True, slots=True)
class Survey:
    """What a search has to know about a graph; `common` are those of the question's words that are frequent."""

    sheets: tuple[tuple[str, str], ...]
    large: bool
    common: frozenset[str]


class SearchHalf(Protocol):
    """One way of finding nodes; retrieval takes its hits best first. A vector half is to have the same shape."""

    def search(self, graph: Graph, survey: Survey, question: str, limit: int) -> list[Hit]: ...


def survey(graph: Graph, question: str) -> Survey:
    """Sheets, size and common words of a graph, in one query."""
    words = [form for word in search_words(question) for form in forms(word)]
    sql = """
        SELECT
            (SELECT count(*) FROM (
                SELECT 1 FROM graphs_node WHERE graph_id = %(graph)s LIMIT %(large)s + 1
            ) AS counted),
            ARRAY(
                SELECT word
                FROM pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs) AS e(word, part)
                WHERE schemaname = current_schema() AND tablename = 'graphs_node' AND attname = 'search'
                    AND part > %(common)s AND word = ANY(%(words)s)
            ),
            ARRAY(SELECT ARRAY[key, name] FROM graphs_sheet WHERE graph_id = %(graph)s ORDER BY position, id)"""
    with connection.cursor() as cursor:
        cursor.execute(sql, {"graph": graph.pk, "large": LARGE, "common": COMMON, "words": words})
        nodes, common, sheets = cursor.fetchone()
    return Survey(tuple((key, name) for key, name in sheets), nodes > LARGE, frozenset(common))


class TokenSearch:
    """The half that finds words."""

    def search(self, graph: Graph, survey: Survey, question: str, limit: int, sheet: str | None = None) -> list[Hit]:
        """At most `limit` nodes that have words of the question, best first; one query, none without words."""
        query = _Query.of(question, survey)
        if not query.words and not query.mentioned:
            return []
        with connection.cursor() as cursor:
            cursor.execute(query.sql(sheet), query.values(graph, sheet))
            rows = cursor.fetchall()
        text = f" {plain(question)} "
        scores = {node_id: rank + _named(key, name, query.mentioned, text) for node_id, key, name, rank in rows}
        best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
        return [Hit(node_id, score) for node_id, score in best[:limit]]


def _named(key: str, name: str, mentioned: Sequence[str], question: str) -> float:
    """What a node gains because the question says its key or its name."""
    if key in mentioned:
        return KEY_MENTIONED
    if name in mentioned or any(search_words(text) and f" {plain(text)} " in question for text in (key, name)):
        return NAME_MENTIONED + len(plain(name).split())
    return 0.0


@dataclass(frozen=True, slots=True)
class _Query:
    """The statement of one search."""

    words: tuple[str, ...]
    mentioned: tuple[str, ...]
    survey: Survey

    @classmethod
    def of(cls, question: str, survey: Survey) -> "_Query":
        return cls(search_words(question), mentions(question), survey)

    def sql(self, sheet: str | None) -> str:
        """Ranked candidates; a node may come twice."""
        rows = "SELECT id, key, name, search FROM graphs_node WHERE graph_id = %(graph)s"
        if sheet is not None:
            rows += " AND sheet_id = (SELECT id FROM graphs_sheet WHERE graph_id = %(graph)s AND key = %(sheet)s)"
        arms = [f"({rows} AND key = ANY(%(mentioned)s))", *(f"({arm})" for arm in self._arms(rows))]
        return f"""
            SELECT id, key, name, ts_rank(%(weights)s::real[], search, %(any)s::tsquery) AS rank
            FROM ({" UNION ALL ".join(arms)}) AS candidates ORDER BY rank DESC, id LIMIT {2 * SHORTLIST}"""  # noqa: S608

    def _arms(self, rows: str) -> Iterator[str]:
        """Where candidates come from; what each of them costs does not grow with the graph."""
        if self.words and not self.survey.large:
            yield f"SELECT * FROM ({rows} OFFSET 0) AS every WHERE search @@ %(any)s::tsquery"  # noqa: S608
        elif self._rare():
            if self._pairs():
                yield f"{rows} AND search @@ %(pairs)s::tsquery LIMIT {WEIGHED_PAIRS}"
            yield f"{rows} AND search @@ %(rare)s::tsquery LIMIT {WEIGHED_WORDS}"
        elif self.words:
            yield f"SELECT * FROM ({rows} LIMIT {SAMPLED}) AS some_rows WHERE search @@ %(any)s::tsquery"  # noqa: S608

    def values(self, graph: Graph, sheet: str | None) -> dict[str, Any]:
        return {
            "graph": graph.pk,
            "sheet": sheet,
            "mentioned": list(self.mentioned),
            "any": " | ".join(map(self._any_form, self.words)),
            "pairs": self._pairs(),
            "rare": self._rare(),
            "weights": WEIGHTS,
        }

    def _any_form(self, word: str) -> str:
        exact = [f"'{form}'" for form in forms(word)]
        beginnings = [f"'{beginning(word)}':*"] if len(word) >= PREFIX_FROM and not self.survey.large else []
        return f"({' | '.join([*exact, *beginnings])})"

    def _rare(self) -> str:
        """Any word that is not common."""
        return " | ".join(f"'{form}'" for word in self.words for form in forms(word) if self._is_rare(form))

    def _pairs(self) -> str:
        """Two words that stand side by side in the question, one of them rare in all its forms."""
        return " | ".join(
            f"({self._any_form(left)} & {self._any_form(right)})"
            for left, right in zip(self.words, self.words[1:], strict=False)
            if all(map(self._is_rare, forms(left))) or all(map(self._is_rare, forms(right)))
        )

    def _is_rare(self, form: str) -> bool:
        return form not in self.survey.common
