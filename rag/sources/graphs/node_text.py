"""The text of a node that is embedded: what it is and does, never where it stands. Called by `nodes`."""

from collections.abc import Iterator
from typing import Any

from rag.embeddings.collections import MAX_CHARS
from rag.texts.words import named_values, plain

#: The fields of a node that its text is made of; its key only counts where it has no name, and keys do not change.
CONTENT = ("name", "type", "process", "data", "handles")
#: Settings get no more than this of it, so that code is seen too.
DATA_CHARS = 1_000


def node_text(key: str, name: str, type_: str, process: str, data: Any, handles: Any) -> str:
    """Name, type, labels, settings and beginning of the code in plain words, the most telling first."""
    own = name if name.strip() else key
    labels = " ".join(_labels(handles))
    settings = ". ".join(named_values(data, ""))[:DATA_CHARS]
    parts = [plain(own), plain(type_), plain(labels), settings, plain(process[:MAX_CHARS])]
    return ". ".join(filter(None, parts))[:MAX_CHARS]


def _labels(handles: Any) -> Iterator[str]:
    for points in handles.values() if isinstance(handles, dict) else ():
        for point in points if isinstance(points, list) else ():
            if isinstance(point, dict) and point.get("label"):
                yield str(point["label"])
