"""Many people at one record, at the same moment: each field has one winner, and nobody's text is lost unseen."""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from chat.models import ProposalStatus
from graphs.history.outside import catch_up
from graphs.models import Company, Folder, Membership, Modification, Role, UseCase, Workspace
from graphs.models.records import Record
from graphs.objects.headers import existing, headers_of
from graphs.objects.refs import Ref
from tests.graphs.api.callers import post_json, with_token
from tests.graphs.records.asking import change, name_of, path_of
from tests.graphs.tables.files import preview, send
from tests.proposed import waiting

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]
PEOPLE = 50
ROUNDS = 20 if os.environ.get("FULL") else 2


def at_once(deeds: Sequence[Callable[[], Any]]) -> list[Any]:
    """The answers."""
    barrier = threading.Barrier(len(deeds))

    def run(deed: Callable[[], Any]) -> Any:
        try:
            barrier.wait(60)
            return deed()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(deeds)) as pool:
        return list(pool.map(run, deeds))


def people(workspace: Workspace, count: int) -> list[Client]:
    found = [User.objects.create_user(f"hand-{number}") for number in range(count)]
    for user in found:
        Membership.objects.create(user=user, workspace=workspace, role=Role.EDITOR)
    clients = [with_token(user) for user in found]
    clients[0].get("/api/v1/kinds")  # reads what answers are checked against, which threads cannot at once
    return clients


def write(client: Client, record: Record, **updates: Any) -> Any:
    """Gives a record the values, having seen its first version."""
    action = {"action": "update_object", "arguments": {"updates": updates}}
    seen = {"type": Ref.parse(name_of(record)).type, "id": str(record.pk), "version": 1}
    return post_json(client, f"{path_of(record)}/changes", {"actions": [action], "expected": [seen]})


def deleted(client: Client, record: Record) -> int:
    """The status of the answer."""
    return int(change(client, record, "delete_object").status_code)


def table_of(records: Sequence[Record], field: str, text: str) -> str:
    """A file that gives all of these records the text."""
    return "\n".join([f"id,{field}", *(f"{record.pk},{text}" for record in records)])


def chain(record: Record, field: str) -> list[Any]:
    """What the field was, from change to change; each began where the one before it ended."""
    rows = Modification.objects.filter(key=str(record.pk), field=field).order_by("version")
    values = list(rows.values_list("old", "new"))
    assert [old for old, _new in values[1:]] == [new for _old, new in values[:-1]]
    return [*(old for old, _new in values[:1]), *(new for _old, new in values)]


def test_many_people_editing_one_folder(folder: Folder) -> None:
    clients, fields = people(folder.workspace, PEOPLE), ("name", "description")
    begun = existing(folder.workspace_id, Ref.parse(name_of(folder)))
    assert begun is not None
    catch_up([begun])
    texts = [(fields[number % 2], f"Text {number}") for number in range(PEOPLE)]
    deeds = [
        lambda client=client, field=field, text=text: write(client, folder, **{field: text})  # type: ignore[misc]
        for client, (field, text) in zip(clients, texts, strict=True)
    ]
    answers = at_once(deeds)
    folder.refresh_from_db()
    for field in fields:
        of_field = [(text, answer) for (name, text), answer in zip(texts, answers, strict=True) if name == field]
        won = [text for text, answer in of_field if answer.status_code == 201]
        assert won == [getattr(folder, field)]
        assert chain(folder, field)[1:] == won
        for text, answer in of_field:
            if text not in won:
                assert answer.status_code == 409
                (conflict,) = answer.json()["conflicts"]
                assert (conflict["field"], conflict["found"]) == (field, won[0])
    assert existing(folder.workspace_id, Ref.parse(name_of(folder))).version == 3  # type: ignore[union-attr]


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_a_proposal_a_hand_and_an_import_at_one_record(
    picking: UseCase, labels: UseCase, alice: User, client: Client, _round: int
) -> None:
    around = existing(picking.workspace_id, Ref.parse(name_of(picking)))
    assert around is not None
    catch_up([around])
    call = ("update_object", {"object": name_of(picking), "updates": {"data.problem": "Proposed", "data.domain": "P"}})
    (proposal,) = waiting(alice, around, call)
    hand, importer = people(picking.workspace, 2)
    file = table_of([picking, labels], "data.problem", "Imported")
    expected = preview(importer, file, "usecase")["expected"]
    decided, written, brought = at_once(
        [
            lambda: post_json(client, f"/api/v1/proposals/{proposal.pk}/decide", {"approved": True}),
            lambda: write(hand, picking, **{"data.problem": "By hand"}),
            lambda: send(importer, file, "usecase", expected=expected),
        ]
    )
    for row in (picking, labels, proposal):
        row.refresh_from_db()
    won = picking.data["problem"]
    is_applied = proposal.status == ProposalStatus.APPLIED
    assert (is_applied, written.status_code == 201, brought.status_code == 201) == tuple(
        won == text for text in ("Proposed", "By hand", "Imported")
    ), (decided.content, written.content, brought.content)
    assert chain(picking, "data.problem") == ["Long ways.", won]
    assert labels.data.get("problem") == ("Imported" if won == "Imported" else None)
    assert picking.data.get("domain") == ("P" if is_applied else None)
    if written.status_code != 201:
        assert [each["found"] for each in written.json()["conflicts"]] == [won]
    if brought.status_code != 201:
        assert [each["found"] for each in brought.json()["conflicts"]] == [won]
    if not is_applied:
        assert won in decided.content.decode()


def test_a_company_goes_while_somebody_deletes_its_folder(demo_workspace: Workspace) -> None:
    """What went meanwhile is not missed: what is left goes, and one undo brings back what each took."""
    hands = people(demo_workspace, 2)
    for _round in range(2 * ROUNDS):
        company = Company.objects.create(workspace=demo_workspace, name="Northwind")
        folder = Folder.objects.create(workspace=demo_workspace, company=company, name="Warehouse")
        UseCase.objects.bulk_create(
            UseCase(workspace=demo_workspace, folder=folder, data={"name": f"Case {number}"}) for number in range(20)
        )
        headers_of(demo_workspace.pk, [Ref.parse(name_of(each)) for each in (company, folder, *UseCase.objects.all())])
        of_folder, of_company = at_once([partial(deleted, hands[0], folder), partial(deleted, hands[1], company)])
        assert of_company == 201
        assert of_folder in {201, 404}
        assert not any(kind.objects.exists() for kind in (Company, Folder, UseCase))
