"""Conversations as the API answers with them."""

from typing import Any, Self

from django.conf import settings

from chat.engine import available_models
from chat.engine.states import load
from chat.models import Session
from chat.queries.answers import SessionUsageShape
from graphs.objects.refs import ObjectName
from graphs.site.api.paging import PageShape
from graphs.site.shapes import Id, Moment, Shape


class SessionShape(Shape):
    id: Id
    title: str
    type: str
    context: ObjectName | None
    model: str
    model_available: bool
    phase: str
    waiting: dict[str, Any] | None
    usage: SessionUsageShape
    stream_id: str
    on_disconnect: str
    require_validation: bool
    created_at: Moment
    updated_at: Moment

    @classmethod
    def of(cls, session: Session) -> Self:
        context = session.context.to_json() if session.context else None
        return cls.from_attributes(
            session,
            context=context,
            model_available=available_models.can_ask(session.model),
            waiting=_waiting(session),
            usage=SessionUsageShape.of(session),
            stream_id=session.stream.name,
        )


class SessionPage(PageShape[SessionShape]): ...


def _waiting(session: Session) -> dict[str, Any] | None:
    """What the session waits for, as `{kind, ...}`. The tool limit says what its event said."""
    state = load(session.state)
    if state.waiting is None:
        return None
    if state.waiting.kind == "tool_limit":
        limit = settings.TOOL_ROUNDS_EXTENDED
        return {"kind": "tool_limit", "roundsUsed": state.rounds, "maxExtended": limit}
    return {"kind": state.waiting.kind, "id": state.waiting.id}
