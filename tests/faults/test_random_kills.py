"""kill -9 of web processes at random moments of answers: nothing lost, nothing twice, nobody waits for ever."""

import os
import random
import time

import pytest
from django.contrib.auth.models import User

from chat.models import Run, RunStatus
from graphs.models import Graph
from tests import checker
from tests.chat.engine.driving import until
from tests.flows.listener import Listener
from tests.site import Site, site

pytestmark = [pytest.mark.processes, pytest.mark.faults, pytest.mark.django_db(transaction=True)]

KILLS = 100 if os.environ.get("FULL") else 3
#: Within which a run of a dead process is closed or goes on, with the leases of `tests/web_process.py`.
TAKEN_OVER_WITHIN_S = 30
QUESTION = 'SCRIPT={"text": "one two three four five six seven eight nine ten eleven twelve", "delay_s": 0.1}'


def replaced(here: Site, place: int) -> None:
    here.processes[place].close()
    here.start(1)
    here.processes[place] = here.processes.pop()


@pytest.mark.timeout(3000)
def test_nothing_is_lost_and_nothing_comes_twice(transactional_db: None, alice: User, nba: Graph) -> None:
    moments = random.Random(20261120)
    with site(2) as here:
        for _ in range(KILLS):
            listeners = [Listener(process) for process in here.processes]
            accepted = [listener.ask(QUESTION) for listener in listeners]
            time.sleep(moments.uniform(0, 1.5))
            victim = moments.randrange(2)
            here.processes[victim].kill()
            replaced(here, victim)
            until(
                lambda: not Run.objects.filter(status__in=[RunStatus.QUEUED, RunStatus.RUNNING]).exists(),
                TAKEN_OVER_WITHIN_S,
            )
            for each in accepted:
                late = Listener(here.processes[1 - victim])
                late.follow(each["sessionId"])
                late.to_the_end()
                checker.check_received(late.events, checker.stored_frames(each["stream"]))
                late.close()
            checker.check_database()
            for listener in listeners:
                listener.close()
