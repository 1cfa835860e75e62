"""How long changes, lists, the matrix and retrieval of records take in one process. With the product's settings:

python -m bench.record_times SCALE

The scale is that of `bench.records` as JSON. It writes one line: the seconds of each time by what was done, and the
statements of a bulk change but those that mark transactions.
"""

import json
import sys
import time
from collections.abc import Callable
from itertools import permutations
from typing import Any

import django

from bench.cpu import cpu_s
from bench.history_times import Times, behave_like_a_web_process, timed

_MARKS = ("SAVEPOINT", "RELEASE", "BEGIN", "COMMIT")
AXES = {side: [{"id": "a", "name": "A", "weight": 2}] for side in ("valueAxes", "complexityAxes")}


def clocked(times: Times, name: str, work: Callable[[], Any]) -> None:
    """Notes how long work takes, and what of the processor, here and in PostgreSQL, which other load hardly changes."""
    from django.db import connection

    def used() -> float:
        return time.process_time() + cpu_s(connection.connection.info.backend_pid)

    connection.ensure_connection()
    began = used()
    timed(times, name, work)
    times.setdefault(f"{name}, CPU", []).append(used() - began)


def portfolio(workspace: Any, name: str, use_cases: int) -> Any:
    """A folder with so many use cases, with texts and scores."""
    from graphs.models import Folder, UseCase

    folder = Folder.objects.create(workspace=workspace, name=name, matrix_config=AXES)
    UseCase.objects.bulk_create(
        (
            UseCase(
                workspace=workspace,
                folder=folder,
                data={
                    "name": f"{name} case {number}",
                    "problem": f"What is slow in process {number % 97} of site {number % 13}.",
                    "valueScores": [{"axisId": "a", "rating": number % 5 + 1}],
                    "complexityScores": [{"axisId": "a", "rating": number % 3 + 1}],
                },
            )
            for number in range(use_cases)
        ),
        batch_size=5_000,
    )
    return folder


def updates(times: Times, member: Any, count: int) -> None:
    """One field of a company: as an ORM row in a transaction, at hand or read first, and as a change of one at hand.

    In turns.

    Bare saves are noticed by nobody: the history would look at the header of each.
    """
    from django.db import transaction

    from graphs.history import changes
    from graphs.history.outside import catch_up
    from graphs.history.recording import Because
    from graphs.models import Company, Origin
    from graphs.objects import plain_rows
    from graphs.objects.headers import header_of
    from graphs.objects.kinds import KINDS
    from graphs.objects.model_rows import as_writer
    from graphs.objects.operations import Update
    from graphs.objects.refs import Ref

    names = ("Bare", "Read", "Audited")
    bare, read, audited = (Company.objects.create(workspace=member.workspace, name=name) for name in names)
    of, because = header_of(KINDS["company"], member.workspace.pk, audited), Because(member.user, Origin.MANUAL)
    catch_up([of])
    ref, size = Ref("company", str(audited.pk)), ""

    def save(text: str) -> None:
        with as_writer(), transaction.atomic():
            bare.size = text
            bare.save()

    def read_and_save(text: str) -> None:
        with as_writer(), transaction.atomic():
            row = Company.objects.select_for_update(no_key=True).get(pk=read.pk)
            row.size = text
            row.full_clean()
            row.save()

    for number in range(count):
        operation, size = Update(ref, {"size": size}, {"size": f"{number} people"}), f"{number} people"
        rows = {ref: plain_rows.read(KINDS["company"], of)}  # at hand, as the row that is saved
        turns: list[tuple[str, Callable[[], Any]]] = [
            ("bare save", lambda text=size: save(text)),
            ("read and save", lambda text=size: read_and_save(text)),
            ("audited update", lambda each=operation, rows=rows: changes.apply(of, [each], because, rows=rows)),
        ]
        # Each comes as often after each of the others: what ran before is felt.
        for name, work in list(permutations(turns))[number % 6]:
            clocked(times, name, work)


