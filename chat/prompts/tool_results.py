"""What a model reads of a tool's result, decided once: the shorter encoding, cut if too long, the same bytes after."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from rag.texts.tables import as_json, encode
from rag.texts.tokens import count_tokens

READ_ON = "read_tool_result"
#: The tokens of a text are not counted where it has more characters than this for each that is allowed.
CHARACTERS_PER_TOKEN = 8
#: By which a result is made shorter until it fits.
STEP = 0.8
#: Cuts that are named one by one.
MAX_NAMED = 5
#: The results of one round take together at most so many times what one may; each keeps so many tokens at least.
TOGETHER = 6
LEAST_TOKENS = 250
#: Characters of a text and rows of a list that at least are left of it.
LEAST_CHARS = 20


@dataclass(frozen=True, slots=True)
class Omission:
    """Something that was left out: `path` is a JSON Pointer (RFC 6901); rows of a list or characters of a text."""

    path: str
    shown: int
    of: int

    def to_json(self) -> dict[str, Any]:
        return {"path": self.path, "shown": self.shown, "of": self.of}


@dataclass(slots=True)
class _Shorter:
    """A value made to take about as many characters of JSON as it may; `cuts` says what was left out."""

    cuts: list[Omission] = field(default_factory=list)

    def of(self, value: Any, chars: int, path: str) -> Any:
        if len(as_json(value)) <= chars:
            return value
        match value:
            case str():
                shown = max(chars, LEAST_CHARS)
                if len(value) <= shown:
                    return value
                self.cuts.append(Omission(path, shown, len(value)))
                return value[:shown] + "…"
            case list() if value:
                return self._rows(value, chars, path)
            case dict():
                return self._object(value, chars, path)
            case _:
                return value

    def _rows(self, rows: list[Any], chars: int, path: str) -> list[Any]:
        """The first rows that fit; of the very first as much as does."""
        kept: list[Any] = []
        for row in rows:
            size = len(as_json(row)) + 1
            if kept and size > chars:
                break
            kept.append(self.of(row, chars, f"{path}/0") if not kept else row)
            chars -= size
        if len(kept) < len(rows):
            self.cuts.append(Omission(path, len(kept), len(rows)))
        return kept

    def _object(self, value: dict[str, Any], chars: int, path: str) -> dict[str, Any]:
        """The object: what takes little stays whole, what takes much shares the rest."""
        sizes = {key: len(as_json(part)) + len(key) + 4 for key, part in value.items()}
        share, left = 0, chars
        for waiting, key in zip(range(len(sizes), 0, -1), sorted(sizes, key=lambda key: sizes[key]), strict=True):
            share = max(left, 0) // waiting
            if sizes[key] > share:
                break
            left -= sizes[key]
        return {
            key: part if sizes[key] <= share else self.of(part, max(share - len(key) - 4, 0), f"{path}/{_escaped(key)}")
            for key, part in value.items()
        }


def model_texts(results: Sequence[tuple[str, Any]]) -> list[str]:
    """What the model gets of the results `(call id, result)` of one round: the longest give way to the others."""
    texts = [model_text(call_id, result) for call_id, result in results]
    if len(texts) <= TOGETHER:
        return texts
    sizes = [count_tokens(text) for text in texts]
    most = max(_fair_share(sizes, TOGETHER * settings.TOOL_RESULT_TOKENS), LEAST_TOKENS)
    return [
        text if size <= most else model_text(*each, limit=most)
        for each, text, size in zip(results, texts, sizes, strict=True)
    ]


def room_beside(texts_before: Sequence[str], waiting: int) -> int:
    """Tokens for each of the `waiting` results that still come in a round, beside the texts of those before."""
    left = TOGETHER * settings.TOOL_RESULT_TOKENS - sum(map(count_tokens, texts_before))
    return min(max(left // waiting, LEAST_TOKENS), settings.TOOL_RESULT_TOKENS)


def _fair_share(sizes: Sequence[int], room: int) -> int:
    """What each may take so that all fit: what takes less leaves the rest to the others."""
    share = room
    for waiting, size in zip(range(len(sizes), 0, -1), sorted(sizes), strict=True):
        share = room // waiting
        if size > share:
            break
        room -= size
    return share


def model_text(call_id: str, result: Any, limit: int = 0) -> str:
    """The result as the model gets it: at most `TOOL_RESULT_TOKENS`, or `limit`, cut with a note how to read on."""
    limit = limit or settings.TOOL_RESULT_TOKENS
    if not isinstance(result, dict):
        result = {"result": result}
    chars = len(as_json(result))
    if chars <= limit * CHARACTERS_PER_TOKEN:
        whole = encode(result)
        if count_tokens(whole) <= limit:
            return whole
    return _shortened(call_id, result, min(chars, limit * CHARACTERS_PER_TOKEN), limit)


def _shortened(call_id: str, result: dict[str, Any], chars: int, limit: int) -> str:
    """The result, made shorter until it fits; the beginning of its JSON if its parts cannot be made shorter."""
    size = chars
    while (size := int(size * STEP)) > LEAST_CHARS:
        shorter = _Shorter()
        kept = shorter.of(result, size, "")
        text = encode({**kept, "shortened": _note(call_id, shorter.cuts)} if shorter.cuts else kept)
        if count_tokens(text) <= limit:
            return text
    whole = as_json(result)
    while True:
        chars //= 2
        text = encode({"json": whole[:chars] + "…", "shortened": _note(call_id, [Omission("", chars, len(whole))])})
        if count_tokens(text) <= limit:
            return text


def _note(call_id: str, cuts: Sequence[Omission]) -> dict[str, Any]:
    first = cuts[-1]
    read_on = as_json({"callId": call_id, "path": first.path, "offset": first.shown})
    more = {"more": len(cuts) - MAX_NAMED} if len(cuts) > MAX_NAMED else {}
    return {
        "cut": [cut.to_json() for cut in cuts[:MAX_NAMED]],
        **more,
        "readOn": f"The rest of each is kept: {READ_ON} {read_on}",
    }


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
