import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction

from chat.actions import conversations
from chat.actions.posting import Asked, take
from chat.actions.refusals import Refused
from chat.models import IdempotencyKey
from graphs.site.access import Member, member_of

Replace = Callable[[Callable[[], dict[str, Any]]], None]

ONE, OTHER = Asked(message="one"), Asked(message="two")


class Posted:
    session_id, stream, stream_id, last = "s", "session_s", 1, 1

    def __init__(self, answer: dict[str, Any]) -> None:
        self._answer = answer

    def to_json(self) -> dict[str, Any]:
        return self._answer


def post(member: Member, asked: Asked, key: str | None) -> dict[str, Any]:
    return take(member, asked, key).answer


@pytest.fixture
def posts_by(monkeypatch: pytest.MonkeyPatch) -> Replace:
    def replace(act: Callable[[], dict[str, Any]]) -> None:
        monkeypatch.setattr(conversations, "post_message", lambda *_args, **_more: Posted(act()))

    return replace


@pytest.mark.django_db
def test_it_acts_once_for_a_key_and_each_time_without(posts_by: Replace, alice: User) -> None:
    answers = iter([{"n": 1}, {"n": 2}, {"n": 3}])
    posts_by(lambda: next(answers))
    member = member_of(alice)
    assert [post(member, ONE, key)["n"] for key in ("k", "k", None, None)] == [1, 1, 2, 3]


@pytest.mark.django_db
def test_a_key_takes_two_statements_more(
    posts_by: Replace, alice: User, django_assert_num_queries: Callable[[int], AbstractContextManager[Any]]
) -> None:
    posts_by(lambda: {"n": 1})
    member = member_of(alice)
    with transaction.atomic(), django_assert_num_queries(2):
        post(member, ONE, "k")


@pytest.mark.django_db
def test_it_refuses_another_body_and_keeps_people_apart(posts_by: Replace, alice: User, bob: User) -> None:
    answers = iter([{"n": 1}, {"n": 2}])
    posts_by(lambda: next(answers))
    post(member_of(alice), ONE, "k")
    with pytest.raises(Refused) as refused:
        post(member_of(alice), OTHER, "k")
    assert refused.value.code == "idempotency_key"
    assert post(member_of(bob), OTHER, "k") == {"n": 2}


@pytest.mark.django_db
def test_it_forgets_a_key_whose_message_was_not_taken(posts_by: Replace, alice: User) -> None:
    posts_by(lambda: {"n": 1 // 0})
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        post(member_of(alice), ONE, "k")
    assert not IdempotencyKey.objects.exists()
    posts_by(lambda: {"n": 1})
    assert post(member_of(alice), ONE, "k") == {"n": 1}


@pytest.mark.django_db(transaction=True)
def test_a_second_request_awaits_the_first(posts_by: Replace, alice: User) -> None:
    member = member_of(alice)
    acting, go_on = threading.Event(), threading.Event()
    answers: list[dict[str, Any]] = []
    acts: list[int] = []

    def act() -> dict[str, Any]:
        acts.append(1)
        acting.set()
        go_on.wait(20)
        return {"n": len(acts)}

    def ask() -> None:
        answers.append(post(member, ONE, "k"))
        connection.close()

    posts_by(act)
    threads = [threading.Thread(target=ask) for _ in range(3)]
    threads[0].start()
    acting.wait(20)
    for thread in threads[1:]:
        thread.start()
    go_on.set()
    for thread in threads:
        thread.join(20)
    assert answers == [{"n": 1}] * 3
    assert len(acts) == 1
