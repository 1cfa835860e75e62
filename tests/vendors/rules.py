"""What the vendors' documentation demands of a request, as far as a conversation can break it.

`broken_rules` is asked by the scripted vendor about everything it gets, and by the matrix of switches. Each rule's
docstring names its source; those in quotation marks are the vendor's own refusals, as users reported them.
"""

import json
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from tests.vendors.anthropic_rules import ANTHROPIC_RULES
from tests.vendors.responses_rules import RESPONSES_RULES

Body = dict[str, Any]
Rule = Callable[[Body], Iterator[str]]
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
MAX_CALL_ID = 40
MAX_TOOLS = 128


def broken_rules(path: str, body: Body) -> list[str]:
    """A sentence for each rule that a body breaks; none for an address that has no rules here."""
    return [fault for rule in _rules_for(path, body) for fault in rule(body)]


def _rules_for(path: str, body: Body) -> tuple[Rule, ...]:
    if path.endswith("/messages"):
        return (*EVERYWHERE, *ANTHROPIC_RULES)
    if path.endswith("/responses"):
        return (*EVERYWHERE, *RESPONSES_RULES)
    if not path.endswith("/chat/completions"):
        return ()
    model = str(body.get("model"))
    if model.startswith("gpt-"):
        return (*EVERYWHERE, *CHAT_RULES)
    return (*EVERYWHERE, *CHAT_RULES, *(DEEPSEEK_RULES if model.startswith("deepseek-") else PLAIN_RULES))


def texts_are_unicode(body: Body) -> Iterator[str]:
    """RFC 8259, section 8.1, and PostgreSQL's own rule for us: no half of a surrogate pair, no NUL."""
    written = json.dumps(body, ensure_ascii=False)
    if re.search(r"[\ud800-\udfff]", written) or re.search(r"(?<!\\)(?:\\\\)*\\u0000", written):
        yield "a text holds NUL or half a surrogate pair"


def an_answer_is_limited(body: Body) -> Iterator[str]:
    """Anthropic, Messages: `max_tokens` is required. OpenAI: `max_output_tokens` at least 16; one limit, not two."""
    names = ("max_tokens", "max_completion_tokens", "max_output_tokens")
    limits = [body[name] for name in names if name in body]
    if len(limits) != 1 or not isinstance(limits[0], int) or limits[0] < 1:
        yield f"the answer has not one limit: {limits}"


def tools_are_described(body: Body) -> Iterator[str]:
    """OpenAI, function calling: names of `[A-Za-z0-9_-]{1,64}`, at most 128 tools, `parameters` an object's schema;
    "'tool_choice' is only allowed when 'tools' are specified". Strict ones: every property required, no others."""
    tools = body.get("tools", [])
    if body.get("tool_choice") and not tools:
        yield "tool_choice without tools"
    if "tools" in body and not 1 <= len(tools) <= MAX_TOOLS:
        yield f"{len(tools)} tools"
    functions = [tool.get("function", tool) for tool in tools]
    names = [function.get("name", "") for function in functions]
    if len(set(names)) < len(names) or not all(map(_NAME.fullmatch, names)):
        yield f"names of tools: {names}"
    for function in functions:
        schema = function.get("parameters", function.get("input_schema"))
        if not isinstance(schema, dict) or schema.get("type") != "object":
            yield f"the schema of {function.get('name')} is none of an object"
        elif function.get("strict") and (
            schema.get("additionalProperties") is not False
            or set(schema.get("required", [])) != set(schema.get("properties", {}))
        ):
            yield f"the schema of {function.get('name')} is not strict"


def chat_messages_have_content(body: Body) -> Iterator[str]:
    """OpenAI, Chat Completions, messages: `content` is required but for an assistant's tool calls. Empty ones are
    refused by several compatible servers, and say nothing."""
    if not body["messages"]:
        yield "no messages"
    for message in body["messages"]:
        if message["role"] not in {"system", "user", "assistant", "tool"}:
            yield f"the role {message['role']}"
        content = message.get("content")
        calls = message["role"] == "assistant" and message.get("tool_calls")
        if not (isinstance(content, str) and content.strip()) and not (calls and content is None):
            yield f"{message['role']} without content"


