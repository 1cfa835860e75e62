"""What of a node is embedded."""

from typing import Any

from rag.sources.graphs.nodes import MAX_CHARS, node_text

NODE: dict[str, Any] = {
    "key": "fetch-api",
    "name": "Fetch API",
    "type_": "httpRequest",
    "process": "return fetchAll(url)",
    "data": {
        "url": "https://example.org/players",
        "retry": {"on": True, "times": 3, "wait": 0, "log": False},
        "tags": ["a", "b"],
        "note": None,
    },
    "handles": {"R": [{"id": "R-0", "type": "out", "label": "onError"}], "L": [{"id": "L-0", "type": "in"}]},
}


def test_it_reads_as_plain_words() -> None:
    assert node_text(**NODE) == (
        "fetch api. http request. on error. url https example org players. on. times 3. wait 0. tags a. tags b. "
        "return fetch all url"
    )


def test_a_node_without_a_name_is_called_by_its_key() -> None:
    assert node_text(**NODE | {"name": " "}).startswith("fetch api. http request")


def test_it_is_bounded_and_code_is_seen_beside_much_data() -> None:
    text = node_text(**NODE | {"data": {"text": "data " * 10_000}, "process": "code " * 10_000})
    assert len(text) <= MAX_CHARS
    assert text.count("code") > 100


def test_any_shape_is_borne() -> None:
    for strange in (None, [], "text", 7, [[{"a": [1]}]], {"L": [1, None, {"label": 5}]}, {"L": "x"}):
        assert node_text("key", "", "type", "", strange, strange)
