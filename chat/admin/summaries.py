"""The summaries of a session as the audit shows them: what a model got in place of which messages."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from chat.admin import figures
from chat.models import Message, Summary
from chat.prompts import window
from chat.prompts.summary_json import shown


@dataclass(frozen=True, slots=True)
class ShownSummary:
    """One summary: `covers` says what it stands for; only the `latest` one is still sent."""

    summary: Summary
    text: str
    covers: str
    before: str
    after: str
    latest: bool


def by_position(summaries: Sequence[Summary]) -> Mapping[int, list[ShownSummary]]:
    """The summaries by the position of the message where each ends."""
    found: dict[int, list[ShownSummary]] = defaultdict(list)
    for summary in summaries:
        found[summary.sequence].append(
            ShownSummary(
                summary=summary,
                text=shown(summary.content),
                covers=_covers(summary),
                before=figures.number(summary.tokens_before),
                after=figures.number(summary.tokens_after),
                latest=summary is summaries[-1],
            )
        )
    return found


def no_longer_sent(messages: Iterable[Message], summaries: Sequence[Summary]) -> Collection[int]:
    """The positions of the messages that a model gets the latest summary for."""
    if not summaries:
        return ()
    shown_to_model = [message for message in messages if message.kind != Message.SYSTEM_PROMPT]
    sent = {each.message.sequence for each in window.sent(shown_to_model, summaries[-1])}
    return {message.sequence for message in shown_to_model if not message.exclude_from_prompt} - sent


def _covers(summary: Summary) -> str:
    parts = []
    if summary.sequence > 1:
        parts.append(_("messages before #%(position)s") % {"position": summary.sequence})
    if summary.kept:
        kept = ", ".join(f"#{position}" for position in summary.kept)
        parts.append(_("without %(positions)s") % {"positions": kept})
    if summary.rounds:
        first = _("the first rounds of #%(position)s (%(count)s)")
        parts.append(first % {"position": summary.sequence, "count": summary.rounds})
    return ", ".join(parts)
