"""What the API answers about a run that it began."""

from collections.abc import Mapping
from typing import Any, Self

from chat.queries.answers import ResultShape
from graphs.site.shapes import Shape


class AcceptedShape(Shape):
    session_id: str
    user_message_id: str
    message_id: str
    run_id: str
    stream_id: str

    @classmethod
    def of(cls, accepted: Mapping[str, Any]) -> Self:
        """Takes what `Accepted.to_json` gives, which may have been stored."""
        names = ("sessionId", "userMessageId", "messageId", "runId")
        return cls(**{name: accepted[name] for name in names}, stream_id=accepted["stream"])


# Put together by `chat.web.waiting`.
class RestedShape(ResultShape, AcceptedShape): ...
