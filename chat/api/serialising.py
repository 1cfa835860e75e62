"""Sessions, messages and events as JSON."""

import uuid
from collections.abc import Sequence
from typing import Any

from django.conf import settings

from chat import queries
from chat.api.markdown import render
from chat.engine import available_models
from chat.engine.states import load
from chat.events.vocabulary import event_json
from chat.models import Message, Session
from chat.proposals.proposal_json import proposals_json
from chat.providers.registry import Choice
from chat.queries import EventPage


def session_json(session: Session) -> dict[str, Any]:
    context = {"type": session.context_type, "id": session.context_id} if session.context_type else None
    return {
        "id": str(session.pk),
        "title": session.title,
        "type": session.type,
        "context": context,
        "model": session.model,
        "modelAvailable": available_models.can_ask(session.model),
        "phase": session.phase,
        "waiting": waiting_json(session),
        "usage": queries.usage_of_session(session),
        "streamId": session.stream.name,
        "onDisconnect": session.on_disconnect,
        "requireValidation": session.require_validation,
        "createdAt": session.created_at.isoformat(),
        "updatedAt": session.updated_at.isoformat(),
    }


def waiting_json(session: Session) -> dict[str, Any] | None:
    """What the session waits for: `{kind, ...}`; for the tool limit what its event told."""
    state = load(session.state)
    if state.waiting is None:
        return None
    if state.waiting.kind == "tool_limit":
        limit = settings.TOOL_ROUNDS_EXTENDED
        return {"kind": "tool_limit", "roundsUsed": state.rounds, "maxExtended": limit}
    return {"kind": state.waiting.kind, "id": state.waiting.id}


def messages_json(messages: Sequence[Message]) -> list[dict[str, Any]]:
    proposed = [(message, proposal) for message in messages for proposal in message.proposals.all()]
    told = proposals_json([proposal for _message, proposal in proposed])
    by_message: dict[uuid.UUID, list[dict[str, Any]]] = {}
    for (message, _proposal), as_json in zip(proposed, told, strict=True):
        by_message.setdefault(message.pk, []).append(as_json)
    return [_message_json(message, by_message.get(message.pk, [])) for message in messages]


def _message_json(message: Message, proposals: list[dict[str, Any]]) -> dict[str, Any]:
    """An answer that is still being written has no content here: its events tell it."""
    run = getattr(message, "run", None)
    return {
        "id": str(message.pk),
        "role": message.role,
        "status": message.status,
        "content": message.content,
        "html": render(message.content) if message.role == Message.Role.ASSISTANT else "",
        "reasoning": message.reasoning,
        "toolCalls": queries.tool_calls(message) if message.content or message.status != "streaming" else [],
        "proposals": proposals,
        "model": message.model,
        "modelId": f"{run.provider}:{run.model}" if run and run.provider else "",
        "deepens": str(message.deepens_id) if message.deepens_id else None,
        "gaveUp": bool(run and run.gave_up),
        "runId": str(run.pk) if run else None,
        "error": run.error if run else None,
        "usage": queries.usage_of(run) if run else None,
        "changes": message.changes,
        "inPrompt": message.in_prompt,
        "createdAt": message.created_at.isoformat(),
    }


def events_json(page: EventPage) -> dict[str, Any]:
    return {
        "events": [event_json(event, page.stream.name) for event in page.events],
        "last": page.last,
    }


def model_json(choice: Choice, stronger: Choice | None) -> dict[str, Any]:
    """A model to choose, with the next stronger one. The price is per million tokens."""
    price = choice.price
    return {
        "id": choice.id,
        "label": choice.label,
        "provider": choice.provider,
        "model": choice.model,
        "reasons": choice.reasons,
        "strength": choice.strength,
        "stronger": stronger.id if stronger else None,
        "price": price and {"input": price.input, "cachedInput": price.cached_input, "output": price.output},
        "contextWindow": choice.context_window,
    }
