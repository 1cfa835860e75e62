"""Finds nodes by the words of a question, in PostgreSQL's full text; docs/retrieval.md says how it stays fast."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import mul
from typing import Any

from django.db import connection
from django.utils.translation import gettext

from graphs.models import Graph
from graphs.workflows.node_types import BUILT_IN
from rag.retrieval.naming import said
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
#: How many of the best by rank are weighed again by how rare their words are and by their names.
SHORTLIST = 60
#: How many that the question may name are weighed besides: other words of it may be in hundreds of nodes.
NAMED = 40
#: What a word counts in data, in process, in type, and in key or name.
WEIGHTS = "{0.05, 0.2, 0.5, 1.0}"
_RANK = "ts_rank(%(weights)s::real[], search, %(any)s::tsquery)"


@dataclass(frozen=True, slots=True)
class Hit:
    """A node that was found; a higher score is better. `said`: how the question names it (`naming`)."""

    node_id: int
    score: float
    said: int


@dataclass(frozen=True, slots=True)
class Survey:
    """What a search knows of a graph: `nodes` up to `LARGE` + 1, `common` words, `serving` model."""

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


_SURVEY = """
    SELECT
        (SELECT count(*) FROM (
            SELECT 1 FROM graphs_node WHERE graph_id = %(graph)s ORDER BY key LIMIT {most}
        ) AS counted) AS nodes,
        ARRAY(
            SELECT word
            FROM pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs) AS e(word, part)
            WHERE schemaname = current_schema() AND tablename = 'graphs_node' AND attname = 'search'
                AND part > %(common)s AND word = ANY(%(forms)s)
        ) AS common,
        ARRAY(SELECT ARRAY[key, name] FROM graphs_sheet WHERE graph_id = %(graph)s ORDER BY position, id) AS sheets,
        (SELECT name FROM rag_embeddingmodel WHERE serves) AS serving"""
#: The words of the node types that have any of the question's: display name as a type's key, the rest as data.
_DESCRIBED = """
    SELECT described.key AS type_key, found.words
    FROM (
        SELECT o.key, t.display_name AS name, concat_ws(' ', t.category, t.description) AS rest
        FROM graphs_nodetype AS t JOIN graphs_object AS o ON o.id = t.object_id
        WHERE o.workspace_id = %(workspace)s AND o.key <> ALL(%(built_in)s)
        UNION ALL SELECT * FROM unnest(%(built_in)s::text[], %(built_in_names)s::text[], %(built_in_rest)s::text[])
    ) AS described CROSS JOIN LATERAL (
        SELECT setweight(to_tsvector('simple', {name}), 'B') || setweight(to_tsvector('simple', {rest}), 'D') AS words
    ) AS found WHERE found.words @@ %(any)s::tsquery"""
#: As `graphs.models.workflows.words` takes a text apart.
_PARTED = "regexp_replace(regexp_replace({}, '([a-z0-9])([A-Z])', '\\1 \\2', 'g'), '[^[:alnum:]]+', ' ', 'g')"
_TYPES = _DESCRIBED.format(name=_PARTED.format("described.name"), rest=_PARTED.format("described.rest"))
#: Nothing is read of a large graph as if it were small.
_IS_SMALL = "(SELECT nodes FROM survey) <= %(large)s"


def search(graph: Graph, question: str, limit: int, sheet: str | None = None) -> Searched:
    """At most `limit` nodes that have words of the question, best first; one query, two of a large graph."""
    query = _Query.of(question)
    survey, rows, met = query.run(graph, sheet)
    if survey.large:
        survey, rows, met = replace(query, survey=survey).run(graph, sheet)
    scores = weighed({node_id: ranks for node_id, _, _, ranks in rows}, survey.nodes)
    names = [(node_id, key, name) for node_id, key, name, _ in rows]
    named = said(question, names, survey.common if survey.large else ())
    hits = [Hit(node_id, score, named.get(node_id, 0)) for node_id, score in scores.items()]
    return Searched(survey, sorted(hits, key=lambda hit: (-hit.said, -hit.score, hit.node_id))[:limit], met)


def weighed(ranks: Mapping[int, Sequence[float]], nodes: int) -> dict[int, float]:
    """The score of each node: the sum of its words' ranks, each weighed by how few of the nodes hold the word."""
    holding = [sum(rank > 0 for rank in word) for word in zip(*ranks.values(), strict=True)]
    rarities = [rarity(count, max(nodes, count)) for count in holding]
    return {node: sum(map(mul, of_node, rarities)) for node, of_node in ranks.items()}


_Row = tuple[int, str, str, Sequence[float]]


