"""One request and its answer, all of it before a deadline: no redirect, no proxy, no cookie, no more than fits."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import httpcore2

from rag.fetching import bodies
from rag.fetching.connecting import Network, TimedBackend, broken, too_slow


@dataclass(frozen=True, slots=True)
class Request:
    """`asked` is the path with the query, in ASCII; `headers` do not name what every request has."""

    method: str
    scheme: str
    host: str
    port: int
    asked: str
    headers: Mapping[str, str]
    content: bytes | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """`headers` has the first of each name, in lower case."""

    status: int
    headers: Mapping[str, str]
    _response: httpcore2.Response

    def body(self) -> bytes:
        """The body, unpacked. Raises `FetchRefused`."""
        self._response.extensions["network_stream"].let_body_come()
        return bodies.read(self._response.iter_stream(), self.headers)


@contextmanager
def answer_to(request: Request, network: Network, backend: TimedBackend) -> Iterator[Answer]:
    """The answer, whose body is read within. Raises `FetchRefused`."""
    pool = httpcore2.ConnectionPool(
        ssl_context=network.tls() if request.scheme == "https" else None,
        max_connections=1,
        http2=False,
        network_backend=backend,
    )
    asked = httpcore2.URL(scheme=request.scheme, host=request.host, port=request.port, target=request.asked)
    headers = {**request.headers, "Accept-Encoding": bodies.ACCEPTED, "Connection": "close"}
    try:
        with pool, pool.stream(request.method, asked, headers=list(headers.items()), content=request.content) as found:
            yield Answer(found.status, _headers(found), found)
    except httpcore2.TimeoutException:
        raise too_slow() from None
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.UnsupportedProtocol):
        raise broken() from None


def _headers(response: httpcore2.Response) -> Mapping[str, str]:
    """The first header of each name; what is not ASCII is read as UTF-8, as browsers do."""
    found: dict[str, str] = {}
    for name, value in response.headers:
        found.setdefault(name.decode("latin-1").lower(), value.decode("utf-8", "replace"))
    return found
