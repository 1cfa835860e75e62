import pytest

from bench.prefix import rows
from bench.prefix_loop import shares
from bench.table import table


def body(*texts: str, tools: int = 3, mark: int = -1) -> dict:
    messages = [{"role": "user", "content": [{"type": "text", "text": text}]} for text in texts]
    messages[mark]["content"][0]["cache_control"] = {"type": "ephemeral"}
    return {"tools": ["t"] * tools, "system": "s", "messages": messages}


def test_a_request_that_goes_on_shares_everything_wherever_caches_end() -> None:
    found = list(shares([body("one"), body("one", "two"), body("one", "two", "three", mark=0)]))
    assert found == [1.0, 1.0]


def test_a_change_at_the_beginning_shares_little() -> None:
    (share,) = shares([body("one " * 100), body("one " * 100, tools=2)])
    assert share < 0.1
    (late,) = shares([body("a" * 800, "b" * 100), body("a" * 800, "c" * 100)])
    assert late == pytest.approx(0.9, abs=0.02)


def test_mean_and_worst_are_held_against_the_target() -> None:
    text = table(list(rows({"Anthropic": [1.0, 1.0, 0.95]}, 20)))
    assert "0.0167 | <= 0.03 | met" in " ".join(text.split())
    assert "0.05 | <= 0.03 | MISSED" in " ".join(text.split())
