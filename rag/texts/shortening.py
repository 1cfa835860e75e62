"""Makes long values short for a model."""

from typing import Any


def cut(text: str, limit: int) -> str:
    """The text, or its first `limit` characters and an ellipsis."""
    return text if len(text) <= limit else text[:limit] + "…"


def handles_summary(handles: Any) -> str:
    """Handles in one line: "R: R-0 out(any) success" for `{"R": [{"id": "R-0", "type": "out", ...}]}`."""
    sides = handles.items() if isinstance(handles, dict) else ()
    return "; ".join(
        f"{side}: {', '.join(_handle(point) for point in points if isinstance(point, dict))}"
        for side, points in sides
        if isinstance(points, list) and points
    )


def _handle(point: dict[str, Any]) -> str:
    label = f" {point['label']}" if point.get("label") else ""
    return f"{point.get('id', '?')} {point.get('type', '?')}({point.get('accept', 'any')}){label}"
