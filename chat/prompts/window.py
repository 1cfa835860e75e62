"""What a model is sent of a conversation: summary, kept messages, all since; the same bytes from turn to turn."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from chat.models import Message, Round, Summary
from chat.prompts.authored import authored
from chat.prompts.cutting import HistoryCut, Section, cut_history
from chat.prompts.deepening import quotes, without_quote
from chat.prompts.earlier import EarlierMessage
from chat.prompts.round_messages import round_entries
from chat.providers.estimating import counted_once, size, tokens_of, tokens_of_messages, tokens_of_tools
from chat.providers.model_request import ModelRequest, PromptMessage
from chat.tools.authors import Names

#: Said instead of offering tools once their rounds are used up.
NO_MORE_TOOLS = (
    "[No more tool calls are possible in this turn. Answer with what you have found, and say what is missing.]"
)

#: Looked up once: they are compared with each message of a long conversation.
_LEFT_OUT, _PINNED, _NOTE = Message.InPrompt.LEFT_OUT.value, Message.InPrompt.PINNED.value, Message.NOTE
#: Stands for a question that the person left out.
LEFT_OUT = "[The person left out a message here.]"


@dataclass(frozen=True, slots=True)
class SentMessage:
    """A message with what is sent of it; `rounds_left_out` are summarised.

    `records` that were sent before the cut of a conversation are out of date: level 2 has the last of them. A question
    may go without what was `retrieved` for it, a note without its `quote` of a question that is left out. `author` is
    told where several people write in the conversation.
    """

    message: Message | EarlierMessage
    rounds_left_out: int = 0
    records: bool = True
    retrieved: bool = True
    quote: bool = True
    author: str = ""
    _made: list[PromptMessage] = field(default_factory=list, init=False, compare=False, repr=False)

    def is_of(
        self, message: Message | EarlierMessage, rounds_left_out: int, records: bool, quote: bool, author: str
    ) -> bool:
        """Whether it is this very message, sent in this way."""
        return (
            self.message is message
            and self.rounds_left_out == rounds_left_out
            and self.records is records
            and self.quote is quote
            and self.author == author
            and self.retrieved
        )

    @property
    def entries(self) -> Sequence[PromptMessage]:
        """What is sent of it, made once."""
        if not self._made:
            self._made[:] = self._entries()
        return self._made

    def _entries(self) -> list[PromptMessage]:
        """What is sent; a word for a question that was left out, because vendors want turns to alternate."""
        message = self.message
        left_out = message.in_prompt == _LEFT_OUT
        if message.role != Message.Role.USER:
            model = f":{message.model}" if message.model else ""
            rounds = () if left_out else message.rounds[self.rounds_left_out :]
            return [entry for round_ in rounds for entry in round_entries(round_, model)]
        content = message.content if self.quote or message.kind != _NOTE else without_quote(message.content)
        content = authored(self.author, content) if self.author else content
        asked = [LEFT_OUT] if left_out else [message.retrieved if self.retrieved else "", content]
        changed = message.records if self.records else ""
        return [PromptMessage("user", "\n\n".join(part for part in (changed, *asked) if part))]

    @property
    def said(self) -> Sequence[PromptMessage]:
        """What was said, for a summary: a question without what was looked up for it, and only once."""
        return replace(self, records=False, retrieved=False, quote=False).entries


def prompt(levels: Sequence[str], summary: str, history: Sequence[PromptMessage]) -> tuple[PromptMessage, ...]:
    """System prompt, records that are always sent, and history; a vendor's cache may keep what ends at a breakpoint."""
    leading = [PromptMessage("system", level, cache_breakpoint=True) for level in levels if level]
    spread = [*([PromptMessage("user", summary)] if summary else []), *history]
    if spread:
        spread[-1] = replace(spread[-1], cache_breakpoint=True)
    return (*leading, *spread)


def sent(
    messages: Iterable[Message | EarlierMessage],
    summary: Summary | None,
    before: Mapping[int, SentMessage] | None = None,
    names: Names | None = None,
) -> list[SentMessage]:
    """The messages that a model is sent, in order. What a person pinned or left out is as they want it.

    `names` are those of their authors, if these are several.

    Those that were sent `before`, by their positions, are taken from there where they are sent in the same way.
    """
    shown = [message for message in messages if not message.exclude_from_prompt]
    gone = [each.content for each in shown if each.in_prompt == _LEFT_OUT and _is_question(each)]
    found = []
    for message in shown:
        rounds, records = 0, True
        if summary is not None:
            pinned, records = _is_pinned(message), message.sequence >= summary.sequence
            if not records and message.sequence not in summary.kept and not pinned:
                continue
            rounds = 0 if pinned else rounds_left_out(message.sequence, summary)
        quote = not gone or message.kind != _NOTE or not any(quotes(message.content, question) for question in gone)
        author = names[message.author_id] if names and _is_question(message) else ""
        again = before.get(message.sequence) if before else None
        if again is None or not again.is_of(message, rounds, records, quote, author):
            again = SentMessage(message, rounds, records=records, quote=quote, author=author)
        found.append(again)
    return found


def left_out(messages: Iterable[Message | EarlierMessage]) -> frozenset[int]:
    """The positions of those that a person left out."""
    return frozenset(each.sequence for each in messages if each.in_prompt == _LEFT_OUT)


def rounds_left_out(position: int, summary: Summary | None) -> int:
    """How many rounds of the answer at this position are summarised."""
    return summary.rounds if summary is not None and summary.sequence == position else 0


def surely_fits(request: ModelRequest, room: int) -> bool:
    """True where nothing needs to be counted: a token has at least one byte."""
    return tokens_of(request, size) <= room


def cut_of(
    request: ModelRequest,
    history: Sequence[SentMessage],
    rounds: Sequence[Sequence[PromptMessage]],
    position: int,
    room: int,
) -> HistoryCut | None:
    """The cut that makes the request fit. Each of `rounds` is of this answer, and empty if it was summarised."""
    asked = max((n for n, each in enumerate(history) if _is_question(each.message)), default=-1)
    parts = [_part(each, is_asked=number >= asked) for number, each in enumerate(history)]
    own = [
        Section(position, tokens_of_messages(round_), round=number) for number, round_ in enumerate(rounds) if round_
    ]
    leading = [message for message in request.messages if message.role == "system"]
    fixed = tokens_of_tools(request) + tokens_of_messages(leading[:1])
    return cut_history([*parts, *own], fixed, room, records=tokens_of_messages(leading[1:]))


def own_rounds(rounds: Sequence[Round], left_out: int) -> list[list[PromptMessage]]:
    """What is sent of each round of an answer; nothing of those that are summarised."""
    return [[] if number < left_out else list(round_entries(round_)) for number, round_ in enumerate(rounds)]


def _part(each: SentMessage, *, is_asked: bool) -> Section:
    message = each.message
    return Section(
        message.sequence,
        tokens_of_messages(each.entries),
        asks=message.role == Message.Role.USER,
        stays=(is_asked and message.role == Message.Role.USER) or _is_pinned(message),
        records=counted_once(message.records) if each.records else 0,
    )


def _is_question(message: Message | EarlierMessage) -> bool:
    """Whether a turn begins with it; notes and answers that waited belong to the question before."""
    return message.role == Message.Role.USER and message.kind == Message.TEXT


def _is_pinned(message: Message | EarlierMessage) -> bool:
    return message.in_prompt == _PINNED
