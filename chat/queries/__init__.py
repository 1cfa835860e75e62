"""All that a person may see of conversations. No door fetches a session, message or stream any other way."""

from chat.queries.answers import run_result, tool_calls
from chat.queries.conversations import (
    always_sent,
    held_session,
    live_run,
    member_in,
    message_for,
    messages_of,
    next_position,
    reading_point,
    session_and_member,
    session_for,
    sessions_of,
    summary_of,
)
from chat.queries.ids import parsed_id, stream_name_of
from chat.queries.proposals import proposal_and_member, proposal_for, proposals_of, require_proposals, waiting_count
from chat.queries.streams import (
    MAX_EVENTS,
    READABLE_STREAMS,
    EventPage,
    ReadableStream,
    events_of_message,
    events_page,
    hidden_streams,
    readable,
    stream_for,
)

__all__ = [
    "MAX_EVENTS",
    "READABLE_STREAMS",
    "EventPage",
    "ReadableStream",
    "always_sent",
    "events_of_message",
    "events_page",
    "held_session",
    "hidden_streams",
    "live_run",
    "member_in",
    "message_for",
    "messages_of",
    "next_position",
    "parsed_id",
    "proposal_and_member",
    "proposal_for",
    "proposals_of",
    "readable",
    "reading_point",
    "require_proposals",
    "run_result",
    "session_and_member",
    "session_for",
    "sessions_of",
    "stream_for",
    "stream_name_of",
    "summary_of",
    "tool_calls",
    "waiting_count",
]
