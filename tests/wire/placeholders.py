"""What stands in the record for values that no two runs share: `<uuid 1>`, `<time>`; the JSON type of each stays.

A value that comes again in a chapter has its number again, so the record shows who names whom.
"""

import re
from typing import Any

_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
#: Tried in this order.
_VARYING = re.compile(
    "|".join(
        f"(?P<{name}>{pattern})"
        for name, pattern in {
            "token": r"\beyJ[\w-]+\.[\w-]+\.[\w-]+",
            "key": r"(?<=/shared/)[\w-]{43}",
            "cursor": r"(?<=cursor=)[^&\"\s]+",
            "time": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3}|\.\d{6})?(?:Z|\+00:00)",
            "stream": rf"\b(?:graph|nodeType|workspace|company|folder|usecase)_(?:\d+|{_UUID})\b",
            "uuid": rf"(?<![0-9A-Za-z-]){_UUID}(?![0-9A-Za-z-])",
            "fence": r"(?<=<data )[0-9a-f]+(?=>)|(?<=</data )[0-9a-f]+(?=>)",
            "made": r"(?<=[a-z0-9]-)[0-9a-f]{6}(?=$|/)",
            "seconds": r"(?<=Try again in )\d+(?= seconds)",
            "number": r"(?<=about )\d+(?= tokens)",
            "visitor": r"(?<![\w-])[0-9a-f]{12}(?![\w-])",
            "digest": r"\b[0-9a-f]{64}\b|\b[0-9a-f]{40}\b|\b[0-9a-f]{88}\b",
        }.items()
    )
)
_NUMBERED = {"stream", "uuid", "visitor", "digest"}
_ETAGS = {"etag", "if_none_match"}


class Placeholders:
    """Those of one chapter."""

    def __init__(self) -> None:
        self._numbers: dict[str, dict[str, int]] = {}

    def put(self, value: Any, name: str = "") -> Any:
        """The JSON value with placeholders in it; `name` is the key under which it stands."""
        match value:
            case dict():
                id_name = "modification" if {"object", "field", "id"} <= value.keys() else "id"
                return {
                    self._text(key): self.put(inner, id_name if key == "id" else key) for key, inner in value.items()
                }
            case list():
                return [self.put(inner, name) for inner in value]
            case str() if name == "retry-after" and value.isdigit():
                return "<seconds>"
            case str() if name in _ETAGS:
                return f"<etag {self._number('etag', value)}>"
            case str():
                return self._text(value)
            case int() if name == "modification":
                return f"<int: modification {self._number(name, str(value))}>"
            case int() if name == "promptTokens" and value:  # counted with the ids that stand in the prompt
                return "<int: tokens>"
            case int() if name == "durationMs":
                return "<int: milliseconds>"
            case int() if name == "id":
                return "<int: row>"
            case _:
                return value

    def _text(self, text: str) -> str:
        return _VARYING.sub(self._placeholder, text)

    def _placeholder(self, found: re.Match[str]) -> str:
        kind = str(found.lastgroup)
        if kind == "stream":
            return f"{found[0].partition('_')[0]}_<id {self._number(kind, found[0])}>"
        if kind == "time":
            fraction = "ms" if re.search(r"\.\d{3}\D", found[0]) else ""
            zone = "Z" if found[0].endswith("Z") else ""
            return f"<{' '.join(filter(None, ('time', fraction, zone)))}>"
        return f"<{kind} {self._number(kind, found[0])}>" if kind in _NUMBERED else f"<{kind}>"

    def _number(self, kind: str, value: str) -> int:
        numbers = self._numbers.setdefault(kind, {})
        return numbers.setdefault(value, len(numbers) + 1)
