from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as trying
from hypothesis import strategies as st
from pytest_django import Settings

from chat.models import Call, Round
from chat.prompts.round_messages import round_entries, round_of
from chat.prompts.tool_results import LEAST_TOKENS, model_text
from chat.providers.model_request import ToolCall
from chat.providers.pieces import Reply
from rag.texts.tables import as_json, decode
from rag.texts.tokens import count_tokens

ROWS = [{"key": f"step-{n}", "type": "filter", "sheet": "main"} for n in range(400)]
texts = st.text(max_size=2_000)
results = st.dictionaries(
    st.text(max_size=8),
    texts | st.lists(texts | st.dictionaries(st.sampled_from("abc"), texts), max_size=30) | st.integers(),
    max_size=60,
)


def call(result: dict[str, Any]) -> Call:
    return Call("c", "search_nodes", {}, result, "ok", "{}")


def test_a_table_takes_fewer_tokens_and_can_be_read_back() -> None:
    result = {"nodes": ROWS[:20], "total": 20}
    text = model_text("c", result)
    assert count_tokens(text) < count_tokens(as_json(result)) * 0.7
    assert decode(text) == result


def test_what_is_shorter_in_json_stays_json() -> None:
    result = {"a": {"b": {"c": [[1], [2, [3]]]}}}
    assert model_text("c", result) == as_json(result)


def test_a_long_list_loses_rows_and_tells_how_to_read_them(settings: Settings) -> None:
    settings.TOOL_RESULT_TOKENS = 500
    text = model_text("call-7", {"nodes": ROWS, "total": 400})
    assert count_tokens(text) <= 500
    shown = decode(text)
    kept = len(shown["nodes"])
    assert shown["nodes"] == ROWS[:kept]
    assert kept > 10
    assert shown["shortened"]["cut"] == [{"path": "/nodes", "shown": kept, "of": 400}]
    assert f'read_tool_result {{"callId":"call-7","path":"/nodes","offset":{kept}}}' in shown["shortened"]["readOn"]


def test_a_long_text_keeps_its_beginning_and_small_parts_stay_whole(settings: Settings) -> None:
    settings.TOOL_RESULT_TOKENS = 300
    code = "".join(f"line({n});\n" for n in range(900))
    shown = decode(model_text("c", {"node": {"key": "parse", "a/b": code, "name": "Parse"}}))
    (cut,) = shown["shortened"]["cut"]
    assert cut["path"] == "/node/a~1b"
    assert shown["node"] == {"key": "parse", "a/b": code[: cut["shown"]] + "…", "name": "Parse"}


@trying(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(results)
def test_whatever_comes_is_short_enough_and_can_be_read(settings: Settings, result: dict[str, Any]) -> None:
    settings.TOOL_RESULT_TOKENS = 400
    text = model_text("c", result)
    assert count_tokens(text) <= 400
    assert isinstance(decode(text), dict)


def test_what_was_told_stays_when_the_limit_changes(settings: Settings) -> None:
    reply = Reply(tool_calls=(ToolCall("c", "search_nodes", "{}"),))
    stored = round_of(reply, [call({"nodes": ROWS})])
    before = list(round_entries(stored))
    settings.TOOL_RESULT_TOKENS = 200
    assert list(round_entries(stored)) == before
    assert stored.calls[0].result == {"nodes": ROWS}


def test_a_round_that_was_stored_before_is_told_as_it_was() -> None:
    stored = {**call({"b": 1, "a": 2}).for_readers(), "arguments": "{}"}
    old = {"text": "", "reasoning": "", "toolCalls": [stored], "vendor": "", "vendorBlocks": []}
    assert list(round_entries(Round.from_json(old)))[1].content == '{"a":2,"b":1}'


@pytest.mark.parametrize("size", [10, 3_000_000])
def test_a_value_that_nothing_can_shorten_is_cut_as_text(settings: Settings, size: int) -> None:
    settings.TOOL_RESULT_TOKENS = 300
    result = {f"k{n}": n for n in range(3_000)} | {"x": "y" * size}
    shown = decode(model_text("c", result))
    assert shown["shortened"]["cut"][0]["of"] == len(as_json(result))
    assert as_json(result).startswith(shown["json"][:-1])


def test_the_results_of_a_round_take_no_more_together_than_a_few_alone(settings: Settings) -> None:
    settings.TOOL_RESULT_TOKENS = 2_000
    results = [replace(call({"nodes": ROWS}), id=f"c{n}") if n % 2 else call({"found": n}) for n in range(40)]
    stored = round_of(Reply(), results).calls
    told_of_each = [each.model_text for each in stored]
    assert 10_000 < sum(map(count_tokens, told_of_each)) <= 12_000
    short = [model_text(f"c{n}", {"found": n}) for n in range(0, 40, 2)]
    assert told_of_each[0::2] == short, "what is short stays whole"
    assert 'read_tool_result {"callId":"c39","path":"/nodes"' in decode(told_of_each[39])["shortened"]["readOn"]
    six = round_of(Reply(), results[1:12:2]).calls
    assert [each.model_text for each in six] == [model_text(f"c{n}", {"nodes": ROWS}) for n in range(1, 12, 2)]


def test_as_many_long_results_as_a_round_may_have_keep_a_little_each(settings: Settings) -> None:
    settings.TOOL_RESULT_TOKENS = 2_000
    stored = round_of(Reply(), [replace(call({"nodes": ROWS}), id=f"c{n}") for n in range(128)]).calls
    for each in stored:
        assert count_tokens(each.model_text) <= LEAST_TOKENS
        assert decode(each.model_text)["nodes"][0] == ROWS[0]
