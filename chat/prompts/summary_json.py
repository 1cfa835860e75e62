"""The summary of earlier messages as people get it: its row as JSON, its words without the marks around them."""

from typing import Any

from chat.models import Message, Summary


def summary_json(summary: Summary) -> dict[str, Any]:
    """The summary of the earlier messages; `before` is the first message that is still sent as it is."""
    first = Message.objects.filter(session_id=summary.session_id, sequence__gte=summary.sequence).order_by("sequence")
    before = first.values_list("pk", flat=True).first()
    return {
        "before": str(before) if before else None,
        "content": shown(summary.content),
        "model": summary.model,
        "tokensBefore": summary.tokens_before,
        "tokensAfter": summary.tokens_after,
        "createdAt": summary.created_at.isoformat(),
    }


def shown(content: str) -> str:
    """The words of a summary without the marks around them."""
    lines = content.split("\n")
    return "\n".join(lines[2:-1])
