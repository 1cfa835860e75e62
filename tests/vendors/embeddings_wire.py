"""What an endpoint for embeddings answers when nothing else is scripted: vectors that depend on the text alone.

A text with "refused" in it makes it refuse the whole batch, at one with "breaking" it breaks, at one with "cutting" it
cuts the connection, at one with "stalling" it never answers, and one with "nonsense" gets a vector that is none.
"""

import json
import random
from typing import Any

from tests.vendors.scripts import Script

DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}
OTHERS = 8


def embeddings_script(body: dict[str, Any]) -> Script:
    texts = body["input"]
    if any("refused" in text for text in texts):
        return Script(status=400, error="Invalid input")
    if any("breaking" in text for text in texts):
        return Script(status=500, error="failed to encode response: json: unsupported value: NaN")
    if any("cutting" in text for text in texts):
        return Script(cut="reset")
    if any("stalling" in text for text in texts):
        return Script(raw=(b"", b"{}"), stall_at=1, content_type="application/json")
    dimensions = DIMENSIONS.get(body["model"], OTHERS)
    items = [
        {"object": "embedding", "index": index, "embedding": vector(text, dimensions)}
        for index, text in enumerate(texts)
    ]
    # In any order: the index counts.
    answer = {
        "object": "list",
        "data": items[::-1],
        "model": body["model"],
        "usage": {"prompt_tokens": 3 * len(texts), "total_tokens": 3 * len(texts)},
    }
    return Script(raw=json.dumps(answer).encode(), content_type="application/json")


def vector(text: str, dimensions: int) -> list[float]:
    if "nonsense" in text:
        return [float("nan")] * dimensions
    numbers = random.Random(text)
    return [numbers.uniform(-1, 1) for _ in range(dimensions)]
