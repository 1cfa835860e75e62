import pytest

from graphs.site.url_keys import KeyConverter


@pytest.mark.parametrize("key", ["nba", "a.b_c-1", "é", "k" * 100])
def test_it_lets_keys_through(key: str) -> None:
    assert KeyConverter().to_python(key) == key


@pytest.mark.parametrize("text", ["a\0b", "a\nb", "\ud800", "k" * 101])
def test_it_does_not_match_what_no_key_can_be(text: str) -> None:
    with pytest.raises(ValueError):
        KeyConverter().to_python(text)