def reads(times: Times, member: Any, folder: Any, count: int) -> None:
    """The first page of the list through its view, and all places of the matrix; beside both what the SQL takes.

    And beside the list one that only lists.
    """
    from django.db import connection
    from django.test import Client

    from bench import plain_list
    from graphs.models import UseCase
    from graphs.records import listing
    from graphs.records.folder_matrix import matrix_of
    from graphs.records.kinds import USE_CASE
    from graphs.site.api.paging import page_of

    client = Client()
    client.force_login(member.user)
    plain_list.serve(folder.workspace)

    def get(address: str) -> None:
        answer = client.get(address, HTTP_HOST="localhost")
        assert answer.status_code == 200, answer.status_code

    def sql(statement: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute(statement, [folder.workspace_id])
            cursor.fetchall()

    def bare_list() -> None:
        sql("SELECT status, count(*) FROM graphs_usecase WHERE workspace_id = %s GROUP BY status")
        sql("SELECT * FROM graphs_usecase WHERE workspace_id = %s ORDER BY name, id LIMIT 51")

    def read_list() -> None:
        asked = listing.Asked()
        rows = listing.matching(member, USE_CASE, asked)
        listing.by_status(rows)
        listing.as_listed(USE_CASE, page_of(listing.shown(USE_CASE, rows), asked.ordering, None, 50).rows)

    def matrix() -> None:
        matrix_of(folder)

    def bare_matrix() -> None:
        found = UseCase.objects.filter(folder=folder).values_list("data__valueScores", "data__complexityScores")
        list(found)

    for _ in range(count):
        clocked(times, "bare list", bare_list)
        clocked(times, "read list", read_list)
        clocked(times, "plain list", lambda: get(plain_list.ADDRESS))
        clocked(times, "list", lambda: get("/use-cases/"))
        clocked(times, "other page", lambda: get("/account/"))
        timed(times, "bare matrix", bare_matrix)
        timed(times, "matrix", matrix)


def retrievals(times: Times, member: Any, name: str, count: int) -> None:
    """What is sent with questions about a use case, among as many records as there are by now."""
    from django.db import connection

    from graphs.models import UseCase
    from graphs.objects.headers import header_of
    from graphs.objects.kinds import KINDS
    from graphs.site.accounts import account_of
    from rag.sources.registered_sources import source_of

    with connection.cursor() as cursor:
        cursor.execute("VACUUM (ANALYZE) graphs_usecase")
    row = UseCase.objects.filter(workspace=member.workspace).order_by("name", "id")[0]
    about, source = header_of(KINDS["usecase"], member.workspace.pk, row), source_of("usecase")
    source.retrieve(member, about, "What is slow?", account_of(about))  # loads what is loaded once
    for number in range(count):
        question = f"What is slow in process {number % 97} of site {number % 13}?"
        timed(times, name, lambda asked=question: source.retrieve(member, about, asked, account_of(about)))


def questions(times: Times, member: Any, folder: Any, count: int) -> None:
    """The processor's time, without PostgreSQL's, for what is sent with a question about a folder."""
    from graphs.objects.headers import header_of
    from graphs.objects.kinds import KINDS
    from graphs.site.accounts import account_of
    from rag.sources.registered_sources import source_of

    about, source = header_of(KINDS["folder"], member.workspace.pk, folder), source_of("folder")
    for number in range(count):
        began = time.process_time()
        source.retrieve(member, about, f"What is slow at site {number % 13} and worth it?", account_of(about))
        times.setdefault("question", []).append(time.process_time() - began)


def bulk(member: Any, folder: Any, count: int) -> int:
    """The statements of a change of the status of so many records, whose histories have begun."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from graphs.history import editing
    from graphs.objects.actions import UpdateObject
    from graphs.objects.headers import existing
    from graphs.objects.refs import Ref

    keys = [str(row.pk) for row in folder.use_cases.order_by("id")[:count]]
    of = existing(member.workspace.pk, Ref("usecase", keys[0]))
    assert of is not None

    def change(status: str) -> None:
        named = ({"object": f"usecase:{key}", "updates": {"status": status}} for key in keys)
        editing.edit(member, of, editing.Request([UpdateObject.model_validate(each) for each in named]))

    change("ready")
    with CaptureQueriesContext(connection) as captured:
        change("archived")
    return sum(not query["sql"].lstrip().startswith(_MARKS) for query in captured)


def main() -> None:
    django.setup()
    behave_like_a_web_process()
    from graphs.models import Membership
    from graphs.site.access import member_of

    scale = json.loads(sys.argv[1])
    member = member_of(Membership.objects.get(user__username="demo").user)
    times: Times = {}
    few = portfolio(member.workspace, "Few", scale["few"])
    retrievals(times, member, "retrieval few", scale["questions"])
    questions(times, member, few, scale["reads"])
    folder = portfolio(member.workspace, "Listed", scale["listed"])
    updates(times, member, scale["updates"])
    reads(times, member, folder, scale["reads"])
    statements = bulk(member, folder, scale["changed"])
    portfolio(member.workspace, "Many", scale["many"] - scale["few"] - scale["listed"])
    retrievals(times, member, "retrieval many", scale["questions"])
    print(json.dumps({"times": times, "statements": statements}))


if __name__ == "__main__":
    main()
