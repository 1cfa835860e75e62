"""Makes a proposal of a call of a write tool: computes it now, stores it, and tells who watches."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from chat.events import notices
from chat.events.vocabulary import NewEvent
from chat.models import Message, Proposal, Session
from chat.proposals import policy
from chat.proposals.applying import TOOL_PREFIX, carry_out
from chat.proposals.drafting import draft, reserved_objects
from chat.proposals.proposal_json import decision_event, proposal_event
from chat.proposals.shortening import shorten
from graphs.history.outside import catch_up
from graphs.models import Object
from graphs.objects import actions
from graphs.objects.actions import Action, ChangeRefused, CreateObject, ObjectAction
from graphs.objects.headers import object_for
from graphs.objects.holding import held
from graphs.objects.new_keys import NewKeys, keyed
from graphs.site.access import Forbidden, Member, NotFound, hold_role

#: Told to the model.
NO_EDITOR = "The person may not change {what} (any more). Nothing was proposed; tell them."
GONE = "The {kind} was deleted. Nothing can be changed any more; tell the person."


@dataclass(frozen=True, slots=True)
class WriteCall:
    """A call of a write tool that was parsed. `arguments` are those of the action alone, as JSON."""

    id: str
    tool: str
    action: Action
    arguments: dict[str, Any]
    reason: str
    request_validation: bool = False


@dataclass(frozen=True, slots=True)
class Proposed:
    """A proposal and the `events` for the session's stream; none when it was proposed before."""

    proposal: Proposal
    events: tuple[NewEvent, ...]


def propose(member: Member, session: Session, message: Message, about: Object | None, call: WriteCall) -> Proposed:
    """Stores what a call would do. It waits for a decision, or is applied at once where nobody has to be asked.

    `about` is what the conversation is about. The caller's transaction holds the session; the object that the call
    changes is held from here on. Raises `ChangeRefused`, whose text tells the model why. A call that was proposed
    before is found again.
    """
    before = Proposal.objects.filter(message=message, tool_call_id=call.id).first()
    if before is not None:
        return Proposed(before, ())
    require_editor(member, f"this {about.type}" if about is not None else "anything here")
    name = call.tool.removeprefix(TOOL_PREFIX)
    keys = NewKeys(session.workspace_id, lambda kind: reserved_objects(session.workspace_id, kind))
    arguments = keyed(name, call.arguments, keys)
    action = call.action if arguments == call.arguments else actions.parse(name, arguments)
    of = _held_subject(member, about, action)
    drafted = draft(of, call.tool, action, arguments, member=member)
    tools = {f"{TOOL_PREFIX}{actions.NAMES[type(step)]}" for step in actions.steps_of([action])}
    proposal = Proposal(
        workspace=session.workspace,
        session=session,
        message=message,
        tool_call_id=call.id,
        tool=call.tool,
        object=of if of.pk is not None else None,
        object_type=of.type,
        object_key=of.key,
        arguments=arguments,
        reason=call.reason,
        operations=drafted.operations,
        targets=drafted.targets,
        diff=drafted.diff,
        digest=drafted.digest,
        asked_by=policy.asked_by(session, of, call.tool, drafted.planned, call.request_validation, tools),
        expires_at=Now() + timedelta(days=settings.PROPOSAL_DAYS),
    )
    shorten(proposal)
    proposal.save(force_insert=True)
    proposal.refresh_from_db(fields=["created_at", "expires_at"])
    events = [proposal_event(proposal)]
    if not proposal.asked_by:
        _let_through(proposal, of, member)
        events.append(decision_event(proposal))
    notices.notify([(proposal, events)])
    return Proposed(proposal, tuple(events))


def require_editor(member: Member, what: str) -> None:
    """Holds the member's role. Raises `ChangeRefused` for one who may not propose."""
    try:
        hold_role(member).require_editor()
    except (NotFound, Forbidden):
        raise ChangeRefused(NO_EDITOR.format(what=what)) from None


def _held_subject(member: Member, about: Object | None, action: Action) -> Object:
    """What the proposal is about: the conversation's object if it is changed, else the first one named, or a new one.

    It is held, with all that is named.
    """
    named, steps = _named_objects(member, [action]), actions.steps_of([action])
    of_parts = not all(isinstance(step, ObjectAction) for step in steps)
    if about is not None and (of_parts or not named or about.pk in {each.pk for each in named}):
        of = about
    elif of_parts:
        raise ChangeRefused(
            _("This conversation is about nothing that has such parts. Name the objects, with the tools for objects.")
        )
    elif named:
        of = named[0]
    elif isinstance(step := steps[0], CreateObject):
        return Object(workspace_id=member.workspace.pk, type=step.kind, key=step.key or "")
    else:
        raise ChangeRefused(_('There is no "{object}".').format(object=actions.named_by([action])[0]))
    objects = _held_objects([of, *named])
    if of.pk not in objects:
        raise ChangeRefused(GONE.format(kind=of.type))
    # What the model saw has its place in the history before the proposal, so that only what comes later is "since".
    catch_up(objects.values())
    return objects[of.pk]


def _let_through(proposal: Proposal, of: Object, member: Member) -> None:
    """Applies it at once, in the name of the conversation's owner, as nobody has to be asked."""
    carry_out(proposal, of, member.user)
    proposal.decided_at = proposal.created_at
    shorten(proposal)
    proposal.save(update_fields=["status", "change_set", "conflicts", "problem", "brief", "decided_at"])


def hold_all(member: Member, about: Object | None, asked: Sequence[Action]) -> None:
    """Holds what several proposals of one transaction are about, before the first of them is made."""
    _held_objects([*_named_objects(member, asked), *([about] if about else [])])


def _held_objects(objects: Sequence[Object]) -> dict[int, Object]:
    """The objects as they are now, by primary key."""
    return {each.pk: each for each in held(Object.objects.filter(pk__in={each.pk for each in objects}))}


def _named_objects(member: Member, asked: Sequence[Action]) -> list[Object]:
    """The objects that the actions name and that the member may see, in their order; the others are left out."""
    found: list[Object] = []
    for ref in actions.named_by(asked):
        with suppress(NotFound):
            found.append(object_for(member, ref))
    return found
