"""What a process keeps of texts that people write takes no more memory than is meant for it, however long they are."""

import gc
import json
import tracemalloc
from collections.abc import Callable

import pytest

from chat.api import markdown
from chat.api.markdown import KEPT_BYTES, render
from chat.providers.estimating import counted_once
from chat.queries.links import Link
from graphs.objects.refs import Ref
from graphs.site.kept_by_size import KeptBySize
from rag.sources.graphs.context import GraphContext, GraphFacts, RelevantNode
from rag.sources.graphs.expansion import HANDLES_CHARS, KEPT_CHARS, _summary
from rag.sources.graphs.tables import block_of
from rag.texts import tokens
from rag.texts.tokens import tokens_by_row

#: Takes four bytes, and four more once the tokenizer has read it.
WIDE = "\U0001f600"
LINKS = {Ref("graph", str(n)): Link(WIDE * 200, f"/graphs/{n}/") for n in range(30)}


def longest_handles(number: int) -> str:
    """What a node may have on each side."""
    point = {"type": "out", "accept": WIDE * 100, "label": WIDE * 200}
    sides = {side: [{"id": f"{number}-{n}", **point} for n in range(100)] for side in "RLTB"}
    return json.dumps(sides, ensure_ascii=False)


def kept_handles(number: int) -> str:
    """The longest that are kept."""
    written = json.dumps({"R": [{"id": f"{number}", "type": "in", "label": ""}]})
    return written.replace('"label": ""', f'"label": "{WIDE * (KEPT_CHARS - len(written))}"')


def mentions(number: int) -> str:
    one = "".join(f"{{{{graph:{n}}}}} " for n in range(30))
    return f"{number} {one * 6}"


def context(number: int) -> GraphContext:
    """A part of a graph with much code."""
    long = WIDE * 2_000
    nodes = (
        RelevantNode(f"{n}", "", "filter", "Filter", "main", "Main", f"{number}{long}", long, "") for n in range(8)
    )
    return GraphContext(GraphFacts("long", "Long", "", (), {}), tuple(nodes), (), ())


#: Rows that are kept: a part of them is measured.
ROWS = tokens._of_short_row.cache_info().maxsize or 0

#: What fills what is kept, how often, and the bytes that it may take.
KEEPING: dict[str, tuple[Callable[[int], object], int, int]] = {
    "handles, long": (lambda n: _summary(longest_handles(n)), 20, 1_000_000),
    "handles, short": (lambda n: _summary(kept_handles(n)), 400, 4_000_000),
    "counted texts, long": (lambda n: counted_once(f"{n} {WIDE}" + "words " * 9_000), 60, 8_500_000),
    "counted texts, short": (lambda n: counted_once(f"{n:06}{WIDE * 494}"), 2_500, 9_000_000),
    "rendered texts": (lambda n: render(mentions(n), LINKS), 6, 1_100_000),
    "texts of contexts": (lambda n: block_of(context(n)), 30, 2_200_000),
    "rows of tables": (lambda n: tokens_by_row(f"{n:06}{WIDE * 990}"), 300, 300 * 34_000_000 // ROWS),
}


@pytest.mark.parametrize("what", KEEPING)
def test_what_is_kept_of_the_longest_texts_is_bounded(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert KEPT_BYTES <= 16_000_000
    monkeypatch.setattr(markdown, "_kept", KeptBySize(1_000_000))  # to render the texts of 16 MB takes long
    made, times, most = KEEPING[what]
    made(-1)  # what is loaded with the first is not kept of it
    gc.collect()
    tracemalloc.start()
    try:
        for number in range(times):
            made(number)
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] < most
    finally:
        tracemalloc.stop()


def test_a_summary_of_handles_is_short_and_that_of_short_ones_is_whole() -> None:
    assert len(_summary(longest_handles(0))) == HANDLES_CHARS + 1
    assert _summary('{"R": [{"id": "R-0", "type": "out"}]}') == "R: R-0 out(any)"


def test_what_was_asked_for_longest_ago_goes_first() -> None:
    kept = KeptBySize[str](3_000)
    for key in "ab":
        kept.put(key, key.upper(), 700)
    assert kept.get("a") == "A"
    kept.put("c", "C", 700)
    assert (kept.get("a"), kept.get("b"), kept.get("c")) == ("A", None, "C")


def test_what_is_larger_than_all_that_may_be_kept_is_not_and_what_comes_twice_counts_once() -> None:
    kept = KeptBySize[str](3_000)
    kept.put("large", "L", 10_000)
    assert kept.get("large") is None
    for _ in range(10):
        kept.put("a", "A", 700)
    kept.put("b", "B", 700)
    assert (kept.get("a"), kept.get("b")) == ("A", "B")
    kept.clear()
    assert kept.get("a") is None
