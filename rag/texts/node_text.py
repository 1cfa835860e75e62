"""The text of a node that is embedded: what it is and does, never where it stands. Called by `rag.embeddings.nodes`."""

import hashlib
from collections.abc import Iterator
from typing import Any

from rag.texts.words import plain

#: The fields of a node that its text is made of; its key only counts where it has no name, and keys do not change.
CONTENT = ("name", "type", "process", "data", "handles")
#: More of a node says little about which questions it answers.
MAX_CHARS = 2_000
#: Settings get no more than this of it, so that code is seen too.
DATA_CHARS = 1_000


def node_text(key: str, name: str, type_: str, process: str, data: Any, handles: Any) -> str:
    """Name, type, labels, settings and beginning of the code in plain words, the most telling first."""
    own = name if name.strip() else key
    labels = " ".join(_labels(handles))
    settings = ". ".join(_settings(data, ""))[:DATA_CHARS]
    parts = [plain(own), plain(type_), plain(labels), settings, plain(process[:MAX_CHARS])]
    return ". ".join(filter(None, parts))[:MAX_CHARS]


def text_hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def _labels(handles: Any) -> Iterator[str]:
    for points in handles.values() if isinstance(handles, dict) else ():
        for point in points if isinstance(points, list) else ():
            if isinstance(point, dict) and point.get("label"):
                yield str(point["label"])


def _settings(value: Any, name: str) -> Iterator[str]:
    """Each value with its name, however deep it lies."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _settings(inner, str(key))
    elif isinstance(value, list):
        for inner in value:
            yield from _settings(inner, name)
    elif value is not None and value is not False and value != "":
        yield plain(f"{name} {'' if value is True else value}")
