"""Makes a decision its call's result, or a note after an interim one; the last open call continues the turn."""

from collections.abc import Iterable, Sequence

from django.utils import timezone

from chat.engine import claims, machine, open_calls, transitions
from chat.engine.generating import follow_up
from chat.engine.runs import Accepted, new_run, queued, start
from chat.engine.states import Limits, Phase, load
from chat.events import notices
from chat.events.append import append
from chat.events.vocabulary import NewEvent
from chat.models import Message, Proposal, ProposalStatus, Round, Run, Session, SessionType
from chat.prompts.decisions import note_of, result_of
from chat.proposals import decision_event
from chat.queries.conversations import next_position

#: Decisions of a person, after which the model is asked again. Of what became stale it is told when the person asks.
_DECIDED = frozenset({ProposalStatus.APPLIED, ProposalStatus.REJECTED, ProposalStatus.FAILED})


def apply_decisions(session: Session, proposals: Sequence[Proposal], more: Iterable[NewEvent] = ()) -> Accepted | None:
    """Gives calls of a held session their results, last in the transaction; returns the run that goes on, if any.

    Everybody is told of the decisions; `more` are events for the session's stream alone.
    """
    for proposal in proposals:
        follow_up(proposal)
    decisions = [decision_event(proposal) for proposal in proposals]
    notices.notify([(proposal, [decision]) for proposal, decision in zip(proposals, decisions, strict=True)])
    events = [*decisions, *more]
    position, resting = next_position(session)
    waited = open_calls.waiting_answer(session)
    late = []
    for proposal in proposals:
        result = None
        if waited is not None and proposal.message_id == waited.pk:
            result = open_calls.set_result(waited, proposal.tool_call_id, result_of(proposal))
        if result is None:  # its call has an interim one
            late.append(proposal)
        else:
            events.append(result)
    if late:
        # The model reads the note with the next run, whichever that is.
        note = Message(session=session, sequence=position, role=Message.Role.USER, kind=Message.NOTE)
        note.content = " ".join(map(note_of, late))
        note.save(force_insert=True)
        position += 1
    run = None
    if waited is not None and len(late) < len(proposals):
        waited.save(update_fields=["rounds"])
        if resting and not open_calls.open_calls(waited):
            run = _next_of(session, waited, position, wanted=_wanted(proposals))
    elif resting and _talks(session) and _wanted(late) and load(session.state).phase is Phase.IDLE:
        trigger = {"event": "UserMessageSent", "proposals": [str(proposal.pk) for proposal in late]}
        run = new_run(session, late[0].message.run.author, position, trigger)
    if run is None:
        append(session.stream_id, events)
        return None
    return start(run, claims.author_of(run), [*events, queued(run)], resting=True)


def _wanted(proposals: Iterable[Proposal]) -> bool:
    return any(proposal.status in _DECIDED for proposal in proposals)


def _talks(session: Session) -> bool:
    """Whether the model hears of decisions: what it generated once, it does not go on with."""
    return session.type != SessionType.GENERATION


def _next_of(session: Session, waited: Message, position: int, *, wanted: bool) -> Run | None:
    """The run that continues the turn; None, and the session rests, if neither a person nor the model wants one."""
    keep_control = _talks(session) and open_calls.keeps_control(waited.rounds[-1])
    words = open_calls.words_after(waited.rounds[-1])
    if wanted and (keep_control or words):
        trigger = {"event": "ValidationReceived", "keep_control": keep_control}
        run = new_run(session, waited.run.author, position, trigger, model=waited.run.asked_model)
        run.prompt_version_id, run.reads_only = waited.run.prompt_version_id, waited.run.reads_only
        run.message.rounds = [Round(text, aside=True) for text in words]
        return run
    event = transitions.ValidationReceived(keep_control=False) if wanted else transitions.RunStopped()
    state = machine.transition(load(session.state), event, Limits()).state
    Session.objects.filter(pk=session.pk).update(state=state.to_json(), phase=state.phase, updated_at=timezone.now())
    return None
