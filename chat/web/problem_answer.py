"""What is answered without asking Django."""

import json
from typing import Any

from chat.access.identity import Headers, came_by_https
from graphs.site.api.problems import MEDIA_TYPE, Problem
from graphs.site.security_headers import past_django


def protecting(asked: Headers) -> Headers:
    """The headers that protect who reads an answer, for a request with these."""
    return [(name.lower().encode(), value.encode()) for name, value in past_django(came_by_https(asked)).items()]


async def answer_problem(problem: Problem, asked: Headers, send: Any) -> None:
    """Sends the whole answer to a request with these headers."""
    body = json.dumps(problem.document()).encode()
    headers = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", str(len(body)).encode())]
    headers += [(name.lower().encode(), value.encode()) for name, value in problem.headers.items()]
    headers += [(b"cache-control", b"private, no-store"), *protecting(asked)]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
