"""What the demo does next: calls of tools, or an answer. Called by `provider`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from chat.providers.demo.answers import ANSWERS, found, page
from chat.providers.demo.changes import Plan, plans
from chat.providers.demo.intents import CHANGES, Intent, understand
from chat.providers.demo.lookups import Answered, Call, Item, Lookups, Unavailable, Wanted, together
from chat.providers.demo.phrases import Phrases, paragraphs, plain
from chat.providers.demo.seen import PROPOSE, Result, Row, Seen


@dataclass(frozen=True, slots=True)
class Step:
    """Calls to make side by side, after some words where they propose; or the words of the answer alone."""

    intent: Intent
    say: Phrases
    text: str = ""
    calls: tuple[Call, ...] = ()


def next_step(seen: Seen) -> Step:
    """The calls that are needed next, or the answer."""
    intents = _asked(seen)
    step = partial(Step, intents[0], say := Phrases(intents[0].language))
    if seen.late:
        return step(_outcomes(seen.late, say))
    results, again = _since_stale(seen.results)
    looking = Lookups(results, seen.offered, seen.at_hand, say)
    try:
        if intents[0].name in CHANGES:
            text, calls = _change(looking, intents)
            return step(paragraphs(say("again") if again and calls else "", text), calls)
        if intents[0].name == "more" and seen.next_page:
            return step(page(looking.one("list_objects", **seen.next_page), say))
        return step(ANSWERS.get(intents[0].name, ANSWERS["help"])(looking, intents[0].words))
    except Wanted as wanted:
        return step(calls=wanted.calls)
    except Answered as answered:
        return step(str(answered))
    except Unavailable:
        hits = looking.hits()
        return step(found("", hits, say) if hits else paragraphs(say("no_tools"), say("help")))


def _asked(seen: Seen) -> tuple[Intent, ...]:
    """What the latest question asks for: to propose again is the last change before, to go on the last question."""
    asked = map(understand, reversed(seen.questions))
    latest = next(asked, understand(""))
    if latest[0].name == "again":
        return next((intents for intents in asked if intents[0].name in CHANGES), latest)
    if latest[0].name == "more" and not seen.next_page:
        return next((intents for intents in asked if intents[0].name != "more"), latest)
    return latest


def _since_stale(results: Sequence[Result]) -> tuple[Sequence[Result], bool]:
    """What was seen since a first proposal turned out to be stale: then all is read and proposed anew, once."""
    proposed = [result for result in results if result.tool.startswith(PROPOSE)]
    first = [result for result in proposed if result.round == proposed[0].round]
    if not first or any(result.value.get("status") != "stale" for result in first):
        return results, False
    return [result for result in results if result.round > first[0].round], True


def _change(looking: Lookups, intents: Sequence[Intent]) -> tuple[str, tuple[Call, ...]]:
    """What is proposed and the proposals, or what became of them. Several changes are one batch."""
    say = looking.say
    if decided := [result.value for result in looking.results if result.tool.startswith(PROPOSE)]:
        return _outcomes(decided, say), ()
    if not any(tool.startswith(PROPOSE) for tool in looking.offered):
        return paragraphs(say("no_change"), say("help")), ()
    of_intents = together(partial(plans, looking, intent.name, intent.words) for intent in intents)
    made = [plan for of_one in of_intents for plan in of_one]
    groups = [made] if len(intents) > 1 else [[plan] for plan in made]
    calls = tuple(_proposal(group, say) for group in groups)
    if missing := [call.tool for call in calls if call.tool not in looking.offered]:
        return say("refused", error=missing[0]), ()
    return paragraphs("\n".join(_words(plan, say, linked=True) for plan in made), say("waits")), calls


def _proposal(group: Sequence[Plan], say: Phrases) -> Call:
    """The call that proposes these changes as one."""
    reason = {"reason": " ".join(_words(plan, say, linked=False) for plan in group)}
    calls = [call for plan in group for call in plan.calls]
    if len(calls) == 1:
        return Call(calls[0].tool, calls[0].arguments | reason)
    actions = [{"tool": call.tool, "arguments": call.arguments} for call in calls]
    return Call(f"{PROPOSE}batch", {"actions": actions} | reason)


def _words(plan: Plan, say: Phrases, *, linked: bool) -> str:
    """What is proposed: with links for the answer, in plain words for the card."""
    return say(plan.said, **{name: _part(part, linked=linked) for name, part in plan.parts.items()})


def _part(part: Item | str, *, linked: bool) -> str:
    if isinstance(part, str):
        return f"“{part}”" if linked else part
    return str(part) if linked else part.key if part.is_node else part.title


def _outcomes(decided: Iterable[Row], say: Phrases) -> str:
    """What became of proposals, exactly as their results say."""
    return "\n\n".join(_outcome(result, say) for result in decided)


def _outcome(result: Row, say: Phrases) -> str:
    phrase = f"decided_{result.get('status')}"
    if "error" in result or phrase not in say:
        return say("refused", error=plain(result.get("error")))
    told = say(phrase, changes=result.get("changes", 0))
    feedback = str(result.get("feedback") or "")
    return f"{told} {say('feedback', feedback=feedback)}" if feedback else told
