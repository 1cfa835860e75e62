from hypothesis import given, settings
from hypothesis import strategies as st

from rag.texts.tables import as_json, to_toon
from rag.texts.tokens import count_tokens, tokens_by_line

odd = st.sampled_from(["\n", "\r\n", "  ", "\t", "\u2028", "}", '"'])
values = st.recursive(
    odd | st.text(max_size=20) | st.integers() | st.booleans() | st.none(),
    lambda each: st.lists(each, max_size=4) | st.dictionaries(st.text(max_size=8), each, max_size=4),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.text(max_size=8), values, max_size=4))
def test_lines_counted_one_by_one_are_as_many_tokens_as_the_text(written: dict) -> None:
    count = tokens_by_line()
    for text in (
        to_toon(written),
        f"{as_json(written)}\n{as_json(written)}",
        f"{to_toon(written)}\n{as_json(written)}",
    ):
        assert count(text) == count_tokens(text)
