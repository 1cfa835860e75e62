"""Asks many things at once, each in a conversation of its own, and waits for the end of all of them."""

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db.models import QuerySet

from chat.actions import conversations
from chat.models import ModelCall, Run, RunStatus
from graphs.site.access import member_of
from tests.chat.engine.driving import ask, of_run, until
from tests.vendors import RecordedRequest, Script, VendorServer
from tests.vendors.server import last_question

#: The entry of `CHAT_PROVIDERS` that speaks a wire.
MODELS = {"openai": "custom", "openai-responses": "openai-reasoning", "anthropic": "anthropic"}
#: The wires of vendors that we ask by the names of their own entries.
WIRES = {"chat": "openai", "responses": "openai-reasoning", "messages": "anthropic"}
#: How long all of a batch may take on a machine that does much else.
PATIENCE_S = 100
AT_ONCE = 25
T = TypeVar("T")


@dataclass(frozen=True)
class Asked:
    """A question that is unlike any other, and the run that answers it."""

    question: str
    session_id: str
    run: Run

    def requests(self, vendor: VendorServer) -> list[RecordedRequest]:
        return [request for request in vendor.requests if last_question(request.body)[0].endswith(self.question)]

    def costs(self) -> list[ModelCall]:
        return list(ModelCall.objects.filter(run=self.run).order_by("id"))


def ask_all(user: User, vendor: VendorServer, questions: Iterable[tuple[str, list[Script]]]) -> list[Asked]:
    """Asks wires, `(kind, scripts)`, and gives what became of each, in order."""
    accepted = []
    for kind, scripts in questions:
        question = f"What does fetch-api do? {uuid.uuid4().hex}"
        vendor.answers[question] = scripts
        accepted.append((question, ask(user, question, model=MODELS[kind])))
    return _rested((question, str(each.session_id), each.run_id) for question, each in accepted)


def retry_all(user: User, asked: Iterable[Asked]) -> list[Asked]:
    member = member_of(user)
    again = [(each, conversations.retry(member, each.session_id)) for each in asked]
    return _rested((each.question, each.session_id, accepted.run_id) for each, accepted in again)


def answered(user: User, wire: str, question: str = "Where is fetch-api?") -> list[Run]:
    """The runs until there is a whole answer: the first, and a second where the first one may be tried again."""
    first = ask_once(user, wire, question)
    if first.status != RunStatus.FAILED or not first.error["retryable"]:
        return [first]
    return [first, ended(conversations.retry(member_of(user), str(first.session_id)).run_id)]


def ask_once(user: User, wire: str, question: str) -> Run:
    return ended(ask(user, question, model=WIRES[wire]).run_id)


def ended(run_id: uuid.UUID) -> Run:
    """The run at its end, on a machine that does much else, too."""
    until(lambda: not _live().filter(pk=run_id).exists(), PATIENCE_S)
    return Run.objects.select_related("message").get(pk=run_id)


def _live() -> QuerySet[Run]:
    return Run.objects.filter(status__in=[RunStatus.QUEUED, RunStatus.RUNNING])


def results_of(run: Run) -> list[dict[str, Any]]:
    return [event.data["result"] for event in of_run(run.pk) if event.type == "tool_call_result"]


def batches(items: Iterable[T], size: int = AT_ONCE) -> Iterator[list[T]]:
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def _rested(asked: Iterable[tuple[str, str, uuid.UUID]]) -> list[Asked]:
    asked = list(asked)
    ids = [run_id for _, _, run_id in asked]
    until(lambda: not _live().filter(pk__in=ids).exists(), PATIENCE_S)
    runs = Run.objects.select_related("message").in_bulk(ids)
    return [Asked(question, session_id, runs[run_id]) for question, session_id, run_id in asked]
