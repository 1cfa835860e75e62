"""Whatever happens to an earlier message, and wherever: the next prompt is that of a process that knows nothing."""

import os
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from chat.actions import conversations, deciding, deepening, pinning
from chat.actions.deciding import Decision
from chat.engine import enriching, kept_messages, prompt_loading, summarising
from chat.engine.claims import ClaimedRun, claimed
from chat.engine.enriching import store_system_prompt
from chat.engine.kept_messages import KeptMessages
from chat.engine.prompt_loading import Earlier, load_prompt, read_earlier
from chat.engine.runtime import conninfo
from chat.models import Call, Message, Proposal, Round, RunStatus, Session, Summary
from chat.prompts.cutting import HistoryCut
from chat.prompts.deepening import note_about
from chat.prompts.earlier import EarlierMessage
from graphs.models import Graph, Membership, Role
from graphs.site.access import Member, member_of
from tests.chat.admin.talk import talk
from tests.chat.engine.driving import Bystander, Engine, ask, rested
from tests.chat.engine.kept import check_as_from_nothing, forget, remember
from tests.proposed import RENAME, waiting
from tests.vendors import Script, VendorServer

FULL = bool(os.environ.get("FULL"))
#: Python takes what these calls say for equal.
ROUNDS = [
    [Round("Said.", calls=(Call("c1", "search_nodes", {}, {"n": 1}, "ok", arguments),), vendor="demo")]
    for arguments in ('{"n": 1, "m": 2}', '{"n": 1.0, "m": 2}', '{"n": true, "m": 2}', '{"m": 2, "n": 1}', "{}")
]
VALUES: dict[str, list[Any]] = {
    "content": ["", "Words.", "Other words.", note_about("Words.")],
    "retrieved": ["", "Found.", "Found more."],
    "records": ["", "Records."],
    "rounds": [[], *ROUNDS],
    "model": ["", "demo"],
    "kind": [Message.TEXT, Message.NOTE],
    "in_prompt": Message.InPrompt.values,
    "exclude_from_prompt": [False, True],
}


class Conversation:
    """One that grows and is changed at random, and the run that would be asked next."""

    def __init__(self, owner: User, graph: Graph, draw: Any = None) -> None:
        self._draw = draw
        self.member = member_of(owner)
        told = talk(owner, graph.workspace)
        self.session = told.session
        self._run: ClaimedRun = claimed(told.run, self.member)
        store_system_prompt(self.session.pk, graph, self.member, is_new=True, flagged=False)
        self._last = told.run.message.sequence
        self._add(Message.Role.ASSISTANT, rounds=ROUNDS[0])
        self._add(Message.Role.USER, content="Words.")

    @property
    def run(self) -> ClaimedRun:
        """The run that answers what was asked last."""
        return replace(self._run, position=self._last + 1)

    def turn(self) -> None:
        """One more question, and the answer to the one before."""
        self._add(Message.Role.ASSISTANT, rounds=self._draw(st.sampled_from(ROUNDS)))
        self._add(Message.Role.USER, content=self._draw(st.sampled_from(["Words.", "What?"])))

    def _add(self, role: str, **values: Any) -> None:
        self._last += 1
        Message.objects.create(session=self.session, sequence=self._last, role=role, **values)

    def change(self) -> None:
        column = self._draw(st.sampled_from(list(VALUES)))
        self._any().update(**{column: self._draw(st.sampled_from(VALUES[column]))})

    def change_and_look_twice(self) -> None:
        place = self._draw(st.integers(0, self._last))
        for content in ("Once.", "Twice.", "Once."):
            Message.objects.filter(session=self.session, sequence=place).update(content=content)
            self.check()

    def change_back(self) -> None:
        """What was looked at meanwhile never was."""
        with transaction.atomic():
            self.change()
            self.delete()
            self.check()
            transaction.set_rollback(True)

    def delete(self) -> None:
        place = self._draw(st.integers(1, self._last - 1))
        Message.objects.filter(session=self.session, sequence=place).delete()

    def delete_and_write_again(self) -> None:
        place = self._draw(st.integers(1, self._last - 1))
        rows = Message.objects.filter(session=self.session, sequence=place)
        rows.delete()
        Message.objects.create(session=self.session, sequence=place, role="user", content="Words.")

    def level_1(self) -> None:
        rows = Message.objects.filter(session=self.session, sequence=0)
        rows.update(content=self._draw(st.sampled_from(["Level 1.", "Level 1!"])))

    def summarise(self) -> None:
        place, kept = self._draw(st.integers(1, self._last)), self._draw(st.lists(st.integers(1, 6), max_size=2))
        values = {"content": "Summary.", "tokens_before": 1, "tokens_after": 1, "kept": kept}
        rounds = self._draw(st.integers(0, 1))
        Summary.objects.update_or_create(session=self.session, sequence=place, rounds=rounds, defaults=values)

    def summarise_no_more(self) -> None:
        Summary.objects.filter(session=self.session).delete()

    def hold(self) -> None:
        list(Message.objects.select_for_update().filter(session=self.session))

    def check(self) -> None:
        check_as_from_nothing(self.run, self.member)

    def _any(self) -> Any:
        return Message.objects.filter(session=self.session, sequence=self._draw(st.integers(1, self._last)))


