from hypothesis import given
from hypothesis import strategies as st

from rag.retrieval.ranking import best_first, with_links

things = st.integers(0, 15)
scores = st.dictionaries(things, st.floats(0, 3), max_size=12)
links = st.dictionaries(things, st.lists(things, max_size=5, unique=True))


def ranking(found: dict[int, float], linked: dict[int, list[int]], named: dict[int, int] | None = None) -> list[int]:
    return best_first(with_links(found, named or {}, lambda thing: linked.get(thing, [])), named or {})


def test_what_is_named_comes_first() -> None:
    assert best_first({"a": 3.0, "b": 1.0, "c": 2.0, "d": 0.5}, {"b": 1, "c": 1, "d": 2}) == ["d", "c", "b", "a"]


def test_what_a_good_hit_leads_to_comes_before_what_stands_alone() -> None:
    assert ranking({1: 1.0, 2: 0.4, 3: 0.3, 4: 0.0}, {1: [4, 3]}) == [1, 3, 2, 4]


def test_a_hub_passes_less_on_to_each() -> None:
    lifted = with_links({1: 1.0, 2: 1.0}, {}, lambda thing: {1: [10], 2: list(range(20, 36))}.get(thing, []))
    assert lifted[10] == 0.5
    assert lifted[20] == 0.125


def test_it_goes_two_steps_and_no_further() -> None:
    lifted = with_links({1: 1.0}, {}, lambda thing: [thing + 1])
    assert lifted == {1: 1.0, 2: 0.5, 3: 0.25}


def test_only_the_best_pass_something_on() -> None:
    found = {place: 10.0 - place for place in range(8)}
    lifted = with_links(found, {}, lambda thing: [thing + 100] if thing < 100 else [])
    assert sorted(set(lifted) - set(found)) == [100, 101, 102, 103, 104]


@given(scores, links)
def test_nothing_that_was_found_is_lost_and_nothing_sinks(found: dict, linked: dict) -> None:
    lifted = with_links(found, {}, lambda thing: linked.get(thing, []))
    assert all(lifted[thing] >= score for thing, score in found.items())


@given(scores)
def test_without_links_it_changes_nothing(found: dict) -> None:
    assert ranking(found, {}) == best_first(found, {})
