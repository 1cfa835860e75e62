"""The provider that needs no key: no language model but rules, which really call the tools they are offered.

It knows nothing but the `ModelRequest`: the same request always gives the same answer.
"""

import asyncio
import json
import re
from collections.abc import AsyncGenerator

from toon_format import decode

from chat.providers.base import (
    ModelRequest,
    Piece,
    PromptMessage,
    ProviderConfig,
    ReasoningDelta,
    TextDelta,
    ToolCallDelta,
    ToolCallStart,
    TurnEnd,
    Usage,
    UsageReport,
)
from chat.providers.call_ids import CallIds
from chat.providers.demo_changes import outcome_of
from chat.providers.demo_observations import observe
from chat.providers.demo_phrases import phrases
from chat.providers.demo_questions import Question, understand
from chat.providers.demo_steps import Proposing, Situation, Step, next_step
from chat.providers.estimating import estimated_tokens, prompt_estimate, size

DELAY_S = 0.015
_WORD = re.compile(r"\S+\s*|\s+")
_CONTEXT = re.compile(r"\A\[[^\n]*\](?:\n<data (\w+)>\n.*?\n</data \1>)?\n\n", re.DOTALL)
_GRAPH = re.compile(r"from the graph '([^'\n]+)'")
_WORKSPACE = re.compile(
    r"\A\[The graphs of this workspace:[^\n]*\]\n<data (\w+)>\n(?P<body>.*?)\n</data \1>", re.DOTALL
)
_DECISION = re.compile(r"\[Not written by the person\. A decision about your earlier call \w+: (?=\{)")
_JSON = json.JSONDecoder()
#: What the button "Propose again" writes, and what people say for it.
_AGAIN = re.compile(
    r"(?:your proposal|(?:propose|try)(?: it)? again|votre proposition|repropose|réessaie)\b", re.IGNORECASE
)
_NOTE = re.compile(r"\A\[[^\n]*\]\Z")


class DemoProvider:
    def __init__(self, config: ProviderConfig, delay_s: float = DELAY_S) -> None:
        """`delay_s` is the pause between two words."""
        self.config = config
        self._delay_s = delay_s

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        asked = _last_question(request.messages)
        since = request.messages[asked + 1 :]
        question = _question(request.messages, asked)
        offered = [tool.name for tool in request.tools] if request.tools_allowed else []
        late = _late_decisions(request.messages, question)
        step = late or next_step(Situation(question, observe(since), offered, _graph_key(request), _graphs(request)))
        written = 0
        for piece in _pieces(step, question, CallIds.of(request), first=not any(m.tool_calls for m in since)):
            written += size(getattr(piece, "text", "") or getattr(piece, "fragment", ""))
            yield piece
            await asyncio.sleep(self._delay_s)
        yield UsageReport(Usage(prompt_estimate(request), estimated_tokens(written), estimated=True))
        yield TurnEnd("stop" if isinstance(step, str) else "tool_calls")

    async def close(self) -> None:
        """There is nothing to give back."""


def _pieces(step: Step, question: Question, ids: CallIds, *, first: bool) -> list[Piece]:
    say = phrases(question.language)
    pieces: list[Piece] = []
    if first and question.kind not in {"help", "change"}:
        thought = say["thinking"].format(topic=f"“{question.subject}”" if question.subject else say["topic"])
        pieces.extend(ReasoningDelta(word) for word in _WORD.findall(thought))
    if isinstance(step, str):
        pieces.extend(TextDelta(word) for word in _WORD.findall(f"{say['notice']}\n\n{step}"))
        return pieces
    if isinstance(step, Proposing):
        pieces.extend(TextDelta(word) for word in _WORD.findall(f"{say['notice']}\n\n{step.text}"))
    for call in step.calls if isinstance(step, Proposing) else step:
        call_id = ids.claim(None)
        pieces.append(ToolCallStart(call_id, call.tool))
        pieces.append(ToolCallDelta(call_id, json.dumps(call.arguments, ensure_ascii=False)))
    return pieces


def _last_question(messages: tuple[PromptMessage, ...]) -> int:
    """Where the last words of a person stand, -1 for nowhere; the engine's notes, in square brackets, are none."""
    asked = (n for n, message in enumerate(messages) if message.role == "user" and not _NOTE.match(message.content))
    return max(asked, default=-1)


def _question(messages: tuple[PromptMessage, ...], asked: int) -> Question:
    """What the person asks there; asked to propose again, it is the last change they asked for before."""
    words = _words(messages[asked]) if asked >= 0 else ""
    if _AGAIN.match(words):
        earlier = (understand(_words(each)) for each in reversed(messages[:asked]) if each.role == "user")
        return next((question for question in earlier if question.request), understand(words))
    return understand(words)


def _words(message: PromptMessage) -> str:
    """What the person wrote, without the context before it."""
    return _CONTEXT.sub("", message.content)


def _late_decisions(messages: tuple[PromptMessage, ...], question: Question) -> str:
    """What to say where the engine tells last of decisions about earlier proposals."""
    if not messages or messages[-1].role != "user":
        return ""
    content, say = messages[-1].content, phrases(question.language)
    told = [_JSON.raw_decode(content, found.end())[0] for found in _DECISION.finditer(content)]
    return "\n\n".join(outcome_of(result, str(result.get("error", "")), say) for result in told)


def _graphs(request: ModelRequest) -> tuple[tuple[str, str], ...]:
    """Key and name of the graphs that the context of the last question lists, where it is about no graph."""
    block = _WORKSPACE.match(request.messages[_last_question(request.messages)].content) if request.messages else None
    if block is None:
        return ()
    rows = decode(block["body"])["graphs"]
    return tuple((str(row["key"]), str(row.get("name", row["key"]))) for row in rows)


def _graph_key(request: ModelRequest) -> str:
    """The key of the graph that the last retrieved context names."""
    for message in reversed(request.messages):
        if message.role in {"user", "system"} and (named := _GRAPH.search(message.content)):
            return named[1]
    return ""
