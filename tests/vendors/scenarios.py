"""Scripts by name, for tests that reach the vendor only through what a user writes (`SCRIPT:name`).

A scenario is a list of answers: the first for the message, the second for the results of the first round of tools, and
so on; the last one serves all further rounds. Those that end in `_once` fail the first time only.
"""

import json
import re
from typing import Any

from tests.vendors.scripts import Script, ScriptedCall

LONG_TEXT = " ".join(f"word{number}" for number in range(400))
MARKDOWN = (
    "# A heading\n\nSome **bold** text, `code`, and {{node:fetch-api}}.\n\n- one\n- two\n\n```js\nreturn 1;\n```\n\n"
    "<script>alert(1)</script> ![x](https://evil.example/x.png) [link](https://example.com/a)\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n"
)
SEARCH = ScriptedCall("search_nodes", {"query": "fetch"})
DETAIL = ScriptedCall("read_node_detail", {"nodeKey": "fetch-api"})
EDGES = ScriptedCall("list_node_edges", {"nodeKey": "fetch-api"})
_LONG = "This model's maximum context length is 8192 tokens. Please reduce the length of the messages."
_FILTERED = "The response was filtered: the prompt was flagged by the content filter."

SCENARIOS: dict[str, list[Script]] = {
    "hello": [Script(text="Hello! This is a scripted answer.")],
    "slow": [Script(text=LONG_TEXT, delay_s=0.05)],
    "long": [Script(text=LONG_TEXT)],
    "stamps": [Script(stamps=200, delay_s=0.02)],
    "markdown": [Script(text=MARKDOWN, delay_s=0.01)],
    "reasoning": [Script(reasoning="Let me think about the nodes.", text="I have thought about it.")],
    "unicode": [Script(text="Café, naïve, 日本語, 🏀🏀, e\u0301, \u202eabc")],
    "nul": [Script(text="before\x00after")],
    "tools": [Script(text="I look.", tool_calls=(SEARCH,)), Script(text="I found {{node:fetch-api}}.")],
    "two_tools": [Script(tool_calls=(DETAIL, EDGES)), Script(text="Both are read.")],
    "endless_tools": [Script(tool_calls=(SEARCH,))],
    "bad_json": [Script(tool_calls=(ScriptedCall("search_nodes", '{"query": "fe'),)), Script(text="I wrote bad JSON.")],
    "unknown_tool": [Script(tool_calls=(ScriptedCall("drop_tables", {}),)), Script(text="That tool does not exist.")],
    "extra_keys": [
        Script(tool_calls=(ScriptedCall("search_nodes", {"query": "fetch", "workspace": "other"}),)),
        Script(text="That key is not allowed."),
    ],
    "rate_limit": [Script(status=429, error="Too many requests", headers={"retry-after": "1"})],
    "rate_limit_long": [Script(status=429, error="Too many requests", headers={"retry-after": "3600"})],
    "rate_limit_once": [Script(status=429, error="Too many requests", headers={"retry-after": "1"})],
    "quota": [
        Script(status=429, error={"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}})
    ],
    "server_error": [Script(status=500, error="The server had an error")],
    "server_error_once": [Script(status=503, error="Try again")],
    "overloaded": [Script(status=529, error="Overloaded")],
    "auth_error": [Script(status=401, error="Incorrect API key provided: sk-abcdef0123456789")],
    "content_filter": [Script(status=400, error=_FILTERED)],
    "content_filter_end": [Script(text="I was about to say", finish="content_filter")],
    "context_length": [Script(status=400, error=_LONG)],
    "internal": [Script(status=418, error="I am a teapot")],
    "length": [Script(text="This answer ends because", finish="length")],
    "length_in_call": [Script(tool_calls=(ScriptedCall("search_nodes", '{"query": "fe'),), finish="length")],
    "timeout": [Script(stall_at=0)],
    "stall": [Script(text=LONG_TEXT, stall_at=30)],
    "network": [Script(cut="reset", cut_at=0)],
    "network_once": [Script(cut="reset", cut_at=0)],
    "cut": [Script(text=LONG_TEXT, cut="clean", cut_at=30)],
    "cut_reset": [Script(text=LONG_TEXT, delay_s=0.01, cut="reset", cut_at=30)],
    "cut_in_call": [Script(text="I look.", tool_calls=(DETAIL,), cut="clean", cut_at=7)],
    "garbage": [Script(raw=b"data: {not json\n\n")],
    "html": [Script(raw=b"<html><body>502 Bad Gateway</body></html>", content_type="text/html")],
    "empty": [Script(raw=b"")],
    "no_usage": [Script(text="Nobody counted this.", usage=None)],
}

_NAMED = re.compile(r"SCRIPT:([a-z_]+)")
_INLINE = "SCRIPT="


def scenario_of(text: str) -> tuple[str, list[Script]] | None:
    """The scenario that a user's message names last, with its name, or None. Questions without an answer are sent as
    one message."""
    _, inline, after = text.rpartition(_INLINE)
    written, end = json.JSONDecoder().raw_decode(after) if inline else (None, 0)
    named = [match[1] for match in _NAMED.finditer(after, end) if match[1] in SCENARIOS]
    if named:
        return named[-1], SCENARIOS[named[-1]]
    if not inline:
        return None
    scripts: list[dict[str, Any]] = written if isinstance(written, list) else [written]
    return "inline", [Script.from_json(fields) for fields in scripts]