def chat_calls_are_answered(body: Body) -> Iterator[str]:
    """OpenAI: "An assistant message with 'tool_calls' must be followed by tool messages responding to each
    'tool_call_id'", and "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'"."""
    waiting: list[str] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            if not waiting or message["tool_call_id"] != waiting.pop(0):
                yield f"the result of {message['tool_call_id']} is out of place"
        elif waiting:
            yield f"no result for {waiting} before the next {message['role']}"
            waiting = []
        waiting += [call["id"] for call in message.get("tool_calls", [])]
    if waiting:
        yield f"no result for {waiting}"


def chat_calls_are_well_formed(body: Body) -> Iterator[str]:
    """OpenAI: ids of at most 40 characters ("string too long"), names as of tools; `arguments` is JSON text, which
    compatible servers parse when they fill their template."""
    seen: set[str] = set()
    for call in (call for message in body["messages"] for call in message.get("tool_calls", [])):
        if not 0 < len(call["id"]) <= MAX_CALL_ID or call["id"] in seen:
            yield f"the id {call['id']}"
        seen.add(call["id"])
        if call["type"] != "function" or not _NAME.fullmatch(call["function"]["name"]):
            yield f"the name of {call['id']}"
        try:
            whole = isinstance(json.loads(call["function"]["arguments"]), dict)
        except ValueError:
            whole = False
        if not whole:
            yield f"the arguments of {call['id']} are no object"


def reasoning_is_deepseeks(body: Body) -> Iterator[str]:
    """OpenAI, Chat Completions: a message has no `reasoning_content`; DeepSeek has."""
    echoed = any("reasoning_content" in message for message in body["messages"])
    if echoed and not str(body["model"]).startswith("deepseek-"):
        yield "reasoning_content for a vendor that knows none"


def deepseek_gets_the_reasoning_of_its_tool_turns(body: Body) -> Iterator[str]:
    """DeepSeek, guides/thinking_mode: where tools were called between two messages of the user, the reasoning of the
    answers there has to be passed back in all later requests, else 400 ("must be passed back to the API"), an empty
    one too; elsewhere it is ignored, so it is not sent."""
    turn: list[Body] = []
    for message in [*body["messages"], {"role": "user"}]:
        if message["role"] != "user":
            turn.append(message)
            continue
        answers = [each for each in turn if each["role"] == "assistant"]
        calling = any(each.get("tool_calls") for each in answers)
        echoed = [isinstance(each.get("reasoning_content"), str) for each in answers]
        if not (all(echoed) if calling else not any(echoed)):
            yield f"reasoning in a turn {'with' if calling else 'without'} tools: {echoed}"
        turn = []


def deepseek_chooses_its_tools(body: Body) -> Iterator[str]:
    """DeepSeek, quick_start/agent_integrations: thinking, which is on unless it is switched off, "does not support
    this tool_choice"."""
    if "tool_choice" in body:
        yield "tool_choice for a model that thinks"


def plain_roles_alternate(body: Body) -> Iterator[str]:
    """The chat templates of Mistral's and Google's open models: "Conversation roles must alternate
    user/assistant/user/assistant", a system message only at the beginning."""
    roles = [message["role"] for message in body["messages"]]
    spoken = roles[1:] if roles[0] == "system" else roles
    if "system" in spoken:
        yield "a system message after the beginning"
    if spoken[:1] != ["user"]:
        yield "the first to speak is not the user"
    if spoken[-1:] not in (["user"], ["tool"]):
        yield "the last word is the model's"
    for one, other in pairwise(spoken):
        if one == other != "tool":
            yield f"two messages of {one} next to each other"


EVERYWHERE: tuple[Rule, ...] = (texts_are_unicode, an_answer_is_limited, tools_are_described)
CHAT_RULES: tuple[Rule, ...] = (
    chat_messages_have_content,
    chat_calls_are_answered,
    chat_calls_are_well_formed,
    reasoning_is_deepseeks,
)
DEEPSEEK_RULES: tuple[Rule, ...] = (deepseek_gets_the_reasoning_of_its_tool_turns, deepseek_chooses_its_tools)
PLAIN_RULES: tuple[Rule, ...] = (plain_roles_alternate,)
