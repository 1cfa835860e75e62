"""The recorded files: JSON, laid out so that a person reads it and a difference is a line."""

import difflib
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "recorded"
WIDTH = 150
#: Lines of a difference that are shown.
MOST_LINES = 120


def path_of(chapter: str) -> Path:
    return FOLDER / f"{chapter}.json"


def read(chapter: str) -> list[dict[str, Any]]:
    return json.loads(path_of(chapter).read_text(encoding="utf-8"))


def laid_out(value: Any, indent: int = 0) -> str:
    """JSON with one line for whatever fits into one; keys stay in their order."""
    flat = json.dumps(value, ensure_ascii=False)
    if indent + len(flat) <= WIDTH or not isinstance(value, dict | list) or not value:
        return flat
    inner, outer = " " * (indent + 2), " " * indent
    if isinstance(value, dict):
        lines = [f"{json.dumps(key, ensure_ascii=False)}: {laid_out(each, indent + 2)}" for key, each in value.items()]
        return "{\n" + ",\n".join(inner + line for line in lines) + f"\n{outer}}}"
    return "[\n" + ",\n".join(inner + laid_out(each, indent + 2) for each in value) + f"\n{outer}]"


def difference(chapter: str, told: str) -> str:
    """Where the wire differs from its record, for a person to read; "" if it does not."""
    path = path_of(chapter)
    recorded = path.read_text(encoding="utf-8") if path.exists() else ""
    lines = difflib.unified_diff(
        recorded.splitlines(),
        told.splitlines(),
        f"{path.name} as recorded",
        f"{path.name} as sent now",
        lineterm="",
        n=6,
    )
    found = list(lines)
    more = [f"... and {len(found) - MOST_LINES} more lines"] if len(found) > MOST_LINES else []
    return "\n".join(found[:MOST_LINES] + more)
