"""Two web processes that die where they are ordered to, and Alice, who turns to the other one."""

import signal
import uuid
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError

import psutil

from chat.models import Message, Process, Run, RunStatus, Session
from tests import checker
from tests.cast import PASSWORD
from tests.chat.engine.driving import until
from tests.faults.crash_orders import Order, Orders
from tests.flows.listener import Listener
from tests.site import Api, Site
from tests.web_process import WebProcess

MESSAGES = "/api/v1/chat/messages"
NBA = {"type": "graph", "id": "nba"}
#: Within which a run of a dead process is closed or goes on, with the leases of `tests/web_process.py`.
TAKEN_OVER_WITHIN_S = 45
_LIVE = [RunStatus.QUEUED, RunStatus.RUNNING]


class Stage:
    """`first` is asked; the order is given to both, so `survivor` may be either."""

    def __init__(self, here: Site, orders: Orders) -> None:
        self.site = here
        self.orders = orders
        self.dead: WebProcess | None = None
        self._order = Order(0, "", "")
        self._number = 0

    @property
    def first(self) -> WebProcess:
        return self.site.processes[0]

    @property
    def survivor(self) -> WebProcess:
        return next(process for process in self.site.processes if process is not self.dead)

    def prepare(self, place: str, when: str, nth: int, how: str = "SIGKILL") -> None:
        """What the next `arm` orders; both processes are up, and Alice has signed in."""
        self.all_ready()
        self.alice = Api(self.first.url, "alice", PASSWORD)
        self._number += 1
        self._order = Order(self._number, place, when, nth, how)
        self.dead = None

    def arm(self) -> None:
        self.orders.give(self._order)

    def await_death(self) -> None:
        """Somebody died, by its own hand, at the ordered place; another one starts in its place."""
        self.dead = self._obeyed()
        assert self.dead.process.wait(30) == -signal.SIGKILL
        self.site.replace(self.dead)

    def dies_at_work(self, task: str) -> None:
        """The task dies in a process of its own, at the ordered place; the next one does what is left."""
        self.arm()
        assert self.site.run("tests.faults.crashing_task", task) == -signal.SIGKILL
        self.orders.withdraw()
        assert self.site.run("tests.faults.crashing_task", task) == 0

    def await_freeze(self) -> WebProcess:
        """Somebody stopped, by its own hand, at the ordered place; for the others it is dead."""
        self.dead = self._obeyed()
        until(lambda: self.dead and psutil.Process(self.dead.process.pid).status() == psutil.STATUS_STOPPED)
        return self.dead

    def _obeyed(self) -> WebProcess:
        pid = until(lambda: self.orders.taken_by(self._order), TAKEN_OVER_WITHIN_S)
        self.orders.withdraw()
        return next(process for process in self.site.processes if process.process.pid == pid)

    def at_first(self, method: str, path: str, body: Any = None, key: str = "", timeout: float = 130) -> Any:
        """Its answer; None when it died or froze before it gave one."""
        try:
            return self.alice.at(self.first.url).call(method, path, body, key, timeout)
        except HTTPError:
            raise
        except (URLError, HTTPException, ConnectionError, TimeoutError):
            return None

    def at_survivor(self, method: str, path: str, body: Any = None, key: str = "", refusal: int = 0) -> Any:
        """Its answer; None for the refusal that is right when the first request had its effect."""
        try:
            return self.alice.at(self.survivor.url).call(method, path, body, key)
        except HTTPError as error:
            if error.code != refusal:
                raise
            return None

    def ask(self, text: str) -> dict[str, Any]:
        """A question that nobody dies of yet."""
        return self.alice.at(self.first.url).post(MESSAGES, {"context": NBA, "message": text})

    def posted_once(self, body: dict[str, Any]) -> str:
        """Somebody dies of this message: it is there once, and both answers about it are the same. The session."""
        key = str(uuid.uuid4())
        self.arm()
        told = self.at_first("POST", MESSAGES, body, key)
        self.await_death()
        answer = self.at_survivor("POST", MESSAGES, body, key)
        assert told in (None, answer)
        assert str(Message.objects.get(role=Message.Role.USER, content=body["message"]).pk) == answer["userMessageId"]
        return str(answer["sessionId"])

    def driving(self, session_id: str) -> WebProcess:
        """Waits until a process drives the session's run."""
        until(lambda: Run.objects.filter(session=session_id, status=RunStatus.RUNNING).exists())
        label = Process.objects.get(pk=Run.objects.get(session=session_id).process).label
        return next(each for each in self.site.processes if label.endswith(f":{each.process.pid}"))

    def kill(self, process: WebProcess) -> None:
        """Not by its own hand; another one starts in its place."""
        process.kill()
        self.site.replace(process)

    def all_ready(self) -> None:
        for process in self.site.processes:
            process.wait_until_ready()

    def rests(self, session_id: str) -> None:
        until(lambda: not Run.objects.filter(session=session_id, status__in=_LIVE).exists(), TAKEN_OVER_WITHIN_S)

    def all_hangs_together(self, session_id: str | None) -> None:
        """The session rests in time, and whoever reads it now gets all of it; one that was deleted nobody reads."""
        if session_id is None:
            checker.check_run(self.site)
            return
        self.rests(session_id)
        session = Session.objects.select_related("stream").get(pk=session_id)
        stream = session.stream
        if session.hidden_at:
            checker.check_run(self.site)
            return
        reader = Listener(self.survivor)
        reader.follow(session_id)
        reader.until(lambda frame: frame.get("sequence") == stream.last_sequence)
        reader.close()
        checker.check_received(reader.events, checker.stored_frames(stream.name), caught_up=True)
        checker.check_run(self.site, reader)
