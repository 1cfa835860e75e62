"""Finds nodes by the words of a question, in PostgreSQL's full text; docs/retrieval.md says how it stays fast."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import add, mul
from typing import Any

from django.db import connection

from graphs.models import Graph
from graphs.site.planning import execute_anew
from graphs.site.row_store import as_array
from rag.retrieval.naming import said
from rag.sources.graphs import large_graphs, type_words
from rag.texts.stop_words import STOP_WORDS
from rag.texts.words import COMMON, beginning, forms, marked, mentions, plain, rarity, search_words

#: A graph with more nodes than this is large: only whole words search it, and common ones never alone.
LARGE = 2_000
#: Words from this length on also match as beginnings, in graphs that are not large.
PREFIX_FROM = 4
#: Rows of a large graph that are weighed, shared by the question's pairs of words side by side, and by its rare words.
WEIGHED_PAIRS = 200
WEIGHED_WORDS = 400
#: Rows of a large graph that are looked at where all words are common.
SAMPLED = 1_500
#: Rows of a large graph that come by the words of their types, shared by these.
WEIGHED_TYPES = 120
#: How many of the best by rank are weighed again by how rare their words are and by their names.
SHORTLIST = 60
#: How many that the question may name are weighed besides: other words of it may be in hundreds of nodes.
NAMED = 40
#: How many by the words of their types are weighed besides: a type may have all nodes.
TYPED = 40
#: What a word counts in data, in process, in type, and in key or name.
WEIGHTS = "{0.05, 0.2, 0.5, 1.0}"
#: Words that say little in any graph, written once: there are hundreds.
_LITTLE = as_array(sorted(STOP_WORDS))


@dataclass(frozen=True, slots=True)
class Hit:
    """A node that was found; a higher score is better. `said`: how the question names it (`naming`)."""

    node_id: int
    score: float
    said: int


@dataclass(frozen=True, slots=True)
class Survey:
    """What a search knows of a graph: `nodes` up to `LARGE` + 1, `common` words if it is large, `serving` model."""

    sheets: tuple[tuple[str, str], ...]
    nodes: int
    common: frozenset[str]
    serving: str

    @property
    def large(self) -> bool:
        return self.nodes > LARGE


@dataclass(frozen=True, slots=True)
class Searched:
    """The best nodes, and in a large graph all that were met on the way, whose vectors are worth a look."""

    survey: Survey
    hits: list[Hit]
    met: list[int]


#: The first nodes of a graph. PostgreSQL is not told the graph before it plans (`SELECT` around the value): it would
#: plan anew each time. It takes a range of graphs for a small part of all nodes: so it reads them by an index.
_FIRST = f"""
    SELECT id FROM graphs_node WHERE graph_id BETWEEN (SELECT %(graph)s::bigint) AND (SELECT %(graph)s::bigint)
    ORDER BY graph_id, type, id LIMIT {LARGE + 1}"""  # noqa: S608 - a constant
#: Which words are common nobody needs to know in a graph that is not large.
_SURVEY = """
    SELECT
        nodes,
        CASE WHEN nodes > %(large)s THEN ARRAY(
            SELECT word
            FROM pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs) AS e(word, part)
            WHERE schemaname = current_schema() AND tablename = 'graphs_node' AND attname = 'search'
                AND part > %(common)s AND (%(forms)s::text[] IS NULL OR word = ANY(%(forms)s))
        ) END AS common,
        ARRAY(SELECT ARRAY[key, name] FROM graphs_sheet WHERE graph_id = %(graph)s ORDER BY position, id) AS sheets,
        (SELECT name FROM rag_embeddingmodel WHERE serves) AS serving
    FROM (SELECT count(*) AS nodes FROM first_nodes) AS size"""
_ROWS = "SELECT id, key, name, type, search FROM graphs_node WHERE graph_id = %(graph)s"
#: All rows of a graph that is not large, looked up one by one (`OFFSET 0` keeps it so). Nothing is read of a large one
#: as if it were small.
_ROWS_OF_SMALL = """
    SELECT node.id, key, name, type, search
    FROM first_nodes CROSS JOIN LATERAL (SELECT * FROM graphs_node WHERE id = first_nodes.id OFFSET 0) AS node
    WHERE (SELECT nodes FROM survey) <= %(large)s"""


def search(graph: Graph, question: str, limit: int, sheet: str | None = None) -> Searched:
    """At most `limit` nodes that have words of the question, best first.

    One query; two of a large graph that was not searched before, or whose common words are others by now.
    """
    survey, rows, met = _run(_Query.of(question), graph, sheet)
    scores = weighed({node_id: ranks for node_id, _, _, *ranks in rows}, survey.nodes)
    names = [(node_id, key, name) for node_id, key, name, *_ in rows]
    named = said(question, names, survey.common if survey.large else ())
    hits = [Hit(node_id, score, named.get(node_id, 0)) for node_id, score in scores.items()]
    return Searched(survey, sorted(hits, key=lambda hit: (-hit.said, -hit.score, hit.node_id))[:limit], met)


_Ranks = Sequence[float]
_Row = tuple[int, str, str, _Ranks, _Ranks]
_Found = tuple["Survey", list[_Row], list[int]]


def _run(query: "_Query", graph: Graph, sheet: str | None) -> _Found:
    """What is known of the graph, the candidates, and all nodes that were met in a large one."""
    remembered = large_graphs.common_words(graph.pk)
    guess = None if remembered is None else remembered.intersection(query.forms)
    found = replace(query, common=guess).run(graph, sheet)
    survey = found[0]
    if not survey.large and guess is None:
        return found
    if not survey.large:
        large_graphs.forget(graph.pk)
        return _run(query, graph, sheet)
    if survey.common == guess:
        return found
    if guess is None:
        large_graphs.remember(graph.pk, survey.common)
    else:
        large_graphs.forget(graph.pk)
    survey = replace(survey, common=survey.common.intersection(query.forms))
    return replace(query, common=survey.common, survey=survey).run(graph, sheet)


def weighed(ranks: Mapping[int, Sequence[_Ranks]], nodes: int) -> dict[int, float]:
    """The score of each node, given what each word counts in it and in its type.

    The sum of both, each word weighed by how few nodes hold it themselves: no word gets common by what a type says.
    """
    own, of_types = (_holding(each[place] for each in ranks.values()) for place in (0, 1))
    holding = [count or by_type for count, by_type in zip(own, of_types, strict=True)]
    rarities = [rarity(count, max(nodes, count)) for count in holding]
    return {node: sum(map(mul, map(add, *both), rarities)) for node, both in ranks.items()}


def _holding(ranks: Iterable[_Ranks]) -> list[int]:
    """How many nodes have each word."""
    return [sum(rank > 0 for rank in word) for word in zip(*ranks, strict=True)]


@dataclass(frozen=True, slots=True)
class _Query:
    """The statement of one search: as that of a large graph with the question's `common` words if they are not None.

    Where no `survey` is given it surveys the graph as well.
    """

    words: tuple[str, ...]
    marked: tuple[str, ...]
    mentioned: tuple[str, ...]
    plain: str
    common: frozenset[str] | None = None
    survey: Survey | None = None

    @classmethod
    def of(cls, question: str) -> "_Query":
        return cls(search_words(question), marked(question), mentions(question), plain(question))

    @property
    def forms(self) -> list[str]:
        return [form for word in self.words for form in forms(word)]

    def run(self, graph: Graph, sheet: str | None) -> _Found:
        """The survey, the candidates (id, key, name, ranks by each word), and all that were met in a large graph.

        The survey's common words are all that there are, where none were guessed.
        """
        with connection.cursor() as cursor:
            statement, values = self.sql(sheet), self.values(graph, sheet)
            if self.common is None:
                cursor.execute(statement, values)
            else:
                execute_anew(cursor, statement, values)
            found = {row[0]: row for row in cursor.fetchall()}
        met, nodes, common, sheets, serving = found.pop(None)[5]
        survey = self.survey or Survey(
            tuple((key, name) for key, name in sheets), nodes, frozenset(common or ()), serving or ""
        )
        return survey, [row[:5] for row in found.values()], met or []

    def sql(self, sheet: str | None) -> str:
        """Ranked candidates, perhaps twice, then a row without a node: all candidates of a large graph, and the survey.

        There DISTINCT is needed: a node is met once for each of its words, and would take the place of others.
        """
        of_sheet = ""
        if sheet is not None:
            of_sheet = " AND sheet_id = (SELECT id FROM graphs_sheet WHERE graph_id = %(graph)s AND key = %(sheet)s)"
        met = "NULL" if self.common is None else "(SELECT array_agg(id) FROM candidates)"
        surveying, beside = "", f"SELECT json_build_array({met}, NULL, NULL, NULL, NULL)"
        if self.survey is None:
            surveying = f"first_nodes AS MATERIALIZED ({_FIRST}), survey AS MATERIALIZED ({_SURVEY}),"
            beside = f"SELECT json_build_array({met}, nodes, common, sheets, serving) FROM survey"  # noqa: S608
        rank, mentioned = _rank("search"), "key = ANY(%(mentioned)s)"
        arms = [f"({arm})" for arm in self._arms(of_sheet)]
        return f"""
            WITH {surveying} types AS MATERIALIZED ({type_words.FOUND}), met AS ({" UNION ALL ".join(arms)}),
            candidates AS MATERIALIZED (
                SELECT {"" if self.common is None else "DISTINCT ON (id)"} id, key, name, search, words
                FROM met LEFT JOIN types ON type_key = type
            )
            SELECT id, key, name, {_ranks("search")}, {_ranks("words")}, NULL
            FROM (
                (
                    SELECT * FROM candidates
                    WHERE {mentioned} OR name = ANY(%(mentioned)s) OR {_phrase("key")} OR {_phrase("name")}
                    ORDER BY key = ANY(%(marked)s) DESC, {mentioned} DESC, {rank} DESC, id LIMIT {NAMED}
                ) UNION ALL (
                    SELECT * FROM candidates ORDER BY {rank} DESC, id LIMIT {2 * SHORTLIST}
                ) UNION ALL (
                    SELECT * FROM candidates WHERE words IS NOT NULL
                    ORDER BY {_rank("words")} DESC, {rank} DESC, id LIMIT {TYPED}
                )
            ) AS shortlist
            UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, ({beside})"""  # noqa: S608 - only constants are put together

    def _arms(self, of_sheet: str) -> Iterator[str]:
        """The queries that candidates come from; the cost of each does not grow with the graph."""
        if self.common is None:
            named = "key = ANY(%(mentioned)s) OR name = ANY(%(mentioned)s)"
            of_type = "type = ANY(ARRAY(SELECT type_key FROM types))"
            yield f"{_ROWS_OF_SMALL}{of_sheet} AND ({named} OR search @@ %(any)s::tsquery OR {of_type})"
            return
        rows = f"{_ROWS}{of_sheet}"
        yield f"{rows} AND key = ANY(%(mentioned)s)"
        if self._rare():
            yield from _shared(WEIGHED_PAIRS, rows, "pair", len(self._pairs()))
            yield from _shared(WEIGHED_WORDS, rows, "rare", len(self._rare()))
        elif self.words:
            # In an order that an index has: going through all nodes PostgreSQL begins where somebody else's search
            # ended, and passes those of other graphs first.
            yield f"SELECT * FROM ({rows} ORDER BY key LIMIT {SAMPLED}) AS some_rows WHERE search @@ %(any)s::tsquery"  # noqa: S608
        if self.words:
            yield _of_types(of_sheet)

    def values(self, graph: Graph, sheet: str | None) -> dict[str, Any]:
        written = list(map(self._any_form, self.words))
        return {
            "graph": graph.pk,
            **type_words.values(graph),
            "sheet": sheet,
            "marked": list(self.marked),
            "mentioned": list(self.mentioned),
            "plain": f" {self.plain} ",
            "little": as_array([*STOP_WORDS, *self.common]) if self.common else _LITTLE,
            "any": " | ".join(written),
            "each": written,
            "weights": WEIGHTS,
            "large": LARGE,
            "common": COMMON,
            "forms": None if self.common is None else self.forms,
            **{f"pair{number}": pair for number, pair in enumerate(self._pairs())},
            **{f"rare{number}": word for number, word in enumerate(self._rare())},
        }

    def _any_form(self, word: str) -> str:
        exact = [f"'{form}'" for form in forms(word)]
        beginnings = [f"'{beginning(word)}':*"] if len(word) >= PREFIX_FROM and self.common is None else []
        return f"({' | '.join([*exact, *beginnings])})"

    def _rare(self) -> list[str]:
        """The words that are not common, each in its forms that are not."""
        rare = ([f"'{form}'" for form in forms(word) if self._is_rare(form)] for word in self.words)
        return [" | ".join(some) for some in rare if some]

    def _pairs(self) -> list[str]:
        """Two words that stand side by side in the question, one of them rare in all its forms."""
        return [
            f"{self._any_form(left)} & {self._any_form(right)}"
            for left, right in zip(self.words, self.words[1:], strict=False)
            if all(map(self._is_rare, forms(left))) or all(map(self._is_rare, forms(right)))
        ]

    def _is_rare(self, form: str) -> bool:
        return self.common is None or form not in self.common


def _rank(column: str) -> str:
    return f"ts_rank(%(weights)s::real[], {column}, %(any)s::tsquery)"


def _ranks(column: str) -> str:
    """What each word counts in a column, nothing where that is NULL."""
    rank = f"coalesce(ts_rank(%(weights)s::real[], {column}, word::tsquery), 0)"
    return f"ARRAY(SELECT {rank} FROM unnest(%(each)s::text[]) AS word)"  # noqa: S608 - constants


def _phrase(column: str) -> str:
    """Whether the question says the words of a key or name side by side, and not one word that says little."""
    words = f"translate(lower({column}), '-_.:/', '     ')"
    return f"(strpos(%(plain)s, ' ' || {words} || ' ') > 0 AND {words} <> ALL(%(little)s))"


def _shared(count: int, rows: str, query: str, queries: int) -> Iterator[str]:
    """Queries for so many rows in all, the same share for each: words of many nodes hide no others."""
    for number in range(queries):
        yield _first(-(-count // queries), f"{rows} AND search @@ %({query}{number})s::tsquery")


def _of_types(of_sheet: str) -> str:
    """The first nodes of each type that was found, the same share for each; those of a sheet among a bounded number.

    They are read in the order of the index that `type_words.FOUND` uses.
    """
    read = SAMPLED if of_sheet else WEIGHED_TYPES
    return f"""
        SELECT node.* FROM types CROSS JOIN LATERAL (
            SELECT id, key, name, type, search FROM (
                SELECT * FROM graphs_node WHERE graph_id = %(graph)s AND (type, id) > (type_key, 0)
                ORDER BY type, id LIMIT {read}
            ) AS first WHERE type = type_key{of_sheet} LIMIT {WEIGHED_TYPES} / (SELECT count(*) FROM types)
        ) AS node"""  # noqa: S608 - only constants are put together


def _first(count: int, rows: str) -> str:
    """SQL of some of the rows, by the index of words: told that a few are enough, PostgreSQL would scan for them."""
    return f"WITH every AS MATERIALIZED ({rows}) SELECT * FROM every LIMIT {count}"  # noqa: S608
