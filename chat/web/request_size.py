"""A limit for what one request may send: more is not stored, and answered with 413."""

import time
from typing import Any

from daphne.http_protocol import HTTPFactory, WebRequest
from django.conf import settings

from chat.web import pace
from graphs.site.api import malformed
from graphs.site.api.problems import bad_request, too_big

#: What a form says around its file.
FORM_BYTES = 65_536
#: Who sends so many times too much is not listened to until the end.
PATIENCE = 4


def most_bytes() -> int:
    """The biggest body that any address takes."""
    return max(settings.MAX_IMPORT_BYTES + FORM_BYTES, settings.DATA_UPLOAD_MAX_MEMORY_SIZE)


class LimitedRequest(WebRequest):
    """A request up to the limit; Daphne's stores a body of any size on disk before it asks anyone."""

    _received = 0

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        # Twisted would read forms, too, and answer those that are none without a header or a word. Its argument for
        # this is younger than the oldest one that Daphne takes.
        self._parsePOSTFormSubmission = False

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802 - Twisted's name.
        self._received += len(data)
        if self._received <= most_bytes():
            super().handleContentChunk(data)
            return
        if not self._response_started:
            self._refuse()
        if self._received > PATIENCE * most_bytes():
            self.channel.loseConnection()

    def process(self) -> Any:
        # Daphne would take the root of all addresses from it, and any client can send it.
        self.requestHeaders.removeHeader(b"daphne-root-path")
        if not self._response_started:
            if self._received and not self.requestHeaders.hasHeader(b"content-length"):
                # The chunks are put together by now, and Django reads no body of unknown length.
                self.requestHeaders.setRawHeaders(b"content-length", [b"%d" % self._received])
            return super().process()
        self.handle_reply({"type": "http.response.body"})
        return None

    def _refuse(self) -> None:
        """Answers while the body still comes: a client that is cut off finds the answer when it cannot send on."""
        self.request_start = time.time()
        self.clientproto = b"HTTP/1.1"  # Twisted learns it after the body.
        problem = too_big()
        headers, body = malformed.refusal(problem)
        self.handle_reply({"type": "http.response.start", "status": problem.status, "headers": headers})
        self.handle_reply({"type": "http.response.body", "body": body, "more_body": True})

    def basic_error(self, status: int, status_text: bytes, body: str) -> None:
        """Answers what Daphne does not pass on, such as a header's name that is none; its own page says “Daphne”."""
        headers, answer = malformed.refusal(bad_request())
        self.handle_reply({"type": "http.response.start", "status": status, "headers": headers})
        self.handle_reply({"type": "http.response.body", "body": answer})


class LimitedFactory(HTTPFactory):
    """Builds connections whose requests are limited, and come within their time."""

    protocol = pace.paced

    def buildProtocol(self, addr: Any) -> Any:  # noqa: N802 - Twisted's name.
        protocol = super().buildProtocol(addr)
        protocol.requestFactory = LimitedRequest
        return protocol
