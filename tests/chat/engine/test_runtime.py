import pytest
from django.contrib.auth.models import User

from chat.concurrency.database import in_db
from chat.engine import runtime
from chat.sockets.closing import RESTARTING
from graphs.models import Graph
from tests.chat.inprocess import Model, request, run, signed_in
from tests.chat.web.test_sse import conversation

pytestmark = pytest.mark.django_db(transaction=True)
ABOUT_NBA = {"type": "graph", "id": "nba"}


def test_who_comes_when_the_process_has_stopped_serving_is_sent_away_in_peace(
    alice: User, nba: Graph, model: Model, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Over a connection that stayed open, after the last reader was turned away."""

    async def test() -> None:
        stream = await in_db(conversation, alice)
        async with signed_in(alice) as socket:
            with monkeypatch.context() as ending:
                ending.setattr(runtime, "_current", None)
                body = {"message": "Hello", "context": ABOUT_NBA, "wait": True}
                waits = await request("POST", "/api/v1/chat/messages", alice, body)
                reads = await request("GET", f"/api/v1/streams/sse?streams={stream}", alice)
                socket.send("ai:subscribe", _id=1, stream=stream, after=0)
                closed = await socket.closed()
        assert (waits.status, reads.status, closed) == (202, 503, RESTARTING)
        assert waits.json()["runId"]

    run(test)
    assert not [record for record in caplog.records if record.exc_info]
