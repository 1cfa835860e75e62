"""The summary of earlier messages as people get it: its row as JSON, its words without the marks around them."""

from typing import Self

from chat.models import Message, Summary
from graphs.site.shapes import Moment, Shape


class SummaryShape(Shape):
    """What stands for the earlier messages; `before` is the first message that the model is still sent as it is."""

    before: str | None
    content: str
    model: str
    tokens_before: int
    tokens_after: int
    created_at: Moment

    @classmethod
    def of(cls, summary: Summary) -> Self:
        later = Message.objects.filter(session_id=summary.session_id, sequence__gte=summary.sequence)
        before = later.order_by("sequence").values_list("pk", flat=True).first()
        return cls.from_attributes(summary, before=str(before) if before else None, content=shown(summary.content))


def shown(content: str) -> str:
    """The words of a summary without the marks around them."""
    lines = content.split("\n")
    return "\n".join(lines[2:-1])
