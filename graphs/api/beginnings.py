"""Beginnings of long values, for lists: all of a value is in the answer about its object."""

import json
from collections.abc import Mapping
from typing import Any

from graphs.workflows.listing import BEGINNING_CHARS


def beginnings(values: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The values, of long ones the text that they begin with, and the names of those."""
    shown = {name: _beginning(value) for name, value in values.items()}
    return shown, [name for name, value in values.items() if shown[name] is not value]


def _beginning(value: Any) -> Any:
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
    if not isinstance(text, str) or len(text) <= BEGINNING_CHARS:
        return value
    return f"{text[:BEGINNING_CHARS]}…"
