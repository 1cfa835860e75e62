"""Fills a database with a log of as many events as wanted. A process with the product's settings:

python -m bench.long_log EVENTS

A run has a thousand events: question, start, 997 deltas of four characters that hardly compress, and end, 40 days ago.
The first conversation has one run, the second one half of all runs, the others one each. It writes one line: the ids of
the first two.
"""

import json
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import django

OF_A_RUN = 1_000
_RUNS_AT_ONCE = 500

_EVENTS = """
INSERT INTO chat_streamevent (stream_id, sequence, version, type, data, message_id, run_id, created_at)
SELECT s.stream_id, r.first_sequence - 2 + n, 1,
    CASE n WHEN 1 THEN 'user_message' WHEN 2 THEN 'status' WHEN %(size)s THEN 'done' ELSE 'content_delta' END,
    CASE n WHEN 1 THEN jsonb_build_object('content', 'What does it do?')
           WHEN 2 THEN jsonb_build_object('state', 'started')
           WHEN %(size)s THEN jsonb_build_object('reason', 'finished', 'fullText', '')
           ELSE jsonb_build_object('delta', ' ' || substr(md5(random()::text), 1, 2 + n %% 3)) END,
    r.message_id, r.id, r.ended_at - make_interval(secs => 0.02 * (%(size)s - n) + random() / 100)
FROM chat_run r JOIN chat_session s ON s.id = r.session_id CROSS JOIN generate_series(1, %(size)s) AS n
WHERE r.id = ANY(%(runs)s) ORDER BY s.stream_id, r.first_sequence, n
"""


def fill(events: int) -> list[str]:
    """The ids of the short and of the long conversation; there is only the short one where nothing more is wanted."""
    from graphs.models import Membership

    demo = Membership.objects.select_related("user", "workspace").get(user__username="demo")
    all_runs = events // OF_A_RUN
    long = (all_runs - 1) // 2
    shapes = [1, long, *[1] * (all_runs - 1 - long)] if long else [1]
    with _without_indexes():
        sessions = [_conversation(demo, runs) for runs in shapes]
    return [str(session) for session in sessions[:2]]


@contextmanager
def _without_indexes() -> Iterator[None]:
    """They are made at the end, which is several times as fast."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE conrelid = 'chat_streamevent'::regclass AND contype = 'p'"
        )
        key, definition = cursor.fetchone()
        cursor.execute(f"ALTER TABLE chat_streamevent DROP CONSTRAINT {key}")
        cursor.execute("SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'chat_streamevent'")
        indexes = cursor.fetchall()
        for name, _indexed in indexes:
            cursor.execute(f"DROP INDEX {name}")
    yield
    with connection.cursor() as cursor:
        cursor.execute("SET maintenance_work_mem = '256MB'")
        cursor.execute(f"ALTER TABLE chat_streamevent ADD CONSTRAINT {key} {definition}")
        for _name, indexed in indexes:
            cursor.execute(indexed)


def _conversation(demo: object, runs: int) -> uuid.UUID:
    from chat.models import Session, Stream

    id_ = uuid.uuid4()
    owned = {"workspace": demo.workspace}  # type: ignore[attr-defined]
    stream = Stream.objects.create(name=f"session_{id_}", last_sequence=runs * OF_A_RUN, **owned)
    session = Session.objects.create(id=id_, owner=demo.user, stream=stream, title="A long log", **owned)  # type: ignore[attr-defined]
    for first in range(0, runs, _RUNS_AT_ONCE):
        _store_runs(session, range(first, min(runs, first + _RUNS_AT_ONCE)))
    return id_


def _store_runs(session: object, numbers: range) -> None:
    from django.db import connection, transaction
    from django.utils import timezone

    from chat.models import Message, Run, RunStatus

    ended = timezone.now() - timedelta(days=40)
    messages = [Message(session=session, sequence=number + 1, role="assistant", content="") for number in numbers]
    runs = [
        Run(
            session=session, message=message, author=session.owner, trigger={"event": "UserMessageSent"},
            status=RunStatus.SUCCEEDED, outcome="finished", ended_at=ended,
            first_sequence=number * OF_A_RUN + 2, last_sequence=(number + 1) * OF_A_RUN,
        )
        for number, message in zip(numbers, messages, strict=True)
    ]  # fmt: skip
    with transaction.atomic(), connection.cursor() as cursor:
        Message.objects.bulk_create(messages)
        Run.objects.bulk_create(runs)
        cursor.execute(_EVENTS, {"size": OF_A_RUN, "runs": [run.pk for run in runs]})


def main() -> None:
    from django.db import connection

    django.setup()
    ids = fill(int(sys.argv[1]))
    with connection.cursor() as cursor:
        cursor.execute("VACUUM (ANALYZE) chat_streamevent")
    print(json.dumps(ids))


if __name__ == "__main__":
    main()
