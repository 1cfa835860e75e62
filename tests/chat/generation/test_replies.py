"""Which replies are no call of the form that was wanted."""

import pytest

from chat.generation.replies import CUT, FILTERED, NO_CALL, SEVERAL, wrong_with
from chat.providers.model_request import ToolCall
from chat.providers.pieces import EndReason, Reply

FORM = ToolCall("1", "write_it", "{}")
OTHER = ToolCall("2", "web_search", "{}")


@pytest.mark.parametrize(
    ("calls", "end", "said"),
    [
        ((FORM,), "tool_calls", ""),
        ((OTHER,), "tool_calls", ""),
        ((OTHER, OTHER), "tool_calls", ""),
        ((), "stop", NO_CALL),
        ((), "length", NO_CALL),
        ((FORM,), "length", CUT),
        ((FORM,), "content_filter", FILTERED),
        ((), "content_filter", FILTERED),
        ((FORM, FORM), "tool_calls", SEVERAL),
        ((OTHER, FORM), "tool_calls", SEVERAL),
    ],
)
def test_it_is_one_call_of_the_form_or_calls_of_other_tools(
    calls: tuple[ToolCall, ...], end: EndReason, said: str
) -> None:
    assert wrong_with(Reply(tool_calls=calls, end=end), "write_it") == said.format(form="write_it")