@dataclass(frozen=True, slots=True)
class _Query:
    """The statement of one search: of a large graph with its `survey`, else one that surveys it as well."""

    words: tuple[str, ...]
    marked: tuple[str, ...]
    mentioned: tuple[str, ...]
    plain: str
    survey: Survey | None = None

    @classmethod
    def of(cls, question: str) -> "_Query":
        return cls(search_words(question), marked(question), mentions(question), plain(question))

    def run(self, graph: Graph, sheet: str | None) -> tuple[Survey, list[_Row], list[int]]:
        """What is known of the graph, the candidates (id, key, name, rank by each word), and all that were met."""
        with connection.cursor() as cursor:
            cursor.execute(self.sql(sheet), self.values(graph, sheet))
            found = {row[0]: row for row in cursor.fetchall()}
        beside = found.pop(None)[4]
        rows = [row[:4] for row in found.values()]
        if self.survey:
            return self.survey, rows, beside or []
        nodes, common, sheets, serving = beside
        return Survey(tuple((key, name) for key, name in sheets), nodes, frozenset(common), serving or ""), rows, []

    def sql(self, sheet: str | None) -> str:
        """Ranked candidates, perhaps twice, then a row without a node: all candidates of a large graph, or the survey.

        There DISTINCT is needed: a node is met once for each of its words, and would take the place of others.
        """
        rows = "SELECT id, key, name, search FROM graphs_node WHERE graph_id = %(graph)s"
        if self.survey is None:
            rows = (
                "SELECT id, key, name, CASE WHEN words IS NULL THEN search ELSE search || words END AS search "
                "FROM graphs_node LEFT JOIN types ON type_key = type WHERE graph_id = %(graph)s"
            )
        if sheet is not None:
            rows += " AND sheet_id = (SELECT id FROM graphs_sheet WHERE graph_id = %(graph)s AND key = %(sheet)s)"
        surveying, beside = "", "SELECT to_json(array_agg(id)) FROM candidates"
        if self.survey is None:
            rows += f" AND {_IS_SMALL}"
            surveying = f"survey AS MATERIALIZED ({_SURVEY.format(most=LARGE + 1)}), types AS MATERIALIZED ({_TYPES}),"
            beside = "SELECT json_build_array(nodes, common, sheets, serving) FROM survey"
        arms = [f"({rows} AND key = ANY(%(mentioned)s))", *(f"({arm})" for arm in self._arms(rows))]
        return f"""
            WITH {surveying} met AS ({" UNION ALL ".join(arms)}),
            candidates AS MATERIALIZED (SELECT {"DISTINCT ON (id)" if self.survey else ""} * FROM met)
            SELECT id, key, name,
                ARRAY(SELECT ts_rank(%(weights)s::real[], search, word::tsquery) FROM unnest(%(each)s::text[]) AS word),
                NULL
            FROM (
                (
                    SELECT * FROM candidates
                    WHERE key = ANY(%(mentioned)s) OR name = ANY(%(mentioned)s) OR {_phrase("key")} OR {_phrase("name")}
                    ORDER BY key = ANY(%(marked)s) DESC, key = ANY(%(mentioned)s) DESC, {_RANK} DESC, id LIMIT {NAMED}
                ) UNION ALL (
                    SELECT * FROM candidates ORDER BY {_RANK} DESC, id LIMIT {2 * SHORTLIST}
                )
            ) AS shortlist
            UNION ALL SELECT NULL, NULL, NULL, NULL, ({beside})"""  # noqa: S608 - only constants are put together

    def _arms(self, rows: str) -> Iterator[str]:
        """The queries that candidates come from; the cost of each does not grow with the graph."""
        if self.survey is None:
            said = "search @@ %(any)s::tsquery OR name = ANY(%(mentioned)s)"
            yield f"SELECT * FROM ({rows} ORDER BY key LIMIT {LARGE}) AS every WHERE {said}"  # noqa: S608
        elif self._rare():
            yield from _shared(WEIGHED_PAIRS, rows, "pair", len(self._pairs()))
            yield from _shared(WEIGHED_WORDS, rows, "rare", len(self._rare()))
        elif self.words:
            # In an order that an index has: going through all nodes PostgreSQL begins where somebody else's search
            # ended, and passes those of other graphs first.
            yield f"SELECT * FROM ({rows} ORDER BY key LIMIT {SAMPLED}) AS some_rows WHERE search @@ %(any)s::tsquery"  # noqa: S608

    def values(self, graph: Graph, sheet: str | None) -> dict[str, Any]:
        return {
            "graph": graph.pk,
            "workspace": graph.workspace_id,
            "built_in": list(BUILT_IN),
            "built_in_names": _said_of_built_in("display_name"),
            "built_in_rest": _said_of_built_in("description"),
            "sheet": sheet,
            "marked": list(self.marked),
            "mentioned": list(self.mentioned),
            "plain": f" {self.plain} ",
            "little": [*STOP_WORDS, *(self.survey.common if self.survey else ())],
            "any": " | ".join(map(self._any_form, self.words)),
            "each": list(map(self._any_form, self.words)),
            "weights": WEIGHTS,
            "large": LARGE,
            "common": COMMON,
            "forms": [form for word in self.words for form in forms(word)],
            **{f"pair{number}": pair for number, pair in enumerate(self._pairs())},
            **{f"rare{number}": word for number, word in enumerate(self._rare())},
        }

    def _any_form(self, word: str) -> str:
        exact = [f"'{form}'" for form in forms(word)]
        beginnings = [f"'{beginning(word)}':*"] if len(word) >= PREFIX_FROM and not self.survey else []
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
        return self.survey is None or form not in self.survey.common


def _said_of_built_in(what: str) -> list[str]:
    """A text of each built-in type, in English and in the person's language."""
    texts = (getattr(record, what) for record in BUILT_IN.values())
    return [" ".join(dict.fromkeys((text, gettext(text)))) for text in texts]


def _phrase(column: str) -> str:
    """Whether the question says the words of a key or name side by side, and not one word that says little."""
    words = f"translate(lower({column}), '-_.:/', '     ')"
    return f"(strpos(%(plain)s, ' ' || {words} || ' ') > 0 AND {words} <> ALL(%(little)s))"


def _shared(count: int, rows: str, query: str, queries: int) -> Iterator[str]:
    """Queries for so many rows in all, the same share for each: words of many nodes hide no others."""
    for number in range(queries):
        yield _first(-(-count // queries), f"{rows} AND search @@ %({query}{number})s::tsquery")


def _first(count: int, rows: str) -> str:
    """SQL of some of the rows, by the index of words: told that a few are enough, PostgreSQL would scan for them."""
    return f"WITH every AS MATERIALIZED ({rows}) SELECT * FROM every LIMIT {count}"  # noqa: S608
