import threading

import pytest
from django.db import connections, transaction

from chat.events import wakeup
from chat.events.append import Fenced, append
from chat.events.vocabulary import NewEvent
from chat.models import Stream
from tests.chat.events.logs import append_now, numbers, status, stored, take_over

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    heard: list[tuple[int, int]] = []
    monkeypatch.setattr(wakeup, "wake_readers", lambda stream_id, last, _events: heard.append((stream_id, last)))
    return heard


def test_it_belongs_into_a_transaction(stream: int) -> None:
    with pytest.raises(transaction.TransactionManagementError):
        append(stream, [status("queued")])
    assert stored(stream) == []


def test_it_numbers_from_the_last_event_on(stream: int) -> None:
    assert append_now(stream, status("queued"), status("started")) == 2
    assert append_now(stream, status("running")) == 3
    assert [(event.sequence, event.data["state"]) for event in stored(stream)] == [
        (1, "queued"),
        (2, "started"),
        (3, "running"),
    ]


def test_it_wakes_readers_only_after_the_commit(stream: int, woken: list[tuple[int, int]]) -> None:
    with transaction.atomic():
        append(stream, [status("queued")])
        assert woken == []
    assert woken == [(stream, 1)]


def test_it_leaves_nothing_of_a_transaction_that_is_rolled_back(stream: int, woken: list[tuple[int, int]]) -> None:
    with transaction.atomic():
        append(stream, [status("queued")])
        transaction.set_rollback(True)
    assert (stored(stream), woken, Stream.objects.get(pk=stream).last_sequence) == ([], [], 0)
    assert append_now(stream, status("queued")) == 1


def test_it_refuses_who_lost_the_stream(stream: int) -> None:
    append_now(stream, status("started"), epoch=0)
    take_over(stream)
    with pytest.raises(Fenced):
        append_now(stream, status("running"), epoch=0)
    append_now(stream, status("running"), epoch=1)
    append_now(stream, NewEvent("user_message", {"content": "anybody may"}))
    assert numbers(stored(stream)) == [1, 2, 3]


def test_it_refuses_a_stream_that_is_gone() -> None:
    with pytest.raises(Fenced):
        append_now(987654321, status("queued"))


def test_it_stores_text_that_postgresql_refuses_in_another_form(stream: int) -> None:
    append_now(stream, NewEvent("user_message", {"content": "a\0b\ud83dc"}))
    assert stored(stream)[0].data == {"content": "a\ufffdb\ufffdc"}


def test_it_commits_even_when_nobody_can_be_woken(stream: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("Event loop is closed")

    monkeypatch.setattr(wakeup, "wake_readers", broken)
    append_now(stream, status("queued"))
    assert len(stored(stream)) == 1


def test_it_leaves_no_gap_between_threads(stream: int) -> None:
    def work() -> None:
        try:
            for number in range(30):
                try:
                    with transaction.atomic():
                        append(stream, [status("queued"), status("started")])
                        if number % 3 == 0:
                            raise ZeroDivisionError
                except ZeroDivisionError:
                    pass
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert numbers(stored(stream)) == list(range(1, 4 * 20 * 2 + 1))
