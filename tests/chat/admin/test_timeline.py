import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from chat.admin import log_page
from chat.events.append import append
from chat.events.vocabulary import NewEvent
from graphs.models import Graph, Workspace
from tests.chat.admin.talk import Talk, talk, turn
from tests.graphs.admin.staff import auditor, mere_staff, superuser
from tests.rewriting import past_triggers

pytestmark = pytest.mark.django_db


@pytest.fixture
def own(alice: User, demo_workspace: Workspace, nba: Graph) -> Talk:
    return talk(alice, demo_workspace)


def address(found: Talk) -> str:
    return reverse("admin:chat_session_events", args=[found.session.pk])


def shown(client: Client, found: Talk, status: int = 200, **query: object) -> str:
    response = client.get(address(found), query)
    assert response.status_code == status
    return response.content.decode()


def numbers(text: str) -> list[int]:
    return [int(part.split('"')[0]) for part in text.split('<tr id="event-')[1:]]


def grow(found: Talk, count: int) -> None:
    with transaction.atomic():
        append(found.session.stream_id, [NewEvent("content_delta", {"delta": f"word{i} "}) for i in range(count)])


def test_every_event_is_shown_in_order(own: Talk) -> None:
    text = shown(auditor(own.session.workspace), own)
    assert numbers(text) == list(range(1, 9))
    for part in ("Events 1 to 8 of 8", "It is ", "&lt;b&gt;fetch-api&lt;/b&gt;.", "+0 ms", "search_nodes"):
        assert part in text, part


def test_time_since_the_event_before_is_told(own: Talk) -> None:
    with past_triggers(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE chat_streamevent SET created_at = created_at + interval '90 seconds' "
            "WHERE stream_id = %s AND sequence >= 6",
            [own.session.stream_id],
        )
    client = superuser()
    assert "+1 min 30 s" in shown(client, own, at=6)
    assert "+1 min 30 s" in shown(client, own, type="content_delta")


def test_one_type_or_run_is_shown(own: Talk) -> None:
    client = superuser()
    later = turn(own.session, "And now?")
    assert numbers(shown(client, own, type="content_delta")) == [6, 7, 14, 15]
    assert numbers(shown(client, own, run=own.run.pk)) == list(range(1, 9))
    assert numbers(shown(client, own, run=later.pk)) == list(range(9, 17))
    assert numbers(shown(client, own, run=later.pk, type="done")) == [16]
    assert numbers(shown(client, own, run=later.pk, at=15)) == [15, 16]


def test_pages_follow_each_other(own: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_page, "PAGE", 3)
    client = superuser()
    first = shown(client, own)
    assert numbers(first) == [1, 2, 3]
    assert 'href="?at=4"' in first
    assert 'href="?at=6"' in first
    second = shown(client, own, at=4)
    assert numbers(second) == [4, 5, 6]
    assert 'href="?at=1"' in second
    assert numbers(shown(client, own, at=7)) == [7, 8]


def test_a_rare_type_is_looked_for_in_stretches(own: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_page, "LOOKS_THROUGH", 5)
    client = superuser()
    first = shown(client, own, type="done")
    assert numbers(first) == []
    assert 'href="?type=done&amp;at=6"' in first
    assert numbers(shown(client, own, type="done", at=6)) == [8]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ({"at": "9"}, "The log ends with event 8"),
        ({"at": "0"}, "greater than or equal to 1"),
        ({"at": "x"}, "whole number"),
        ({"type": "nonsense"}, "nonsense is not one of the available choices"),
        ({"run": "nonsense"}, "valid UUID"),
        ({"run": "00000000-0000-0000-0000-000000000000"}, "no such run"),
        ({"at": "9" * 40}, "The log ends with event 8"),
    ],
)
def test_what_cannot_be_shown_is_explained(query: dict[str, str], told: str, own: Talk) -> None:
    assert told in shown(superuser(), own, 400, **query)


def test_a_foreign_timeline_is_absent(own: Talk, charlie: User, other_workspace: Workspace) -> None:
    foreign = talk(charlie, other_workspace)
    client = auditor(own.session.workspace)
    shown(client, foreign, 404)
    shown(client, own, 400, run=foreign.run.pk)
    assert client.get("/admin/chat/session/00000000-0000-0000-0000-000000000000/events/").status_code == 404


def test_mere_staff_and_strangers_see_no_timeline(own: Talk, client: Client) -> None:
    shown(mere_staff(own.session.workspace), own, 404)
    assert "/admin/login/" in client.get(address(own)).headers["Location"]


def test_it_needs_as_many_queries_for_many_events(
    own: Talk, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    grow(own, 1200)
    turn(own.session, "And now?")
    client = auditor(own.session.workspace)
    with django_assert_max_num_queries(9):
        assert len(numbers(shown(client, own, at=300))) == 500
    with django_assert_max_num_queries(11):
        assert len(numbers(shown(client, own, run=own.run.pk, type="content_delta"))) == 2
