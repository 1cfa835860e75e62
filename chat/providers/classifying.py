"""Everything that goes wrong with a vendor, as one of eight codes. Called by the providers, never by the engine."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import aiohttp

from chat.providers.provider_error import ProviderError
from graphs.site.retry_after import retry_after
from graphs.site.vendor_errors import ErrorCode

MAX_DETAIL = 500
_KEYS = re.compile(r"\b(?:sk|pk|key)[-_][\w*.-]{4,}|\bBearer \S+")
_URLS = re.compile(r"(https?://)(?:[^\s/@]*@)?([^\s/?#]*)[^\s]*")

_BY_STATUS: dict[int, ErrorCode] = {
    401: "auth_error",
    402: "rate_limit",
    403: "auth_error",
    408: "timeout",
    413: "context_length",
    429: "rate_limit",
    504: "timeout",
}
_BY_NAME: dict[str, ErrorCode] = {
    "rate_limit_error": "rate_limit",
    "rate_limit_exceeded": "rate_limit",
    "insufficient_quota": "rate_limit",
    "overloaded_error": "server_error",
    "api_error": "server_error",
    "server_error": "server_error",
    "internal_server_error": "server_error",
    "service_unavailable": "server_error",
    "timeout_error": "timeout",
    "authentication_error": "auth_error",
    "permission_error": "auth_error",
    "billing_error": "rate_limit",
    "invalid_api_key": "auth_error",
    "request_too_large": "context_length",
    "context_length_exceeded": "context_length",
    "content_filter": "content_filter",
    "content_policy_violation": "content_filter",
}
#: An account that is used up. It does not come back by waiting.
_SPENT = re.compile(r"insufficient_quota|billing_error|insufficient balance|credit balance|current quota", re.I)
#: Refused with these, a request may be sent again; with any other of the 400s it would be refused again.
_WORTH_REPEATING = frozenset({408, 409, 425, 429})
_BY_WORDS: tuple[tuple[ErrorCode, re.Pattern[str]], ...] = (
    (
        "context_length",
        re.compile(
            r"maximum context length|context.?length|context window|prompt is too long|too many (input )?tokens", re.I
        ),
    ),
    (
        "content_filter",
        re.compile(
            r"content.?filter|content management policy|content policy|flagged|safety system|content exists risk", re.I
        ),
    ),
    ("auth_error", re.compile(r"(invalid|incorrect) (x-)?api.?key|authentication fail", re.I)),
    ("rate_limit", re.compile(r"too many requests|rate.?limit|insufficient balance|credit balance", re.I)),
    ("server_error", re.compile(r"overloaded", re.I)),
    ("timeout", re.compile(r"timed out|ETIMEDOUT", re.I)),
    ("network", re.compile(r"ECONNREFUSED|ENOTFOUND|ECONNRESET", re.I)),
)


def classify(exception: BaseException) -> ProviderError:
    """Any exception of an SDK, of HTTP or of the network as a `ProviderError`, its words not `redacted` yet."""
    if isinstance(exception, ProviderError):
        return exception
    status = getattr(exception, "status_code", None)
    if isinstance(status, int):
        return _of_status(exception, status)
    cause, code = _of_connection(exception)
    code = code or _of_words(str(exception)) or "internal"
    name = type(cause).__name__
    if isinstance(cause, OSError):  # The system's words, which know nothing of the request.
        return ProviderError(code, f"{name}: {cause}")
    return ProviderError(code, name, said=str(cause))


def error_in_stream(error: object) -> ProviderError:
    """An error sent as an event, `{type, code, message}` or within `error`; not `redacted` yet."""
    code = _of_body(error) or "server_error"
    return ProviderError(code, "the answer is an error", said=_message(error), retryable=_retryable(code, error))


def redacted(text: str, secret: str = "") -> str:
    """Text for logs, without the key (first: a pattern could take part of it), what looks like one, and URLs."""
    if secret:
        text = text.replace(secret, "[key]")
    text = _KEYS.sub("[key]", _URLS.sub(r"\1\2", text))
    printable = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(printable.split())[:MAX_DETAIL]


def _of_status(exception: BaseException, status: int) -> ProviderError:
    body = getattr(exception, "body", None)
    headers = getattr(getattr(exception, "response", None), "headers", {})
    code = _code_of_status(status) or _of_body(body) or _of_words(str(exception)) or "internal"
    repeatable = status in _WORTH_REPEATING or status >= 500
    retryable = _retryable(code, body) if repeatable and headers.get("x-should-retry") != "false" else False
    return ProviderError(
        code,
        f"HTTP {status}",
        said=_message(body) or str(exception),
        retryable=retryable,
        status=status,
        retry_after=retry_after(headers),
    )


def _code_of_status(status: int) -> ErrorCode | None:
    """The code for an HTTP status; None for a refused request, whose body alone says why."""
    if status < 400:
        return "internal"  # A redirection, which is not followed: the key is for one address.
    return _BY_STATUS.get(status) or ("server_error" if status >= 500 or status == 409 else None)


def _of_connection(exception: BaseException) -> tuple[BaseException, ErrorCode | None]:
    """The exception that tells most, and its code. aiohttp's word counts first: the SDKs call a reset a timeout."""
    for cause in _causes(exception):
        if isinstance(cause, TimeoutError):
            return cause, "timeout"
        if isinstance(cause, (aiohttp.ClientError, OSError)):
            return cause, "network"
    names = {class_.__name__ for cause in _causes(exception) for class_ in type(cause).__mro__}
    if names & {"APITimeoutError", "TimeoutException"}:
        return exception, "timeout"
    return exception, "network" if names & {"APIConnectionError", "TransportError"} else None


def _causes(exception: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    link: BaseException | None = exception
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or link.__context__


def _of_words(text: str) -> ErrorCode | None:
    return next((code for code, words in _BY_WORDS if words.search(text)), None)


def _of_body(body: object) -> ErrorCode | None:
    fields = _fields(body)
    for name in (fields.get("code"), fields.get("type")):
        if isinstance(name, str) and name in _BY_NAME:
            return _BY_NAME[name]
        if isinstance(name, int) and not isinstance(name, bool) and name >= 400:
            return _BY_STATUS.get(name) or ("server_error" if name >= 500 else None)
    return _of_words(_message(body)) or ("internal" if fields.get("type") == "invalid_request_error" else None)


def _retryable(code: ErrorCode, body: object) -> bool | None:
    """Whether another attempt makes sense; None leaves it to the code."""
    words = " ".join(str(value) for value in _fields(body).values())
    return False if code == "rate_limit" and _SPENT.search(words) else None


def _fields(body: object) -> Mapping[str, Any]:
    if not isinstance(body, Mapping):
        return {}
    inner = body.get("error")
    return inner if isinstance(inner, Mapping) else body


def _message(body: object) -> str:
    fields = _fields(body)
    message = fields.get("message") or fields.get("type") or fields.get("error") or ""
    return message if isinstance(message, str) else str(message)
