"""Answers about an object give the id of its stream, as the doors of events take it."""

import pytest
from django.contrib.auth.models import User

from chat.models import Stream
from graphs.models import Graph
from tests.chat.inprocess import asked, run
from tests.graphs.api.callers import with_token
from tests.things import Thing

API = "/api/v1/"


def test_answers_about_a_graph_give_its_stream(bob: User, charlie: User, nba: Graph) -> None:
    viewer, stranger = with_token(bob), with_token(charlie)
    stream = Stream.objects.get(name=f"graph_{nba.pk}").name
    assert [each["streamId"] for each in viewer.get(f"{API}graphs").json()["results"]] == [stream]
    for path in ("graphs/nba", "objects/graph/nba"):
        assert viewer.get(API + path).json()["streamId"] == stream, path
        assert stranger.get(API + path).content == stranger.get((API + path).replace("nba", "absent")).content, path
    assert viewer.get(f"{API}streams/events/{stream}").status_code == 200
    absent = stranger.get(f"{API}streams/events/graph_{nba.pk + 1_000}")
    foreign = stranger.get(f"{API}streams/events/{stream}")
    assert (foreign.status_code, foreign.content) == (404, absent.content)


def test_what_changes_on_an_object_is_read_where_its_answer_says(bob: User, alice: User, thing: Thing) -> None:
    viewer = with_token(bob)
    address = f"{API}objects/{thing.around.type}/{thing.around.key}"
    if thing.item.type == "product":
        Stream.objects.filter(name=thing.stream).delete()
    stream = viewer.get(address).json()["streamId"]
    before = viewer.get(f"{API}streams/events/{stream}").json()["last"]
    thing.change(alice, "Fetch")
    (told,) = viewer.get(f"{API}streams/events/{stream}?after={before}").json()["events"]
    assert (told["stream"], told["type"]) == (stream, "object_changed")
    assert viewer.get(address).json()["streamId"] == viewer.get(f"{address}/stream").json()["stream"] == stream


@pytest.mark.django_db(transaction=True)
def test_server_sent_events_take_it(alice: User, nba: Graph) -> None:
    stream = with_token(alice).get(f"{API}graphs/nba").json()["streamId"]

    async def test() -> None:
        async with asked("GET", f"{API}streams/sse?streams={stream}", alice) as answer:
            await answer.until(lambda each: each.headers)
            assert answer.status == 200

    run(test)
