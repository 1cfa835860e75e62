"""The eight codes of what can go wrong with a vendor of models, whether it writes or embeds. Without Django."""

from typing import Literal

ErrorCode = Literal[
    "rate_limit",
    "server_error",
    "auth_error",
    "timeout",
    "network",
    "content_filter",
    "context_length",
    "internal",
]
#: What may pass by itself.
RETRYABLE: frozenset[ErrorCode] = frozenset({"rate_limit", "server_error", "timeout", "network"})
