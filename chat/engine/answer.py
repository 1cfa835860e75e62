"""The answer of one run as it grows: every piece goes to the log first, and into the transcript that will be stored."""

import json
import time
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.utils import timezone

from chat.concurrency.database import in_tool_thread
from chat.engine.claims import ClaimedRun
from chat.events.transcript import PARAGRAPH, Transcript
from chat.events.vocabulary import EventType, NewEvent
from chat.events.writer import GroupWriter
from chat.generation.asked import GenerationState, told
from chat.models import Call, Round, calls_of
from chat.prompts.round_messages import round_of
from chat.providers import pieces
from chat.spending.calls import CallCost

#: The result of a call that was running when the answer ended.
NOT_FINISHED = {"error": "The answer ended before this call did; it had no effect.", "interrupted": True}
#: While a model writes a call, so many characters of its arguments are shown at once, or what came in so long.
ARGUMENTS_CHARS = 256
ARGUMENTS_S = 1.0


class LiveAnswer:
    """The answer under way. `rounds` are complete, as they are stored; `transcript` is what readers were shown."""

    def __init__(self, run: ClaimedRun, writer: GroupWriter, transcript: Transcript) -> None:
        self._run = run
        self._writer = writer
        self.transcript = transcript
        self.rounds: list[Round] = list(run.rounds)
        #: What calls took, to be told with what comes next: mostly the end of the run, in its transaction.
        self._costs: list[NewEvent] = []
        self._between_rounds = bool(self.rounds)
        #: Calls that are being written and were not shown, and what was not shown of the arguments of all.
        self._named: list[pieces.ToolCallStart] = []
        self._arguments: dict[str, list[str]] = {}
        self._arguments_at = 0.0

    async def emit(self, type_: EventType, data: dict[str, Any]) -> None:
        """Emits an event about this answer, stored before anyone sees it."""
        await self._emit_costs()
        await self._writer.put(self._run.stream_id, self._run.epoch, self.event(type_, data))
        self.transcript.add(type_, data)

    def add_costs(self, costs: Iterable[CallCost]) -> None:
        """Adds what calls for this answer took; those that took nothing are for the records only."""
        for cost in costs:
            if cost.usage != pieces.Usage():
                self._costs.append(self.event("usage", cost.to_event()))
                self.transcript.add("usage", cost.to_event())

    @property
    def unemitted_costs(self) -> tuple[NewEvent, ...]:
        """The events of costs that were not emitted yet."""
        return tuple(self._costs)

    async def _emit_costs(self) -> None:
        """Emits the costs that were not emitted yet. No end of the run that holds them is stored after that."""
        costs, self._costs = self._costs, []
        for event in costs:
            await self._writer.put(self._run.stream_id, self._run.epoch, event)

    async def flush(self) -> None:
        """Waits until every event of the answer is stored."""
        await self._emit_costs()
        await self._writer.flush(self._run.stream_id)

    @property
    def generates(self) -> bool:
        """Whether it is a generation, of which the pages of its object are told."""
        return self._run.generation is not None

    def generation(self, state: GenerationState) -> NewEvent:
        """The event that tells how far the generation is."""
        assert self._run.generation is not None
        return told(self._run.id, self._run.message_id, self._run.generation.prompt, state)

    def event(self, type_: EventType, data: dict[str, Any]) -> NewEvent:
        return NewEvent(type_, data, self._run.message_id, self._run.id)

    async def show(self, piece: pieces.Piece) -> None:
        """Emits what a piece of the model's reply means to a reader, calls while their arguments are still written."""
        match piece:
            case pieces.TextDelta(text) if text:
                if self._between_rounds:
                    text, self._between_rounds = self.transcript.paragraph(text), False
                await self.emit("content_delta", {"delta": text})
            case pieces.ReasoningDelta(text) if text:
                await self.emit("reasoning_delta", {"delta": text})
            case pieces.ToolCallStart():
                if not self._named:
                    self._arguments_at = time.monotonic()
                self._named.append(piece)
            case pieces.ToolCallDelta(call_id, fragment):
                await self._show_arguments(call_id, fragment)
            case pieces.TurnEnd():
                await self._show_last_arguments()
            case pieces.Retrying(attempt, delay_s, error):
                at = timezone.now() + timedelta(seconds=delay_s)
                wait = {"delayS": round(delay_s, 1), "nextAttemptAt": at.isoformat()}
                await self.emit("status", {"state": "retrying", "attempt": attempt, **wait, "code": error.code})

    async def _show_arguments(self, call_id: str, fragment: str) -> None:
        """Shows what is written of arguments, gathered: an event for every few characters would be most of the log.

        A call that is soon complete is shown then, with its arguments.
        """
        waiting = self._arguments.setdefault(call_id, [])
        waiting.append(fragment)
        if sum(map(len, waiting)) < ARGUMENTS_CHARS and time.monotonic() < self._arguments_at + ARGUMENTS_S:
            return
        named, self._named = self._named, []
        for call in named:
            await self.emit("tool_call_start", {"toolCallId": call.id, "name": call.name, "args": {}})
        await self._emit_arguments(call_id)
        self._arguments_at = time.monotonic()

    async def _show_last_arguments(self) -> None:
        """Shows the rest of arguments of which the beginning was shown."""
        for call_id in list(self._arguments):
            if call_id in self.transcript.arguments:
                await self._emit_arguments(call_id)
        self._arguments.clear()
        self._named.clear()

    async def _emit_arguments(self, call_id: str) -> None:
        if written := "".join(self._arguments.pop(call_id, ())):
            await self.emit("tool_call_delta", {"toolCallId": call_id, "delta": written})

    async def show_call(self, call_id: str, name: str, arguments: dict[str, Any]) -> None:
        """Shows a call as it was found to be. One that was shown while it was written gets its arguments."""
        if call_id not in self.transcript.calls:
            await self.emit("tool_call_start", {"toolCallId": call_id, "name": name, "args": arguments})
        elif arguments:
            await self.emit("tool_call_delta", {"toolCallId": call_id, "args": arguments})

    async def say_aside(self) -> None:
        """Shows the words that this answer begins with, as far as readers were not shown them."""
        said = PARAGRAPH.join(round_.text for round_ in self.rounds if round_.aside)
        if said and self.transcript.empty:
            await self.emit("content_delta", {"delta": said})

    def take_round(self, rounds: list[Round], events: Iterable[NewEvent]) -> None:
        """Adds a round that was stored already, with its events."""
        self.rounds = list(rounds)
        for event in events:
            self.transcript.add(event.type, event.data)
        self._between_rounds = True

    async def close_round(self, reply: pieces.Reply) -> None:
        """Adds a complete reply and the results that its calls got."""
        calls = [
            replace(self.transcript.calls[call.id], arguments=call.arguments)
            for call in reply.tool_calls
            if call.id in self.transcript.calls
        ]
        # Only results are counted, which takes a thread.
        self.rounds.append(await in_tool_thread(round_of, reply, calls) if calls else round_of(reply))
        self._between_rounds = True

    def shows_more_than_rounds(self) -> bool:
        """True when readers were shown something of a round that is not complete."""
        thought = "".join(round_.reasoning for round_ in self.rounds)
        return bool(self._rest() or self._open_calls() or len(self.transcript.reasoning) > len(thought))

    async def close_with_what_was_shown(self) -> None:
        """Makes a last round of what no complete round holds; vendors want a result of calls that never finish."""
        for call in self.transcript.tool_calls:
            if call.status == "running":
                await self.emit("tool_call_result", {"toolCallId": call.id, "result": NOT_FINISHED})
        text, rest = self._rest(), self._open_calls()
        if text or rest:
            calls = [replace(call, arguments=self._written(call)) for call in rest]
            self.rounds.append(await in_tool_thread(round_of, pieces.Reply(text=text), calls))

    def _written(self, call: Call) -> str:
        """The arguments of a call, as far as they were shown; in a conversation, which sends them again, as JSON."""
        begun = self.transcript.arguments.get(call.id, "") if self.generates else ""
        return begun or json.dumps(call.args)

    def unstored_text(self) -> str:
        """What readers were shown, thoughts and calls too, beyond the rounds that are complete."""
        thought = "".join(round_.reasoning for round_ in self.rounds)
        written = self.transcript.arguments
        calls = "".join(written.get(call.id) or json.dumps(call.args) for call in self._open_calls())
        return self._rest() + self.transcript.reasoning.removeprefix(thought) + calls

    def _rest(self) -> str:
        said = PARAGRAPH.join(round_.text for round_ in self.rounds if round_.text)
        return self.transcript.text.removeprefix(said).removeprefix(PARAGRAPH)

    def _open_calls(self) -> list[Call]:
        stored = {call.id for call in calls_of(self.rounds)}
        return [call for call in self.transcript.tool_calls if call.id not in stored]
