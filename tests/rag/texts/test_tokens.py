from hypothesis import given, settings
from hypothesis import strategies as st

from rag.texts.tables import as_json, to_toon
from rag.texts.tokens import count_tokens, tokens_by_row

odd = st.sampled_from(["\n", "\r\n", "  ", "\t", "\u2028", "}", '"', '},{"', '},{"a', "'s", "{"])
values = st.recursive(
    odd | st.text(max_size=20) | st.integers() | st.booleans() | st.none(),
    lambda each: st.lists(each, max_size=4) | st.dictionaries(st.text(max_size=8), each, max_size=4),
    max_leaves=12,
)


columns = st.sampled_from(["key", "name", "é", "1", " a", '"', ""]) | st.text(max_size=4)
rows = st.lists(st.dictionaries(columns, values, max_size=3), max_size=5)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.text(max_size=8), values | rows, max_size=4))
def test_rows_counted_one_by_one_are_as_many_tokens_as_the_text(written: dict) -> None:
    for text in (
        to_toon(written),
        f"{as_json(written)}\n{as_json(written)}",
        f"{to_toon(written)}\n{as_json(written)}",
    ):
        assert tokens_by_row(text) == count_tokens(text)
