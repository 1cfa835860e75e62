"""The answers to what is no HTTP, and to handshakes: shaped like every refusal, as a browser may be fooled to ask."""

import json
from collections.abc import Iterable

from django.utils.translation import gettext as _

from graphs.site.api.problems import MEDIA_TYPE, Problem, bad_request, unexpected
from graphs.site.security_headers import past_django

Headers = list[tuple[bytes, bytes]]


def refusal(problem: Problem) -> tuple[Headers, bytes]:
    """Headers and body of a refusal that no application sends."""
    body = json.dumps(problem.document()).encode()
    headers = [("Content-Type", MEDIA_TYPE), ("Content-Length", str(len(body))), ("Cache-Control", "no-store")]
    headers += past_django(encrypted=False).items()
    return [(name.encode(), value.encode()) for name, value in headers], body


def whole_answer(problem: Problem, more: Iterable[tuple[str, str]] = ()) -> bytes:
    """All bytes of an answer after which the connection is closed; `more` are headers of its own."""
    headers, body = refusal(problem)
    headers += [(name.encode(), value.encode()) for name, value in more]
    lines = [b"%s: %s" % header for header in headers]
    first = f"HTTP/1.1 {problem.status} {problem.document()['title']}".encode()
    return b"\r\n".join([first, *lines, b"Connection: close", b"", body])


def refused_handshake(status: int) -> Problem:
    """The problem of a handshake that is refused with this status; what Autobahn says of it has what was sent."""
    if status >= 500:
        return unexpected(None)
    if status == 403:
        sentence = _("No socket opens here: there is none at this address, or not for this site, or too many are open.")
        return Problem(status, "forbidden", sentence)
    return Problem(status, "bad_request", bad_request().detail)
