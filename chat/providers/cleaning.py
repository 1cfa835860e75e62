"""JSON and text from outside, made safe to keep: no NUL, no lone surrogate. Called by the decoders of the wires."""

import json
import re
from typing import Any

import jiter

REPLACEMENT = "\ufffd"
#: A NUL as JSON writes it, not a backslash before the letters.
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


def clean(text: str) -> str:
    """The text with U+FFFD in place of every NUL and every lone surrogate; PostgreSQL takes neither."""
    if "\x00" in text:
        text = text.replace("\x00", REPLACEMENT)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        # Surrogates that make a pair become the character they stand for, the others U+FFFD.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def parse_json(data: bytes) -> Any:
    """The value of a JSON text, also of one with wrong UTF-8 or raw control characters. Raises `ValueError`."""
    try:
        return jiter.from_json(data, cache_mode="keys")
    except ValueError:
        pass
    try:
        return json.loads(data.decode("utf-8", "replace"), strict=False)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def json_object_or_empty(text: str) -> dict[str, Any]:
    """The object that a JSON text holds, if it can be sent again (NaN and NUL cannot); an empty one for all else."""
    try:
        value = parse_json(text.encode("utf-8", "replace"))
        written = json.dumps(value, ensure_ascii=False, allow_nan=False)
        written.encode()
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) and not _NUL.search(written) else {}


def json_object_text(text: str) -> str:
    """The text if it is an object in strict JSON, else what endpoints take: `json_object_or_empty`."""
    try:
        if isinstance(jiter.from_json(text.encode(), allow_inf_nan=False), dict) and not _NUL.search(text):
            return text
    except ValueError:
        pass
    return json.dumps(json_object_or_empty(text))
