import threading
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from chat.actions.posting import once
from chat.actions.refusals import Refused
from chat.models import IdempotencyKey


@pytest.mark.django_db
def test_it_acts_once_for_a_key_and_each_time_without() -> None:
    user = User.objects.create(username="a")
    answers = iter([{"n": 1}, {"n": 2}, {"n": 3}])
    assert once(user, "k", {"a": 1, "b": 2}, lambda: next(answers)) == {"n": 1}
    assert once(user, "k", {"b": 2, "a": 1}, lambda: next(answers)) == {"n": 1}
    assert once(user, None, {}, lambda: next(answers)) == {"n": 2}
    assert once(user, None, {}, lambda: next(answers)) == {"n": 3}


@pytest.mark.django_db
def test_it_refuses_another_body_and_keeps_people_apart() -> None:
    first, second = User.objects.create(username="a"), User.objects.create(username="b")
    once(first, "k", {"a": 1}, lambda: {"n": 1})
    with pytest.raises(Refused) as refused:
        once(first, "k", {"a": 2}, lambda: {"n": 2})
    assert refused.value.code == "idempotency_key"
    assert once(second, "k", {"a": 2}, lambda: {"n": 2}) == {"n": 2}


@pytest.mark.django_db
def test_it_forgets_a_key_whose_act_failed() -> None:
    user = User.objects.create(username="a")
    with pytest.raises(ZeroDivisionError):
        once(user, "k", {}, lambda: {"n": 1 // 0})
    assert not IdempotencyKey.objects.exists()
    assert once(user, "k", {}, lambda: {"n": 1}) == {"n": 1}


@pytest.mark.django_db(transaction=True)
def test_a_second_request_awaits_the_first() -> None:
    user = User.objects.create(username="a")
    acting, go_on = threading.Event(), threading.Event()
    answers: list[dict[str, Any]] = []
    acts: list[int] = []

    def act() -> dict[str, Any]:
        acts.append(1)
        acting.set()
        go_on.wait(20)
        return {"n": len(acts)}

    def ask() -> None:
        answers.append(once(user, "k", {}, act))
        connection.close()

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
