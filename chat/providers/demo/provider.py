"""The demo as a provider: word by word, with reasoning and usage as models have them.

It knows nothing but the `ModelRequest`: the same request always gives the same answer.
"""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from chat.providers import pieces
from chat.providers.call_ids import CallIds
from chat.providers.demo.answers import ANSWERS, SUGGESTIONS, found
from chat.providers.demo.changes import Plan, plans
from chat.providers.demo.forms import FilledForm, filled
from chat.providers.demo.lookups import Answered, Lookups, PlannedCall, Unavailable, Wanted, together
from chat.providers.demo.seen import Row, Seen, seen
from chat.providers.demo.sentences import CHANGES, PHRASES, Intent, Phrases, paragraphs, plain, subject, understand
from chat.providers.demo.suggesting import MAX_PROPOSED, merged, said
from chat.providers.estimating import estimated_tokens, size, tokens_of
from chat.providers.model_request import ModelRequest
from chat.providers.provider import ProviderConfig

DELAY_S = 0.015
_PROPOSE = "propose_"
#: Intents for which nothing is looked up, and suggestions that propose at once what should change.
_WITHOUT_LOOKING = frozenset({"help", "self", "done", "unknown", "too_long"})
_PROPOSING = frozenset({"improve", "inconsistent"})
_WORD = re.compile(r"\S+\s*|\s+")


class DemoProvider:
    def __init__(self, config: ProviderConfig, delay_s: float = DELAY_S) -> None:
        """`delay_s` is the pause between two words."""
        self.config = config
        self._delay_s = delay_s

    async def stream(self, request: ModelRequest) -> AsyncGenerator[pieces.Piece]:
        form, ids, written = filled(request), CallIds.of(request), 0
        if form is not None:
            said, calls = _of_form(form, ids), True
        else:
            shown = seen(request)
            step = next_step(shown)
            said, calls = _pieces(step, ids, first=not shown.results), bool(step.calls)
        for piece in said:
            written += size(getattr(piece, "text", "") or getattr(piece, "fragment", ""))
            yield piece
            await asyncio.sleep(self._delay_s)
        yield pieces.UsageReport(pieces.Usage(tokens_of(request), estimated_tokens(written), estimated=True))
        yield pieces.TurnEnd("tool_calls" if calls else "stop")

    async def close(self) -> None:
        """There is nothing to give back."""


@dataclass(frozen=True, slots=True)
class Step:
    """Calls to make side by side, after some words where they propose; or the words of the answer alone."""

    intent: Intent
    text: str = ""
    calls: tuple[PlannedCall, ...] = ()


def _pieces(step: Step, ids: CallIds, *, first: bool) -> Iterator[pieces.Piece]:
    say = Phrases(step.intent.language)
    if first and step.intent.name not in {*_WITHOUT_LOOKING, *CHANGES}:
        about = subject(next(iter(step.intent.words.values()), ""))
        thought = say("thinking", topic=say("quoted", text=about) if about else say("topic"))
        yield from map(pieces.ReasoningDelta, _WORD.findall(thought))
    if step.text:
        yield from map(pieces.TextDelta, _WORD.findall(f"{say('notice')}\n\n{step.text}"))
    for call in step.calls:
        call_id = ids.claim(None)
        yield pieces.ToolCallStart(call_id, call.tool)
        yield pieces.ToolCallDelta(call_id, json.dumps(call.arguments, ensure_ascii=False))


def _of_form(form: FilledForm, ids: CallIds) -> Iterator[pieces.Piece]:
    yield from map(pieces.ReasoningDelta, _WORD.findall(form.thought))
    yield from map(pieces.TextDelta, _WORD.findall(form.text))
    call_id = ids.claim(None)
    yield pieces.ToolCallStart(call_id, form.tool)
    yield pieces.ToolCallDelta(call_id, json.dumps(form.arguments, ensure_ascii=False))


def next_step(shown: Seen) -> Step:
    """The calls that are needed next, or the answer."""
    intents = _asked(shown)
    name, say, step = intents[0].name, Phrases(intents[0].language), partial(Step, intents[0])
    if shown.late:
        return step(paragraphs(*(_outcome(result, say) for result in shown.late)))
    looking = Lookups(_since_stale(shown), say)
    try:
        if name in SUGGESTIONS:
            return step(*_suggestions(looking, intents[0]))
        if name not in CHANGES:
            return step(ANSWERS.get(name, ANSWERS["help"])(looking, intents[0].words))
        text, calls = _change(looking, intents)
        return step(paragraphs(say("again") if calls and looking.seen is not shown else "", text), calls)
    except Wanted as wanted:
        return step(calls=wanted.calls)
    except Answered as answered:
        is_lost = answered.phrase in ("found_nothing", "none_called") and name not in CHANGES
        return step(paragraphs(say(answered.phrase, **answered.parts), say("hint") if is_lost else ""))
    except Unavailable:
        if hits := looking.hits():
            return step(paragraphs(found("", hits, say), "" if say("help") in shown.answers else say("hint")))
        return step(paragraphs(say("no_tools"), say("help")))


