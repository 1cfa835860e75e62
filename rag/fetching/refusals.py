"""Why a page is not read."""

from typing import Literal

Code = Literal[
    "address", "not_public", "not_allowed", "unknown_host", "unreachable", "too_slow", "tls", "redirects", "status",
    "content_type", "too_big", "broken",
]  # fmt: skip


class FetchRefused(Exception):
    """An address that is not followed, or an answer that is not taken; the text says why, and quotes no answer."""

    def __init__(self, code: Code, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
