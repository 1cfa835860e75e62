"""What a suggestion of the demo is: a sentence with its evidence and, where something should change, a proposal."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from chat.providers.demo.lookups import Item, Lookups, PlannedCall
from chat.providers.demo.records import texts

#: Suggestions that are made at once, and those of them that come with a proposal.
MAX_SUGGESTED = 20
MAX_PROPOSED = 5


@dataclass(frozen=True, slots=True)
class Suggestion:
    """`call` proposes what should change, if something should."""

    text: str
    call: PlannedCall | None = None


@dataclass(frozen=True, slots=True)
class Suggested:
    """`heading` says what they are; `rule` how they were found. Without any, `none` is the answer."""

    heading: str
    suggestions: Sequence[Suggestion]
    rule: str
    none: str


def update(key: str, updates: dict[str, Any], reason: str) -> PlannedCall:
    """The call that proposes new values of a record."""
    return PlannedCall("propose_update_object", {"object": key, "updates": updates, "reason": reason})


def more_texts(item: Item, field: str, added: Sequence[str], reason: str) -> PlannedCall | None:
    """The call that proposes more texts in a list of a use case; None where they are there already."""
    had = texts(item.fields.get(field))
    new = [each for each in added if each not in had]
    return update(item.key, {field: [*had, *new]}, reason) if new else None


def merged(calls: Iterable[PlannedCall]) -> list[PlannedCall]:
    """The calls with those of one record as one, so that no approval undoes another: lists get all that is added."""
    found: dict[str, PlannedCall] = {}
    for call in calls:
        of = call.arguments["object"]
        if (before := found.get(of)) is None:
            found[of] = call
            continue
        updates, reason = dict(before.arguments["updates"]), before.arguments["reason"]
        for field, new in call.arguments["updates"].items():
            had = updates.get(field)
            both = isinstance(had, list) and isinstance(new, list)
            updates[field] = [*(had or ()), *(each for each in new if each not in (had or ()))] if both else new
        told = reason if call.arguments["reason"] in reason else f"{reason} {call.arguments['reason']}"
        found[of] = update(of, updates, told)
    return [*found.values()]


def said(looking: Lookups, found: Suggested) -> str:
    """The suggestions as a list, with their heading and how they were found."""
    from_all = found.suggestions[:MAX_SUGGESTED]
    lines = looking.say.lines([each.text for each in from_all], len(found.suggestions))
    return "\n\n".join(filter(None, (found.heading, lines, found.rule))) if found.suggestions else found.none