def _asked(shown: Seen) -> tuple[Intent, ...]:
    """What the latest question asks for, in its own words or in those of one before."""
    asked = (understand(text, shown.names) for text in reversed(shown.questions))
    latest = next(asked, understand(""))
    match latest[0].name:
        case "again":
            return next((intents for intents in asked if intents[0].name in CHANGES), latest)
        case "more" if not shown.next_page:
            return next((intents for intents in asked if intents[0].name != "more"), latest)
        case "propose_it":
            before = next(asked, latest)[0]
            if before.name in SUGGESTIONS:
                return (replace(before, words=before.words | {"propose": "propose"}),)
            return (before,) if before.name in CHANGES else (replace(latest[0], name="nothing_to_propose"),)
        case "answered_holder":
            before = next(asked, latest)[0]
            is_open = before.name == "create" and not before.words.get("parent") and not before.words.get("without")
            of_other = replace(latest[0], name="other", words={"x": shown.questions[-1]})
            return (replace(before, words=before.words | latest[0].words),) if is_open else (of_other,)
    return latest


def _suggestions(looking: Lookups, intent: Intent) -> tuple[str, tuple[PlannedCall, ...]]:
    """What is suggested, with the proposals if they are wanted; or what became of these."""
    say, seen = looking.say, looking.seen
    if decided := [_outcome(result.value, say) for result in seen.results if result.tool.startswith(_PROPOSE)]:
        return paragraphs(*decided), ()
    found = SUGGESTIONS[intent.name](looking, intent.words)
    text = said(looking, found)
    calls = merged(each.call for each in found.suggestions if each.call)[:MAX_PROPOSED]
    if not calls or not {call.tool for call in calls} <= seen.offered:
        return text, ()
    if intent.name not in _PROPOSING and not intent.words.get("propose"):
        return paragraphs(text, say("can_propose")), ()
    all_told = say.lines([str(call.arguments["reason"]) for call in calls])
    return paragraphs(text, say("proposed"), all_told, say("waits")), tuple(calls)


def _since_stale(shown: Seen) -> Seen:
    """What was seen since a first proposal turned out to be stale: then all is read and proposed anew, once."""
    proposed = [result for result in shown.results if result.tool.startswith(_PROPOSE)]
    first = [result for result in proposed if result.round == proposed[0].round]
    if not first or any(result.value.get("status") != "stale" for result in first):
        return shown
    return replace(shown, tables=(), results=tuple(each for each in shown.results if each.round > first[0].round))


def _change(looking: Lookups, intents: Sequence[Intent]) -> tuple[str, tuple[PlannedCall, ...]]:
    """What is proposed and the proposals, or what became of them. Several changes are one batch."""
    say, seen = looking.say, looking.seen
    if decided := [_outcome(result.value, say) for result in seen.results if result.tool.startswith(_PROPOSE)]:
        return paragraphs(*decided), ()
    if not any(tool.startswith(_PROPOSE) for tool in seen.offered):
        return paragraphs(say("no_change"), say("help")), ()
    by_name = replace(looking, by_name=True)
    made = [plan for of_one in together(partial(plans, by_name), intents) for plan in of_one]
    groups = [made] if len(intents) > 1 else [[plan] for plan in made]
    calls = tuple(_proposal(group) for group in groups)
    try:
        looking.require(call.tool for call in calls)
    except Unavailable:
        missing = next(call.tool for call in calls if call.tool not in seen.offered)
        raise Answered("refused", error=missing) from None
    return paragraphs("\n".join(plan.said for plan in made), say("waits")), calls


def _proposal(group: Sequence[Plan]) -> PlannedCall:
    """The call that proposes these changes as one."""
    reason = {"reason": " ".join(plan.reason for plan in group)}
    calls = [call for plan in group for call in plan.calls]
    if len(calls) == 1:
        return PlannedCall(calls[0].tool, calls[0].arguments | reason)
    actions = [{"tool": call.tool, "arguments": call.arguments} for call in calls]
    return PlannedCall(f"{_PROPOSE}batch", {"actions": actions} | reason)


def _outcome(result: Row, say: Phrases) -> str:
    """What became of a proposal, exactly as its result says."""
    phrase = "decided_unasked" if result.get("asked") is False else f"decided_{result.get('status')}"
    if "error" in result or phrase not in PHRASES["en"]:
        return say("refused", error=plain(result.get("error")))
    if phrase == "decided_applied" and "changes" not in result:
        return say("web_let")
    sentence = say(phrase, changes=result.get("changes", 0))
    return f"{sentence} {say('feedback', feedback=result['feedback'])}" if result.get("feedback") else sentence
