"""The answer to what is no HTTP: shaped like every refusal, since whoever sent it may be a browser that was fooled."""

import json

from graphs.site.api.problems import MEDIA_TYPE, Problem, bad_request
from graphs.site.security_headers import past_django

Headers = list[tuple[bytes, bytes]]


def refusal(problem: Problem) -> tuple[Headers, bytes]:
    """Headers and body of a refusal that no application sends."""
    body = json.dumps(problem.document()).encode()
    headers = [("Content-Type", MEDIA_TYPE), ("Content-Length", str(len(body))), ("Cache-Control", "no-store")]
    headers += past_django(encrypted=False).items()
    return [(name.encode(), value.encode()) for name, value in headers], body


def whole_answer() -> bytes:
    """All bytes of an answer after which the connection is closed."""
    headers, body = refusal(bad_request())
    lines = [b"HTTP/1.1 400 Bad Request", *(b"%s: %s" % header for header in headers), b"Connection: close", b"", body]
    return b"\r\n".join(lines)