HAPPENS: list[Callable[[Conversation], None]] = [
    Conversation.turn,
    Conversation.turn,
    Conversation.change,
    Conversation.change,
    Conversation.change_and_look_twice,
    Conversation.change_back,
    Conversation.delete,
    Conversation.delete_and_write_again,
    Conversation.level_1,
    Conversation.summarise,
    Conversation.summarise_no_more,
    Conversation.hold,
    Conversation.check,
]


@pytest.mark.django_db
@settings(
    max_examples=300 if FULL else 25,
    deadline=None,
    database=None,
    derandomize=not FULL,
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_any_changes_are_seen(alice: User, nba: Graph, data: Any) -> None:
    with transaction.atomic():
        conversation = Conversation(alice, nba, data.draw)
        conversation.check()
        for happens in data.draw(st.lists(st.sampled_from(HAPPENS), min_size=1, max_size=8)):
            happens(conversation)
            if data.draw(st.booleans()):
                conversation.check()
        conversation.check()
        transaction.set_rollback(True)


class Watched:
    """Reads conversations twice, with what is kept and without, and notes where they differ."""

    def __init__(self) -> None:
        self.reads = 0
        self.wrong: list[Any] = []

    def read(self, run: ClaimedRun, member: Member) -> Earlier:
        earlier = read_earlier(run, member)
        kept = forget()
        anew = read_earlier(run, member)
        remember(kept)
        self.reads += 1
        if list(earlier.messages) != list(anew.messages):
            self.wrong.append((earlier.messages, anew.messages))
        return earlier


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    watching = Watched()
    monkeypatch.setattr(prompt_loading, "read_earlier", watching.read)
    monkeypatch.setattr(enriching, "read_earlier", watching.read)
    return watching


@contextmanager
def elsewhere() -> Iterator[psycopg.Connection[Any]]:
    """Another process's connection, which commits each statement."""
    with psycopg.connect(conninfo(), autocommit=True) as other:
        yield other


class Doors:
    """What people and processes do to a conversation between two of its questions."""

    def __init__(self, user: User, session_id: uuid.UUID) -> None:
        self._user, self._member, self._id = user, member_of(user), session_id

    def pin(self) -> None:
        pinning.keep_message(self._member, str(self._first("user")), "pinned")

    def leave_out(self) -> None:
        pinning.keep_message(self._member, str(self._first("user")), "left_out")

    def leave_out_an_answer_and_put_it_back(self) -> None:
        for how in ("left_out", "auto"):
            pinning.keep_message(self._member, str(self._first("assistant")), how)

    def retry(self) -> None:
        rested(ask(self._user, "SCRIPT:server_error", session_id=str(self._id)).run_id)
        rested(conversations.retry(self._member, str(self._id)).run_id)

    def deepen(self) -> None:
        rested(deepening.deepen(self._member, str(self._id), self._first("assistant")).run_id)

    def decide(self) -> None:
        session = Session.objects.get(pk=self._id)
        (proposal,) = waiting(self._user, Graph.objects.get(key="nba"), RENAME, session=session)
        decided = deciding.decide(self._member, str(proposal.pk), Decision(approved=True))
        assert decided.run is not None
        rested(decided.run.run_id)

    def decide_late(self) -> None:
        session = Session.objects.get(pk=self._id)
        (proposal,) = waiting(self._user, Graph.objects.get(key="nba"), RENAME, session=session)
        rested(ask(self._user, "Before that?", session_id=str(self._id)).run_id)
        rested(ask(self._user, "And that?", session_id=str(self._id)).run_id)
        decided = deciding.decide(self._member, str(proposal.pk), Decision(approved=False))
        if decided.run is not None:
            rested(decided.run.run_id)
        assert Proposal.objects.get(pk=proposal.pk).status == "rejected"

    def summarise(self) -> None:
        run = next(iter(Session.objects.get(pk=self._id).runs.order_by("-created_at")))
        as_driven = claimed(run, self._member)
        summarising.store_summary(as_driven, HistoryCut(3, 0, (), 10), "In short.", "demo", 10_000, 100)

    def another_role(self) -> None:
        Membership.objects.filter(user=self._user).update(role=Role.VIEWER)

    def another_model(self) -> None:
        conversations.update_session(self._member, str(self._id), model="anthropic")

    def write_elsewhere(self) -> None:
        with elsewhere() as other:
            other.execute("UPDATE chat_message SET content = 'Elsewhere.' WHERE id = %s", [self._first("user")])

    def delete_elsewhere(self) -> None:
        with elsewhere() as other:
            other.execute("DELETE FROM chat_message WHERE id = %s", [self._first("user")])

    def sweep_elsewhere(self) -> None:
        """Places are used again and rows are frozen, then all of them move."""
        with elsewhere() as other:
            other.execute("UPDATE chat_message SET content = content || '.' WHERE role = 'user'")
            other.execute("VACUUM (FREEZE) chat_message")
            other.execute("UPDATE chat_message SET content = 'Again.' WHERE id = %s", [self._first("user")])
            other.execute("VACUUM FULL chat_message")

    def ask_elsewhere(self) -> None:
        """Another process answered a question, and this one knows nothing of that."""
        kept = forget()
        rested(ask(self._user, "Elsewhere?", session_id=str(self._id)).run_id)
        forget()
        remember(kept)

    def _first(self, role: str) -> uuid.UUID:
        asked = Message.objects.filter(session=self._id, role=role).order_by("sequence")
        return asked.values_list("pk", flat=True)[0]


@pytest.mark.parametrize("door", [name for name in vars(Doors) if not name.startswith("_")])
@pytest.mark.django_db(transaction=True)
def test_what_comes_through_any_door_is_seen(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, watched: Watched, door: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    for name, url in {"OPENAI": vendor.openai_url, "ANTHROPIC": vendor.anthropic_url}.items():
        monkeypatch.setenv(f"{name}_API_KEY", "key-of-a-test")
        monkeypatch.setenv(f"{name}_BASE_URL", url)
    first = ask(alice, "One?", model="openai-mini:gpt-4o-mini")
    rested(first.run_id)
    session_id = str(first.session_id)
    for text in ("Two?", "Three?", "Four?"):
        rested(ask(alice, text, session_id=session_id).run_id)
    getattr(Doors(alice, first.session_id), door)()
    for text in ("And now?", "And then?"):
        vendor.script(Script(text="Said."))
        asked = rested(ask(alice, text, session_id=session_id).run_id)
        assert asked.status == RunStatus.SUCCEEDED
    assert watched.reads >= 6
    assert watched.wrong == []


@pytest.mark.django_db
def test_only_what_is_new_is_read(alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    conversation = Conversation(alice, nba)
    read: list[int] = []
    of_row = EarlierMessage.of_row

    def counted(row: Any) -> EarlierMessage:
        read.append(row[1])
        return of_row(row)

    monkeypatch.setattr(EarlierMessage, "of_row", counted)
    run = conversation.run
    load_prompt(run, conversation.member)
    assert read == [0, 1, 2, 3, 4]
    load_prompt(run, conversation.member)
    assert read[5:] == [4]
    Message.objects.filter(session=conversation.session, sequence=0).update(records="")
    load_prompt(run, conversation.member)
    assert read[6:] == [0, 1, 2, 3, 4], "written again, though with the same words"


@pytest.mark.django_db
def test_what_another_conversation_said_is_no_proof(alice: User, nba: Graph) -> None:
    """Even if it were kept under the name of this one."""
    own, other = (Conversation(alice, nba) for _ in range(2))
    Message.objects.filter(session=other.session).update(content="Somebody else's")
    for each in (own, other):
        each.check()
    kept_messages.put(own.session.pk, kept_messages._kept[other.session.pk])
    said = load_prompt(own.run, own.member).messages
    assert not any("Somebody" in message.content for message in said)
    own.check()


@pytest.mark.django_db(transaction=True)
def test_a_message_that_is_written_where_it_was_before_is_another(alice: User, nba: Graph) -> None:
    conversation = Conversation(alice, nba)
    of_session = "session_id = %s AND sequence = 1"
    before, came_back = None, 0
    with elsewhere() as other:
        for n in range(100):
            other.execute(
                f"UPDATE chat_message SET content = %s WHERE {of_session}", [f"{n}!", conversation.session.pk]
            )
            other.execute("VACUUM chat_message")
            place = other.execute(
                f"SELECT ctid FROM chat_message WHERE {of_session}", [conversation.session.pk]
            ).fetchone()
            came_back += place == before
            if place == before or n % 10 == 0:
                assert f"{n}!" in str(load_prompt(conversation.run, conversation.member).messages)
                before = place
            if came_back == 3:
                break
    assert came_back


def test_it_forgets_what_was_asked_longest_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_messages, "MOST_BYTES", 100)
    kept_messages.forget_all()
    ids = [uuid.uuid4() for _ in range(3)]
    for id_ in (*ids[:2], ids[0], ids[2]):
        kept_messages.put(id_, KeptMessages(to=1, bytes=40))
    assert [kept_messages.get(id_, 5).to for id_ in ids] == [1, -1, 1]
    kept_messages.put(ids[0], KeptMessages(to=1, bytes=101))
    assert not kept_messages._kept, "what is larger than all may be is not kept"


def test_it_believes_nothing_that_it_has_not_seen_for_long_or_that_comes_later() -> None:
    id_ = uuid.uuid4()
    kept_messages.put(id_, KeptMessages(to=3))
    assert [kept_messages.get(id_, position).to for position in (3, 4)] == [-1, 3]
    kept_messages.put(id_, KeptMessages(to=3, seen=time.monotonic() - kept_messages.UNSEEN_S - 1))
    assert kept_messages.get(id_, 4).to == -1


@pytest.mark.django_db
def test_a_server_that_started_again_is_not_believed(alice: User, nba: Graph) -> None:
    """It may have been restored from a backup: transactions have numbers again that others had."""
    conversation = Conversation(alice, nba)
    conversation.check()
    id_ = conversation.session.pk
    kept = kept_messages._kept[id_]
    started, _, stamps = kept.stamps.partition(" ")
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {kept_messages.SERVER}")
        assert cursor.fetchone()[0] == started
    forged = tuple(message._replace(content="Before the backup") for message in kept.messages)
    for stamp, believed in ((started, True), ("1.5", False)):
        kept_messages.put(id_, replace(kept, messages=forged, stamps=f"{stamp} {stamps}", sent={}))
        said = load_prompt(conversation.run, conversation.member).messages
        assert ("Before the backup" in said[0].content) == believed


@pytest.mark.django_db(transaction=True)
def test_a_question_is_kept_once_its_context_is_stored(bystander: Bystander, alice: User, nba: Graph) -> None:
    """Kept as it is read first, it would be read again with each conversation's second question, and all else too."""
    ask(alice, "What?")
    (run,) = bystander.adopted
    assert run.member is not None
    enriching.enrich(run, run.member)
    assert kept_messages.get(run.session_id, run.position).to == -1
