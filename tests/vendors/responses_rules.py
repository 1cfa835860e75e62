"""The rules of OpenAI's Responses; see `rules.py`."""

import json
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from tests.vendors.seals import is_broken

Body = dict[str, Any]
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
MAX_CALL_ID = 64
MIN_OUTPUT = 16


def items_are_known(body: Body) -> Iterator[str]:
    """Responses API, `input`: messages with a role and content, reasoning, function calls and their outputs."""
    for item in body["input"]:
        kind = item.get("type", "message")
        if kind == "message" and not (
            item["role"] in {"system", "developer", "user", "assistant"} and str(item["content"]).strip()
        ):
            yield f"a message of {item['role']} without content"
        if kind not in {"message", "reasoning", "function_call", "function_call_output"}:
            yield f"an item of type {kind}"


def calls_are_answered(body: Body) -> Iterator[str]:
    """ "No tool output found for function call", "No tool call found for function call output with call_id"."""
    open_: list[str] = []
    seen: set[str] = set()
    for item in body["input"]:
        kind = item.get("type", "message")
        if kind == "function_call":
            if item["call_id"] in seen or not 0 < len(item["call_id"]) <= MAX_CALL_ID:
                yield f"the id {item['call_id']}"
            seen.add(item["call_id"])
            open_.append(item["call_id"])
        elif kind == "function_call_output":
            if item["call_id"] not in open_:
                yield f"an output for {item['call_id']}, which nobody called"
            else:
                open_.remove(item["call_id"])
            if not isinstance(item["output"], str) or not item["output"]:
                yield f"no output for {item['call_id']}"
        elif open_:
            yield f"no output for {open_} before the next item"
            open_ = []
    if open_:
        yield f"no output for {open_}"


def calls_are_well_formed(body: Body) -> Iterator[str]:
    """Responses API, function calling: names as of tools, `arguments` is JSON text."""
    for item in body["input"]:
        if item.get("type") == "function_call":
            whole = isinstance(json.loads(item["arguments"]), dict)
            if not whole or not _NAME.fullmatch(item["name"]):
                yield f"name or arguments of {item['call_id']}"


def reasoning_is_its_own(body: Body) -> Iterator[str]:
    """Guides, reasoning: with `store: false` an item is passed back whole with `encrypted_content`, which only the
    model that wrote it can read ("The encrypted content could not be verified"), followed by what it led to ("provided
    without its required following item")."""
    for item, next_ in pairwise([*body["input"], {}]):
        if item.get("type") != "reasoning":
            continue
        text = "".join(part["text"] for part in item["summary"])
        if not item.get("encrypted_content") or is_broken(item["encrypted_content"], body["model"], text):
            yield "reasoning of another model, or changed"
        if next_.get("type") not in {"function_call", "reasoning"} and next_.get("role") != "assistant":
            yield "reasoning without what follows it"


def it_ends_with_a_person_or_a_result(body: Body) -> Iterator[str]:
    """What is asked for is an answer; and at least 16 tokens of it ("integer below minimum value")."""
    last = body["input"][-1]
    if last.get("type") != "function_call_output" and last.get("role") != "user":
        yield f"it ends with {last.get('type')} {last.get('role')}"
    if body["max_output_tokens"] < MIN_OUTPUT:
        yield "fewer than 16 tokens"


def nothing_is_stored_there(body: Body) -> Iterator[str]:
    """Responses API: without `store` no `previous_response_id`; reasoning then has to be asked for."""
    if body.get("store") is not False or "previous_response_id" in body:
        yield "something is stored there"
    if "reasoning.encrypted_content" not in body.get("include", []):
        yield "sealed reasoning is not asked for"


RESPONSES_RULES: tuple[Callable[[Body], Iterator[str]], ...] = (
    items_are_known,
    calls_are_answered,
    calls_are_well_formed,
    reasoning_is_its_own,
    it_ends_with_a_person_or_a_result,
    nothing_is_stored_there,
)
