"""What goes wrong with a vendor of models, whether it writes or embeds: one of eight codes. Without Django."""

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
