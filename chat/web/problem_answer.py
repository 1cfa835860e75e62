"""What is answered without asking the views of Django."""

import json
from typing import Any

from chat.access.identity import Headers, came_by_https
from graphs.site import error_pages
from graphs.site.api.problems import MEDIA_TYPE, Problem
from graphs.site.security_headers import UNCACHED, past_django


def protecting(asked: Headers) -> Headers:
    """The headers that protect who reads an answer, for a request with these."""
    return [(name.lower().encode(), value.encode()) for name, value in past_django(came_by_https(asked)).items()]


async def answer_problem(problem: Problem, asked: Headers, send: Any) -> None:
    """Sends the whole answer to a request with these headers."""
    await _send(problem, MEDIA_TYPE, json.dumps(problem.document()).encode(), protecting(asked), send)


async def answer_page(problem: Problem, asked: Headers, send: Any) -> None:
    """Sends a page that tells the problem, which may load its own style."""
    policy = b"content-security-policy"
    protected = [
        (name, value + b"; style-src 'self'" if name == policy else value) for name, value in protecting(asked)
    ]
    await _send(problem, "text/html; charset=utf-8", error_pages.page_of(problem).encode(), protected, send)


async def _send(problem: Problem, media: str, body: bytes, protected: Headers, send: Any) -> None:
    headers = [(b"content-type", media.encode()), (b"content-length", str(len(body)).encode())]
    headers += [(name.lower().encode(), value.encode()) for name, value in problem.headers.items()]
    headers += [(b"cache-control", UNCACHED.encode()), *protected]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
